#include "boon/geometry/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "boon/core/random.h"

namespace boon::geometry {

Estimate bootstrap_groups(std::span<const std::uint32_t> group_of, std::size_t groups, std::uint64_t seed,
                          const std::function<double(Weights)>& statistic, std::size_t resamples) {
  const std::size_t n = group_of.size();
  std::vector<std::uint32_t> weights(n, 1), drawn(groups);
  const double value = statistic(weights);
  if (groups < 2 || resamples == 0) return {value, value, value};
  Random random(seed);
  std::vector<double> found(resamples);
  for (double& one : found) {
    std::fill(drawn.begin(), drawn.end(), 0U);
    for (std::size_t i = 0; i < groups; ++i) ++drawn[random.below(groups)];
    for (std::size_t i = 0; i < n; ++i) weights[i] = drawn[group_of[i]];
    one = statistic(weights);
  }
  std::sort(found.begin(), found.end());
  return {value, std::min(value, quantile(found, 0.025)), std::max(value, quantile(found, 0.975))};
}

Estimate bootstrap(std::size_t n, std::uint64_t seed, const std::function<double(Weights)>& statistic,
                   std::size_t resamples) {
  std::vector<std::uint32_t> each(n);
  std::iota(each.begin(), each.end(), 0U);
  return bootstrap_groups(each, n, seed, statistic, resamples);
}

Estimate mean_estimate(double mean, double sd, std::size_t n) noexcept {
  constexpr double kNormal95 = 1.959963984540054;
  const double margin = n == 0 ? 0 : kNormal95 * sd / std::sqrt(static_cast<double>(n));
  return {mean, mean - margin, mean + margin};
}

Spread spread_of(std::span<const double> values) noexcept {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  Spread spread{.mean = 0, .sd = 0, .min = values[0], .max = values[0]};
  for (const double x : values) {
    spread.mean += x / n;
    spread.min = std::min(spread.min, x);
    spread.max = std::max(spread.max, x);
  }
  double squares = 0;
  for (const double x : values) squares += (x - spread.mean) * (x - spread.mean);
  spread.sd = values.size() < 2 ? 0 : std::sqrt(squares / (n - 1));
  return spread;
}

double quantile(std::span<const double> sorted, double q) noexcept {
  if (sorted.empty()) return 0;
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace boon::geometry
