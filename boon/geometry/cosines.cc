#include "boon/geometry/cosines.h"

#include <algorithm>
#include <cmath>

#include "boon/geometry/ball.h"

namespace boon::geometry {
namespace {

// Infinity never comes out: squares of floats are finite in double. Less than nothing is a pair with a zero vector.
constexpr double kNoCosine = -2;

double cosine_of(std::span<const float> a, std::span<const float> b, const std::vector<double>& mean) noexcept {
  double product = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double middle = mean.empty() ? 0 : mean[i];
    const double x = a[i] - middle, y = b[i] - middle;
    product += x * y;
    squares_a += x * x;
    squares_b += y * y;
  }
  if (squares_a == 0 || squares_b == 0) return kNoCosine;
  return std::clamp(product / (std::sqrt(squares_a) * std::sqrt(squares_b)), -1.0, 1.0);
}

double gap_of(const std::vector<double>& sorted, std::size_t dim) {
  const auto n = static_cast<double>(sorted.size());
  double gap = 0;
  for (std::size_t i = 0, next = 0; i < sorted.size(); i = next) {
    while (next < sorted.size() && sorted[next] == sorted[i]) ++next;
    const double predicted = cosine_probability(dim, sorted[i]);
    // In one dimension the law is a step at -1 and one at 1.
    const double below = dim == 1 ? (sorted[i] < 1 ? 0 : 0.5) : predicted;
    gap = std::max(
        {gap, std::abs(below - static_cast<double>(i) / n), std::abs(predicted - static_cast<double>(next) / n)});
  }
  return gap;
}

}  // namespace

Cosines measure_cosines(const Points& points, const std::vector<Pair>& pairs, const std::vector<double>& mean) {
  check_points(points);
  if (!mean.empty()) check_same_dim(mean.size(), points.dim, "the mean");
  std::vector<double> cosines;
  cosines.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    const double cosine = cosine_of(points[a], points[b], mean);
    if (cosine != kNoCosine) cosines.push_back(cosine);
  }
  Cosines result;
  result.pairs = cosines.size();
  result.expected_sd = 1 / std::sqrt(static_cast<double>(points.dim));
  if (cosines.empty()) return result;
  const Spread spread = spread_of(cosines);
  result.mean = mean_estimate(spread.mean, spread.sd, cosines.size());
  result.sd = spread.sd;
  result.min = spread.min;
  result.max = spread.max;
  double squares = 0;
  for (const double c : cosines) {
    squares += c * c / static_cast<double>(cosines.size());
    const auto bin = static_cast<std::size_t>((c + 1) / 2 * Cosines::kBins);
    ++result.histogram[std::min(bin, Cosines::kBins - 1)];
  }
  // Pairs that are all at right angles would need a dimension without end.
  constexpr double kSquareLeast = 1e-18;
  result.effective_dim = 1 / std::max(squares, kSquareLeast);
  std::sort(cosines.begin(), cosines.end());
  result.gap = gap_of(cosines, points.dim);
  return result;
}

}  // namespace boon::geometry
