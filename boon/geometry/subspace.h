// Internal: the leading eigenvectors of a covariance that is never made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/core/parallel.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

struct Subspace {
  std::vector<double> values;   // the largest first
  std::vector<double> vectors;  // one a row, orthonormal
};

// Of the sum of (x - mean)(x - mean)^T: the `wanted` leading ones of a random subspace of dimension `size` after so
// many passes. wanted <= size <= dim.
Subspace leading_subspace(const Points& points, const std::vector<double>& mean, std::size_t wanted, std::size_t size,
                          std::size_t passes, std::uint64_t seed, ThreadPool* pool);

}  // namespace boon::geometry
