#include "bench/comparison.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bench/peer_cache.h"
#include "boon/cli/machine.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vectors.h"
#include "boon/core/error.h"

namespace boon::bench {
namespace {

Distance distance_of(Metric metric) {
  if (metric == Metric::inner_product) {
    throw Error(ErrorCode::unsupported, "the comparison knows cosine and l2, and the set is for inner product");
  }
  return metric == Metric::cosine ? Distance::cosine : Distance::squared_euclidean;
}

std::size_t saved_bytes(const Built& built) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("boon-bench-{}.tmp", ::getpid());
  built.save(path);
  const std::size_t bytes = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  return bytes;
}

// A system at work on one data set.
struct Contender {
  const System* system;
  SystemResult result;
  std::unique_ptr<Built> built;  // by the first build
};

void build(Contender& contender, const Parameters& parameters, std::span<const float> base, std::size_t threads,
           const Notice& notice) {
  const bool first = contender.built == nullptr;
  const std::size_t before = cli::resident_bytes();
  const cli::Stopwatch watch;
  auto built = contender.system->build(parameters, base, threads);
  const double seconds = watch.seconds();
  contender.result.builds.push_back({.threads = threads, .seconds = seconds});
  if (first) {
    contender.result.resident_bytes = std::max(cli::resident_bytes(), before) - before;
    contender.result.file_bytes = saved_bytes(*built);
    contender.built = std::move(built);
  }
  notice(fmt::format("{} built on {} thread{} in {:.2f} s", contender.system->name, threads, threads == 1 ? "" : "s",
                     seconds));
}

std::vector<Contender> build_all(const std::string& data_set, std::span<const System> systems,
                                 const Parameters& parameters, std::span<const float> base,
                                 const ComparisonOptions& options, const Notice& notice) {
  const std::size_t rows = base.size() / parameters.dim;
  std::vector<Contender> contenders;
  for (const System& system : systems) {
    contenders.push_back({.system = &system, .result = {}, .built = nullptr});
    Contender& contender = contenders.back();
    contender.result.name = system.name;
    contender.result.details = system.details;
    if (system.name != kPeerName) continue;
    contender.built =
        PeerCache(options.peer_cache, data_set, system, parameters, rows).load(options.build_threads, contender.result);
    if (contender.built) notice(fmt::format("{} comes from {}", system.name, options.peer_cache.native()));
  }
  for (const std::size_t threads : options.build_threads) {
    for (Contender& contender : contenders) {
      if (cli::interrupted()) throw Error(ErrorCode::cancelled, "interrupted while building");
      const bool cached = !contender.result.builds.empty() && contender.result.builds.front().cached;
      if (!cached) build(contender, parameters, base, threads, notice);
    }
  }
  for (const Contender& contender : contenders) {
    if (contender.system->name != kPeerName || contender.result.builds.front().cached) continue;
    PeerCache(options.peer_cache, data_set, *contender.system, parameters, rows)
        .keep(*contender.built, contender.result);
  }
  return contenders;
}

cli::Runner runner_of(Contender& contender, std::size_t k) {
  Built& built = *contender.built;
  return {.name = contender.system->name,
          .search = [&built](std::span<const float> query, std::size_t beam,
                             std::span<Id> answers) { built.search(query, beam, answers); },
          .work =
              [&built, k](std::span<const float> queries, std::size_t beam) {
                const Work work = built.work(queries, k, beam);
                return graph::SearchStatistics{.hops = work.hops, .distances = work.distances};
              }};
}

}  // namespace

SetResult compare(const std::string& data_set, std::span<const System> systems, const ComparisonOptions& options,
                  const Notice& notice) {
  const auto told = [&](std::string_view line) { notice(fmt::format("{}: {}", data_set, line)); };
  told("reading");
  cli::BenchmarkSet set = cli::read_benchmark_set(cli::find_data_set(data_set, cli::data_folder()));
  const Metric metric = parse_metric(set.metric);
  const auto queries = cli::take_queries(set, options.queries, options.k);
  const Parameters parameters{.dim = set.train.dim,
                              .distance = distance_of(metric),
                              .neighbours = options.neighbours,
                              .build_beam = options.build_beam};

  auto contenders = build_all(data_set, systems, parameters, set.train.values, options, told);
  const cli::Judge judge(metric, set.train.dim, queries.values, queries.kth_nearest, options.k,
                         cli::rows_of(set.train.values, set.train.dim));
  std::vector<cli::Runner> runners;
  for (Contender& contender : contenders) runners.push_back(runner_of(contender, options.k));
  auto curves = cli::sweep(runners, judge, options.sweep, told);

  SetResult result{.name = data_set,
                   .metric = std::string(name(metric)),
                   .rows = set.train.rows(),
                   .dim = set.train.dim,
                   .queries = judge.size(),
                   .systems = {}};
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    contenders[i].result.points = std::move(curves[i]);
    result.systems.push_back(std::move(contenders[i].result));
  }
  return result;
}

}  // namespace boon::bench
