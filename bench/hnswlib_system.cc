// hnswlib as its users use it: for cosine, inner product on vectors that were scaled to length 1, rows when they are
// added and queries when they are asked (as its Python binding does); rows added from several threads by a shared
// counter (as its examples do); the distance function that the library picks for the dimension.
#include <hnswlib/hnswlib.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/system.h"

#ifdef __clang__
#define BOON_BENCH_COMPILER "clang++ " __clang_version__
#else
#define BOON_BENCH_COMPILER "g++ " __VERSION__
#endif

namespace boon::bench {
namespace {

using Graph = hnswlib::HierarchicalNSW<float>;

std::unique_ptr<hnswlib::SpaceInterface<float>> make_space(const Parameters& parameters) {
  if (parameters.distance == Distance::cosine) return std::make_unique<hnswlib::InnerProductSpace>(parameters.dim);
  return std::make_unique<hnswlib::L2Space>(parameters.dim);
}

// The library's distance function, counted. One thread at a time.
hnswlib::DISTFUNC<float> counted_function = nullptr;
std::uint64_t counted_calls = 0;
float counting_function(const void* a, const void* b, const void* dim) {
  ++counted_calls;
  return counted_function(a, b, dim);
}

class BuiltHnswlib : public Built {
 public:
  BuiltHnswlib(const Parameters& parameters, std::size_t rows)
      : parameters_(parameters),
        space_(make_space(parameters)),
        graph_(std::make_unique<Graph>(space_.get(), rows, parameters.neighbours, parameters.build_beam)) {}
  BuiltHnswlib(const Parameters& parameters, const std::filesystem::path& path)
      : parameters_(parameters),
        space_(make_space(parameters)),
        graph_(std::make_unique<Graph>(space_.get(), path.native())) {}

  void add_all(std::span<const float> base, std::size_t threads) {
    const std::size_t rows = base.size() / parameters_.dim;
    add(base, 0, unit_query_);  // the first alone: it becomes the entry
    std::atomic<std::size_t> next{1};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
      std::vector<float> unit;
      try {
        for (std::size_t row = next++; row < rows; row = next++) add(base, row, unit);
      } catch (...) {
        const std::lock_guard lock(failing);
        failure = std::current_exception();
        next = rows;
      }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  void search(std::span<const float> query, std::size_t beam, std::span<std::uint64_t> rows) override {
    graph_->setEf(beam);
    auto nearest = graph_->searchKnn(as_held(query, unit_query_), rows.size());
    for (std::size_t i = nearest.size(); i < rows.size(); ++i) rows[i] = kNoRow;
    for (std::size_t i = nearest.size(); i-- > 0; nearest.pop()) rows[i] = nearest.top().second;
  }

  Work work(std::span<const float> queries, std::size_t k, std::size_t beam) override {
    counted_function = graph_->fstdistfunc_;
    counted_calls = 0;
    const long hops_before = graph_->metric_hops;
    graph_->fstdistfunc_ = counting_function;
    std::vector<std::uint64_t> rows(k);
    for (std::size_t i = 0; i < queries.size(); i += parameters_.dim) {
      search(queries.subspan(i, parameters_.dim), beam, rows);
    }
    graph_->fstdistfunc_ = counted_function;
    return {.hops = static_cast<std::uint64_t>(graph_->metric_hops - hops_before), .distances = counted_calls};
  }

  // The library changes nothing when it saves, but does not say so.
  void save(const std::filesystem::path& path) const override { graph_->saveIndex(path.native()); }

 private:
  void add(std::span<const float> base, std::size_t row, std::vector<float>& unit) {
    graph_->addPoint(as_held(base.subspan(row * parameters_.dim, parameters_.dim), unit), row);
  }

  // The vector itself or, under cosine, its copy of length 1 in `unit`.
  const float* as_held(std::span<const float> vector, std::vector<float>& unit) const {
    if (parameters_.distance != Distance::cosine) return vector.data();
    float squares = 0;
    for (const float x : vector) squares += x * x;
    const float scale = 1 / std::sqrt(squares);
    unit.resize(vector.size());
    for (std::size_t i = 0; i < vector.size(); ++i) unit[i] = vector[i] * scale;
    return unit.data();
  }

  Parameters parameters_;
  std::unique_ptr<hnswlib::SpaceInterface<float>> space_;
  std::unique_ptr<Graph> graph_;
  std::vector<float> unit_query_;
};

std::unique_ptr<Built> build(const Parameters& parameters, std::span<const float> base, std::size_t threads) {
  auto built = std::make_unique<BuiltHnswlib>(parameters, base.size() / parameters.dim);
  built->add_all(base, threads);
  return built;
}

std::unique_ptr<Built> load(const Parameters& parameters, const std::filesystem::path& path) {
  return std::make_unique<BuiltHnswlib>(parameters, path);
}

}  // namespace

System hnswlib_system() {
#ifdef USE_AVX512
  const char* widest = AVX512Capable() ? "AVX-512" : "AVX";
#else
  const char* widest = "AVX or less";
#endif
  return {.name = std::string(kPeerName),
          .details = HNSWLIB_VERSION ", " + std::string(widest) + ", -O3 -march=native, " BOON_BENCH_COMPILER,
          .build = build,
          .load = load};
}

}  // namespace boon::bench
