// How much distances differ from each other: where they hardly do, "nearest" says little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/geometry/estimate.h"
#include "boon/geometry/points.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {

struct Concentration {
  // (max - min) / min of the distances from a point to all others, on average over points; it goes to 0 with the
  // dimension of independent components: Beyer, Goldstein, Ramakrishnan & Shaft, "When is 'nearest neighbor'
  // meaningful?", ICDT 1999. Bootstrapped over points.
  Estimate contrast;
  // How many times as far the mean distance is as the nearest, on average: what He, Kumar & Chang call relative
  // contrast ("On the difficulty of nearest neighbor search", ICML 2012). Bootstrapped.
  Estimate mean_to_nearest;
  // Standard deviation over mean of all these distances; of independent normal components it is about
  // 1 / sqrt(2 d), of random directions 1 / (2 sqrt(d)).
  double sd_to_mean = 0;
  double mean = 0;
  std::size_t points = 0;  // looked at: those with another at a distance above 0. All is 0 if there are none
};

// Of Euclidean distances from the rows `queries` to all others of `points`, O(queries * count * dim); copies, at
// distance 0, are left out.
Concentration measure_concentration(const Points& points, const std::vector<std::uint32_t>& queries,
                                    std::uint64_t seed = 1);

}  // namespace boon::geometry
