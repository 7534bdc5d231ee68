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

// As AMX takes its first operand: 64 components of 16 rows, one row below the other, then those of the next 16; then
// the next 64 components. Its second is a code_strip of 16 as it stands.
constexpr layout::Layout code_tiles(std::size_t width) {
  const auto tiles = static_cast<std::int64_t>(width) / 16;
  return {{{16, tiles}, {64, 1}}, {{64, 16 * 64}, {1, 16 * 64 * tiles}}};
}

static_assert(float_strip(32)(5, 7) == 7 * 32 + 5);
static_assert(code_strip(32)(5, 7) == 4 * 32 + 4 * 5 + 3);
static_assert(code_tiles(32)(17, 66) == 2 * 1024 + 1024 + 64 + 2);

}  // namespace boon::kernels
