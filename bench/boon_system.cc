#include <fmt/format.h>

#include <algorithm>

#include "bench/system.h"
#include "boon/cli/machine.h"
#include "boon/index/index.h"

namespace boon::bench {
namespace {

class BuiltBoon : public Built {
 public:
  explicit BuiltBoon(Index index) : index_(std::move(index)) {}

  void search(std::span<const float> query, std::size_t beam, std::span<std::uint64_t> rows) override {
    const auto matches = index_.search(query, rows.size(), {.beam = beam});
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i < matches.size() ? matches[i].id : kNoRow;
  }
  Work work(std::span<const float> queries, std::size_t k, std::size_t beam) override {
    const auto statistics = index_.search_many(queries, k, {.beam = beam}).statistics;
    return {.hops = statistics.hops, .distances = statistics.distances};
  }
  void save(const std::filesystem::path& path) const override { index_.save(path); }

 private:
  Index index_;
};

std::unique_ptr<Built> build(const Parameters& parameters, std::span<const float> base, std::size_t threads) {
  Index index({.dim = parameters.dim,
               .metric = parameters.distance == Distance::cosine ? Metric::cosine : Metric::l2,
               .graph = {.neighbours = parameters.neighbours, .build_beam = parameters.build_beam}});
  index.add(base, {}, {.threads = threads});
  return std::make_unique<BuiltBoon>(std::move(index));
}

std::unique_ptr<Built> load(const Parameters&, const std::filesystem::path& path) {
  return std::make_unique<BuiltBoon>(Index::load(path));
}

}  // namespace

System boon_system() {
  const cli::Machine machine = cli::describe_machine();
  return {.name = "boon",
          .details = fmt::format("{}, {}, {}", machine.version, machine.isa, machine.compiler),
          .build = build,
          .load = load};
}

}  // namespace boon::bench
