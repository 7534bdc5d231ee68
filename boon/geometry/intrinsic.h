// Intrinsic dimension: how many numbers it takes to say where a point is among its neighbours. Points of R^1000 that
// lie on a curve have 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "boon/geometry/estimate.h"
#include "boon/geometry/neighbours.h"

namespace boon::geometry {

// Both take lengths, so the space must be l2 or cosine, and look at points without copies: a point whose nearest
// neighbour is nearer than a millionth of its second (a copy, up to rounding) is passed over. Nothing is answered where
// fewer than three points are left, or where all distances of each are equal. The intervals are bootstrapped
// over chains of nearest neighbours, which err together, and where these are few over points too.
struct IntrinsicDimension {
  Estimate dimension;
  std::size_t points = 0;  // looked at
};

// By the ratio of the distances of the second and the first neighbour, whose logarithm is exponential with the
// dimension as its rate: the slope of -log(1 - F) through the origin, without the largest ratios, the share
// `discarded`. Neighbours need k >= 2. Facco, d'Errico, Rodriguez & Laio, "Estimating the intrinsic dimension of
// datasets by a minimal neighborhood information", Scientific Reports 7, 2017. Too low in high dimension, as all such
// estimates are: points on a border see neighbours on one side alone.
std::optional<IntrinsicDimension> two_nearest(const Neighbours& neighbours, double discarded = 0.1,
                                              std::uint64_t seed = 1);

// By maximum likelihood from all k distances of each point (Levina & Bickel, NIPS 2004), averaged over points as
// inverses: MacKay & Ghahramani, "Comments on 'Maximum Likelihood Estimation of Intrinsic Dimension'", 2005. Needs k >=
// 2; sees a larger scale than two_nearest(), with less noise.
std::optional<IntrinsicDimension> maximum_likelihood(const Neighbours& neighbours, std::uint64_t seed = 1);

}  // namespace boon::geometry
