// A number measured on a sample, with the interval that it is known to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace boon::geometry {

// `low` and `high` are the ends of a 95% confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// How often each item counts: 1 for the sample as it is, 0 and more for a resample.
using Weights = std::span<const std::uint32_t>;

// The percentile bootstrap (Efron, "Bootstrap methods: another look at the jackknife", Ann. Statist. 7(1), 1979): the
// statistic of `resamples` draws of n items from n, with replacement, between their 2.5th and 97.5th percentiles. It
// takes the items as independent; what they share (neighbours, for one) makes the true interval wider.
Estimate bootstrap(std::size_t n, std::uint64_t seed, const std::function<double(Weights)>& statistic,
                   std::size_t resamples = 400);

// The same for items that hang together: groups are drawn, each with all its items. group_of[i] < groups.
Estimate bootstrap_groups(std::span<const std::uint32_t> group_of, std::size_t groups, std::uint64_t seed,
                          const std::function<double(Weights)>& statistic, std::size_t resamples = 400);

// A mean of n independent values with this standard deviation; analytic, value +- 1.96 sd / sqrt(n).
Estimate mean_estimate(double mean, double sd, std::size_t n) noexcept;

// Mean and standard deviation (divided by n - 1) of values in double; zeros for none, sd 0 for one.
struct Spread {
  double mean = 0;
  double sd = 0;
  double min = 0;
  double max = 0;
};
Spread spread_of(std::span<const double> values) noexcept;

// The value at the share `q` of the sorted values, 0 to 1, interpolated; 0 of none.
double quantile(std::span<const double> sorted, double q) noexcept;

}  // namespace boon::geometry
