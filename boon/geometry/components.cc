#include "boon/geometry/components.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "boon/geometry/moments.h"

namespace boon::geometry {
namespace {

bool is_byte(float x) noexcept {
  return x >= 0 && x <= 255 && x == std::floor(x);
}

}  // namespace

Components measure_components(const Points& points) {
  const std::vector<double> mean = mean_of(points);
  const std::size_t d = points.dim;
  Components result;
  result.bytes = true;
  result.min = result.max = points[0][0];
  std::vector<double> norms(points.count), variances(d);
  std::size_t zeros = 0;
  for (std::size_t row = 0; row < points.count; ++row) {
    for (std::size_t i = 0; i < d; ++i) {
      const float x = points[row][i];
      result.min = std::min(result.min, x);
      result.max = std::max(result.max, x);
      result.bytes = result.bytes && is_byte(x);
      zeros += x == 0 ? 1 : 0;
      const double off = x - mean[i];
      variances[i] += off * off;
    }
    norms[row] = std::sqrt(squared_length(points[row]));
    result.zeros += norms[row] == 0 ? 1 : 0;
  }
  result.norms = spread_of(norms);
  result.zero_share = static_cast<double>(zeros) / (static_cast<double>(points.count) * static_cast<double>(d));
  double total = 0, largest = 0;
  for (std::size_t i = 0; i < d; ++i) {
    bool constant = true;
    for (std::size_t row = 1; row < points.count && constant; ++row) constant = points[row][i] == points[0][i];
    if (constant) {
      ++result.constants;
      continue;
    }
    total += variances[i];
    largest = std::max(largest, variances[i]);
  }
  result.largest_column = total > 0 ? largest / total : 0;
  return result;
}

}  // namespace boon::geometry
