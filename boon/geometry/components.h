// What the numbers of a set of points are like: lengths, ranges, whether they are whole.
#pragma once

#include <cstddef>

#include "boon/geometry/estimate.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

struct Components {
  Spread norms;           // lengths of the rows
  std::size_t zeros = 0;  // rows of zeros
  float min = 0;          // of all components
  float max = 0;
  double zero_share = 0;      // of all components
  bool bytes = false;         // every component is a whole number from 0 to 255
  std::size_t constants = 0;  // columns with one value in all rows
  double largest_column = 0;  // the share of all variance in the column that varies most; 0 where nothing varies
};

// O(count * dim). Throws as check_points() for at least one row.
Components measure_components(const Points& points);

}  // namespace boon::geometry
