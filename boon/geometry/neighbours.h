// The nearest rows of rows, found exactly (boon/kernels/knn.h), without the row itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/progress.h"
#include "boon/geometry/points.h"
#include "boon/kernels/knn.h"

namespace boon::geometry {

// Tables of queries x k, nearest first; no queries where there are no other rows.
struct Neighbours {
  std::size_t k = 0;
  std::vector<std::uint32_t> queries;  // row numbers
  std::vector<std::uint32_t> rows;
  // Lengths, not squared: |q - x| in the space l2; under cosine between the vectors scaled to length 1, which is
  // sqrt(2 - 2 cos); under the inner product 1 - q.x, which is no length.
  std::vector<double> distances;

  std::size_t size() const noexcept { return queries.size(); }
  std::span<const double> distances_of(std::size_t query) const noexcept { return {distances.data() + query * k, k}; }
};

// Of the rows of `points` that `queries` names among all rows; k is lowered to as many others as there are. The result
// is the same on every machine and number of threads (0: all there are). `progress` may be empty. Throws what
// check_points() and kernels::knn() throw, and cancelled.
Neighbours find_neighbours(const Points& points, std::span<const std::uint32_t> queries, std::size_t k,
                           kernels::KnnSpace space, std::size_t threads = 1, const Progress& progress = {});

}  // namespace boon::geometry
