#include "boon/geometry/concentration.h"

#include <algorithm>
#include <cmath>

namespace boon::geometry {
namespace {

double weighted_mean(const std::vector<double>& values, Weights weights) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    count += weights[i];
  }
  return sum / count;
}

}  // namespace

Concentration measure_concentration(const Points& points, const std::vector<std::uint32_t>& queries,
                                    std::uint64_t seed) {
  check_points(points);
  Concentration result;
  std::vector<double> contrasts, ratios, distances, means, squares;
  for (const std::uint32_t query : queries) {
    distances.clear();
    for (std::size_t row = 0; row < points.count; ++row) {
      const double squared = squared_distance(points[query], points[row]);
      if (squared > 0) distances.push_back(std::sqrt(squared));
    }
    if (distances.empty()) continue;
    const Spread spread = spread_of(distances);
    contrasts.push_back((spread.max - spread.min) / spread.min);
    ratios.push_back(spread.mean / spread.min);
    means.push_back(spread.mean);
    double sum = 0;
    for (const double distance : distances) sum += distance * distance;
    squares.push_back(sum / static_cast<double>(distances.size()));
  }
  result.points = contrasts.size();
  if (contrasts.empty()) return result;
  const std::size_t n = contrasts.size();
  result.contrast = bootstrap(n, seed, [&](Weights weights) { return weighted_mean(contrasts, weights); });
  result.mean_to_nearest = bootstrap(n, seed, [&](Weights weights) { return weighted_mean(ratios, weights); });
  result.mean = spread_of(means).mean;
  result.sd_to_mean = std::sqrt(std::max(0.0, spread_of(squares).mean - result.mean * result.mean)) / result.mean;
  return result;
}

}  // namespace boon::geometry
