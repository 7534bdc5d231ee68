#include "boon/geometry/hubness.h"

#include <algorithm>
#include <cmath>

#include "boon/core/check.h"

namespace boon::geometry {
namespace {

double skewness(const std::vector<std::uint32_t>& counts, Weights weights) {
  double n = 0, mean = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    n += weights[i];
    mean += static_cast<double>(weights[i]) * counts[i];
  }
  mean /= n;
  double second = 0, third = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = counts[i] - mean;
    second += weights[i] * off * off;
    third += weights[i] * off * off * off;
  }
  second /= n;
  return second > 0 ? third / n / std::pow(second, 1.5) : 0;
}

}  // namespace

std::vector<std::uint32_t> occurrences(const Neighbours& neighbours, std::size_t count) {
  std::vector<std::uint32_t> counts(count);
  for (const std::uint32_t row : neighbours.rows) {
    BOON_CHECK(row < count);
    ++counts[row];
  }
  return counts;
}

Hubness hubness(const Neighbours& neighbours, std::size_t count, std::uint64_t seed) {
  Hubness result;
  if (neighbours.rows.empty()) return result;
  std::vector<std::uint32_t> counts = occurrences(neighbours, count);
  result.skewness = bootstrap(count, seed, [&](Weights weights) { return skewness(counts, weights); });
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const auto never = static_cast<double>(std::count(counts.begin(), counts.end(), 0U));
  result.never = never / static_cast<double>(count);
  result.largest = counts.front();
  double top = 0;
  for (std::size_t i = 0; i < (count + 99) / 100; ++i) top += counts[i];
  result.top_share = top / static_cast<double>(neighbours.rows.size());
  return result;
}

}  // namespace boon::geometry
