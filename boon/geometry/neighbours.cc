#include "boon/geometry/neighbours.h"

#include <algorithm>
#include <cmath>

#include "boon/core/error.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kQueriesAtOnce = 512;  // between two looks at the progress

// In double, as the squares and products of floats may be more than the largest of them, or less than the least;
// cosines are in the range of `found`, what the search gives in fp32.
double distance(kernels::KnnSpace space, std::span<const float> query, std::span<const float> row,
                float found) noexcept {
  switch (space) {
    case kernels::KnnSpace::l2:
      return std::sqrt(squared_distance(query, row));
    case kernels::KnnSpace::cosine:
      return std::sqrt(2 * static_cast<double>(found));
    case kernels::KnnSpace::inner_product:
      break;
  }
  return 1 - inner_product(query, row);
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
        const std::uint32_t row = rows[i * asked + j];
        result.rows.push_back(row);
        result.distances.push_back(distance(space, asking[i], points[row], distances[i * asked + j]));
      }
    }
  }
  return result;
}

}  // namespace boon::geometry
