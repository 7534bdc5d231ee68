// How much a projection changes distances.
#pragma once

#include <cstddef>
#include <vector>

#include "boon/geometry/estimate.h"
#include "boon/geometry/points.h"
#include "boon/geometry/projection.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {

struct Distortion {
  std::size_t target = 0;
  std::size_t pairs = 0;  // looked at: those at a distance above 0
  // Of |P(x - y)|^2 / |x - y|^2, which is 1 where nothing is changed. All 0 without pairs.
  Spread ratio;
  // The largest |ratio - 1|: the eps that the projection has kept on these pairs.
  double worst = 0;
  // What theory says of the ratio's standard deviation under a Gaussian projection: sqrt(2 / target), whatever the
  // points.
  double expected_sd = 0;
  // What the lemma of Johnson and Lindenstrauss promises of all pairs of the points at once, of a projection that is
  // lucky: `worst` is at most this. 1 where the target is too small for a promise.
  double bound = 1;
};

Distortion measure_distortion(const Points& points, const std::vector<Pair>& pairs, const Projection& projection);

}  // namespace boon::geometry
