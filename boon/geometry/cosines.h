// Cosines of pairs of points beside those that random directions would have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/geometry/estimate.h"
#include "boon/geometry/points.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {

struct Cosines {
  static constexpr std::size_t kBins = 200;  // of width 1/100, from -1 to 1

  std::size_t pairs = 0;  // looked at: those of which neither vector is zero; all below is 0 if there are none
  Estimate mean;          // analytic: pairs are drawn independently
  double sd = 0;
  double min = 0;
  double max = 0;
  std::array<std::size_t, kBins> histogram{};
  // The dimension of a sphere on which random directions would have such cosines: 1 / mean(cos^2). At most the
  // dimension of the points but for chance, and far less where a few directions rule.
  double effective_dim = 0;
  // What random directions in the points' dimension have: mean 0, this standard deviation, 1 / sqrt(d).
  double expected_sd = 0;
  // The largest gap between the shares of pairs below a cosine, measured and predicted (Kolmogorov and Smirnov): 0
  // to 1.
  double gap = 0;
};

// `mean`, empty or of the dimension, is taken from each point first. Pairs must be rows of the points. Cosines are in
// double, the same on every machine but for the last bits of a square root.
Cosines measure_cosines(const Points& points, const std::vector<Pair>& pairs, const std::vector<double>& mean = {});

}  // namespace boon::geometry
