// Internal: where the elements of an operand lie once it is packed, said by layouts; and packing by them, one element
// after the other.
//
// A packed operand is a sequence of strips. A strip is a sequence of units, one for each step of depth; a unit holds
// what one instruction multiplies at a step: of each of the strip's rows kDepth elements that follow each other in
// depth (one fp32, two bf16, four bytes; 64 bytes for the right side of AMX). A's rows and B's columns are such rows.
//
// An operand in the caller's memory is a layout over the same coordinates (row, depth), Matrix, and packing is a copy
// from one to the other. Coordinates of the packed layout that lie outside of the operand take 0. The fast ways of
// gemm_pack.h know the packed form by heart and are tested against this one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boon/kernels/matrix.h"
#include "boon/layout/fixed.h"
#include "boon/layout/layout.h"

namespace boon::kernels {

// Units past the last strip that packing may write: a vector is stored whole where a strip is narrower.
inline constexpr std::size_t kPackSlack = 16;

// (row, depth within the unit).
template <std::size_t kRows, std::size_t kDepth>
inline constexpr layout::Layout kPackedUnit{{kRows, kDepth}, {kDepth, 1}};

// (row, (depth within the unit, unit)): the unit and then, in the second mode, as many of it as there are.
constexpr layout::Layout packed_strip(std::size_t rows, std::size_t depth, std::size_t units) {
  const auto d = static_cast<std::int64_t>(depth);
  const auto n = static_cast<std::int64_t>(rows);
  return {{n, {d, static_cast<std::int64_t>(units)}}, {d, {1, n * d}}};
}

// Packs the first kRows rows of `from`, or those that there are; its columns are depth. `convert` takes an element to
// what is packed of it.
template <std::size_t kRows, std::size_t kDepth, class Element, class Packed, class Convert>
void pack_by_layout(Matrix<const Element> from, Packed* to, Convert convert) noexcept {
  constexpr layout::Fixed<kPackedUnit<kRows, kDepth>> kUnit;
  for (std::size_t k = 0; k < from.columns; k += kDepth, to += kRows * kDepth) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t depth = 0; depth < kDepth; ++depth) {
        const bool inside = row < from.rows && k + depth < from.columns;
        to[kUnit(row, depth)] = convert(inside ? from(row, k + depth) : Element{});
      }
    }
  }
}

}  // namespace boon::kernels
