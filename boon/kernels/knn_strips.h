// Internal: the strips that rows and queries of exact search are packed into, as layouts: a coordinate (number, depth)
// goes to an offset, `number` telling which of the rows or queries side by side, `depth` which of its components. The
// last mode goes on for as many components as there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boon/layout/layout.h"

namespace boon::kernels {

// Component by component, in floats: in each, that of all the strip's rows.
constexpr layout::Layout float_strip(std::size_t width) {
  const auto side_by_side = static_cast<std::int64_t>(width);
  return {{side_by_side, 1}, {1, side_by_side}};
}

// Four components of one row, then of the next, in bytes: what a lane of 32 bits multiplies and sums at once.
constexpr layout::Layout code_strip(std::size_t width) {
  const auto side_by_side = static_cast<std::int64_t>(width);
  return {{side_by_side, {4, 1}}, {4, {1, 4 * side_by_side}}};
}

static_assert(float_strip(32)(5, 7) == 7 * 32 + 5);
static_assert(code_strip(32)(5, 7) == 4 * 32 + 4 * 5 + 3);

}  // namespace boon::kernels
