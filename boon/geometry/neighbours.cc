#include "boon/geometry/neighbours.h"

#include <algorithm>
#include <cmath>

#include "boon/core/error.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kQueriesAtOnce = 512;  // between two looks at the progress

double as_length(kernels::KnnSpace space, double distance) noexcept {
  switch (space) {
    case kernels::KnnSpace::l2:
      return std::sqrt(distance);
    case kernels::KnnSpace::cosine:
      return std::sqrt(2 * distance);
    case kernels::KnnSpace::inner_product:
      break;
  }
  return distance;
}

}  // namespace

Neighbours find_neighbours(const Points& points, std::span<const std::uint32_t> queries, std::size_t k,
                           kernels::KnnSpace space, std::size_t threads, const Progress& progress) {
  check_points(points);
  Neighbours result;
  result.k = std::min(k, points.count - 1);
  if (result.k == 0) return result;
  result.queries.assign(queries.begin(), queries.end());
  // One more than asked for, as a row is its own nearest. Where so many equal it that it is not among the nearest, the
  // last goes instead.
  const std::size_t asked = result.k + 1;
  const kernels::KnnBase base(kernels::KnnRows::of(points.data, points.count, points.dim, points.step()),
                              {.space = space, .codes = queries.size() > 20, .threads = threads});
  std::vector<std::uint32_t> rows(kQueriesAtOnce * asked);
  std::vector<float> distances(kQueriesAtOnce * asked);
  for (std::size_t begin = 0; begin < queries.size(); begin += kQueriesAtOnce) {
    if (progress && !progress(begin, queries.size())) throw Error(ErrorCode::cancelled, "interrupted");
    const std::size_t count = std::min(kQueriesAtOnce, queries.size() - begin);
    const PointSet asking = gather(points, queries.subspan(begin, count));
    kernels::knn(base, {.data = asking.values.data(), .count = count, .k = asked, .threads = threads}, rows.data(),
                 distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i * asked);
      const auto self = std::find(first, first + static_cast<std::ptrdiff_t>(result.k), queries[begin + i]) - first;
      for (std::size_t j = 0; j < asked; ++j) {
        if (static_cast<std::ptrdiff_t>(j) == self) continue;
        result.rows.push_back(rows[i * asked + j]);
        result.distances.push_back(as_length(space, distances[i * asked + j]));
      }
    }
  }
  return result;
}

}  // namespace boon::geometry
