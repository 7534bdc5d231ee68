#include "boon/geometry/agreement.h"

#include <algorithm>
#include <span>
#include <vector>

#include "boon/geometry/neighbours.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRows = 2000;
constexpr std::size_t kQueries = 200;
constexpr std::size_t kNearest = 10;

// Rows that have a direction.
PointSet directed_rows(const PointSet& rows) {
  PointSet result{.dim = rows.dim, .values = {}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::span<const float> values = rows[row];
    if (squared_length(values) > 0) result.values.insert(result.values.end(), values.begin(), values.end());
  }
  return result;
}

}  // namespace

Agreement measure_agreement(const Points& points, std::uint64_t seed) {
  check_points(points);
  const PointSet rows = directed_rows(gather(points, sample_rows(points.count, kRows, seed)));
  if (rows.size() < 2) return {};
  const std::vector<std::uint32_t> queries = sample_rows(rows.size(), kQueries, seed);
  const Neighbours straight = find_neighbours(rows.points(), queries, kNearest, kernels::KnnSpace::l2);
  const Neighbours angles = find_neighbours(rows.points(), queries, kNearest, kernels::KnnSpace::cosine);
  std::size_t shared = 0;
  for (std::size_t q = 0; q < straight.size(); ++q) {
    const auto near = std::span(angles.rows).subspan(q * angles.k, angles.k);
    for (const std::uint32_t row : std::span(straight.rows).subspan(q * straight.k, straight.k)) {
      shared += std::ranges::find(near, row) != near.end() ? 1 : 0;
    }
  }
  return {.share = static_cast<double>(shared) / static_cast<double>(straight.rows.size()), .points = straight.size()};
}

}  // namespace boon::geometry
