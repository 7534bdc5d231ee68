#include "boon/cli/exact_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/index/exact_rows.h"
#include "boon/index/vector_check.h"
#include "boon/kernels/knn.h"

namespace boon::cli {
namespace {

// Queries between two looks at Ctrl-C: enough for tiles of them, a second or two at most.
constexpr std::size_t kStretch = 1024;

}  // namespace

double precise_distance(Metric metric, std::span<const float> a, std::span<const float> b) noexcept {
  const bool scaled = metric == Metric::cosine;
  const double length_a = scaled ? std::sqrt(squared_norm(a)) : 1;
  const double length_b = scaled ? std::sqrt(squared_norm(b)) : 1;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / length_a;
    const double y = b[i] / length_b;
    sum += metric == Metric::inner_product ? x * y : (x - y) * (x - y);
  }
  return metric == Metric::inner_product ? 1 - sum : scaled ? sum / 2 : sum;
}

ExactAnswers find_exact(const VectorTable& base, const VectorTable& queries, Metric metric, std::size_t k,
                        std::size_t threads, const std::string& base_name, const std::string& query_name,
                        const Progress& progress) {
  if (k == 0) throw Error(ErrorCode::invalid_argument, "k is 0; ask for at least one answer");
  if (base.dim != queries.dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has dimension {}, and {} has {}", query_name, queries.dim, base_name, base.dim));
  }
  check_rows(base.values.data(), base.rows(), base.dim, base.dim, metric, base_name + " row");
  check_rows(queries.values.data(), queries.rows(), base.dim, base.dim, metric, query_name + " row");

  const std::size_t count = queries.rows();
  const std::size_t dim = base.dim;
  ExactAnswers answers;
  answers.k = std::min(k, base.rows());
  answers.rows.resize(count * answers.k);
  answers.distances.resize(count * answers.k);
  std::vector<float> rounded(count * answers.k);
  const kernels::KnnBase made(kernels::KnnRows::of(base.values.data(), base.rows(), dim),
                              {.space = index::space_of(metric), .codes = count > 1, .threads = threads});
  for (std::size_t first = 0; first < count; first += kStretch) {
    if (progress && !progress(first, count)) throw Error(ErrorCode::cancelled, "interrupted");
    const std::size_t part = std::min(kStretch, count - first);
    kernels::knn(made, {.data = queries.values.data() + first * dim, .count = part, .k = answers.k, .threads = threads},
                 answers.rows.data() + first * answers.k, rounded.data() + first * answers.k);
  }
  ThreadPool pool(threads);
  pool.for_each(count, 16, [&](std::size_t i, std::size_t) {
    const std::span<const float> query(queries.values.data() + i * dim, dim);
    for (std::size_t j = i * answers.k; j < (i + 1) * answers.k; ++j) {
      answers.distances[j] = precise_distance(metric, query, {base.values.data() + answers.rows[j] * dim, dim});
    }
  });
  return answers;
}

}  // namespace boon::cli
