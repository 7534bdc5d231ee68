// Whether it matters by which metric points are compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boon/geometry/points.h"

namespace boon::geometry {

struct Agreement {
  // The share of a point's 10 nearest by Euclidean distance that are among its 10 nearest by cosine: 1 where all
  // vectors are equally long. 0 of no points.
  double share = 0;
  std::size_t points = 0;  // looked at, among up to 2,000: up to 200 that are not zero
};

// The same on every machine. Throws as check_points() for at least one row, and out_of_memory.
Agreement measure_agreement(const Points& points, std::uint64_t seed = 1);

}  // namespace boon::geometry
