#include "boon/geometry/distortion.h"

#include <algorithm>
#include <cmath>

namespace boon::geometry {

// The map is linear, so the differences are projected: one product a pair, and nothing cancels.
Distortion measure_distortion(const Points& points, const std::vector<Pair>& pairs, const Projection& projection) {
  check_points(points);
  check_same_dim(points.dim, projection.options().dim, "a row");
  Distortion result;
  result.target = projection.options().target;
  result.expected_sd = std::sqrt(2.0 / static_cast<double>(result.target));
  if (points.count > 0) result.bound = johnson_lindenstrauss_eps(points.count, result.target);
  std::vector<float> difference(points.dim), projected(result.target);
  std::vector<double> ratios;
  for (const auto& [a, b] : pairs) {
    const double length = std::sqrt(squared_distance(points[a], points[b]));
    if (length == 0) continue;
    for (std::size_t i = 0; i < points.dim; ++i) {
      difference[i] = static_cast<float>((static_cast<double>(points[a][i]) - points[b][i]) / length);
    }
    projection.forward(difference, projected);
    ratios.push_back(squared_length(projected));
    result.worst = std::max(result.worst, std::abs(ratios.back() - 1));
  }
  result.pairs = ratios.size();
  result.ratio = spread_of(ratios);
  return result;
}

}  // namespace boon::geometry
