// What a layout leaves out.
#pragma once

#include <cstdint>

#include "boon/layout/coalesce.h"
#include "boon/layout/layout.h"

namespace boon::layout {
namespace internal {

enum class Negative { refused, left_out };

// The modes that move, by rising stride.
struct SortedModes {
  std::int64_t extent[kLeavesMax] = {};
  std::int64_t stride[kLeavesMax] = {};
  std::int64_t before[kLeavesMax] =
      {};  // the product of the extents to the left of the mode: its own stride as an index
  int count = 0;

  // Coalesces l first. Throws for basis vectors.
  constexpr SortedModes(const Layout& l, const char* operation, Negative negative) {
    const Layout flat = coalesce(l);
    if (has_basis_strides(flat)) refuse({Rule::strides_are_basis_vectors}, operation, l);
    std::int64_t product = 1;
    for (int i = 0; i < flat.shape.count; product *= flat.shape.value[i], ++i) {
      const std::int64_t s = flat.shape.value[i];
      const std::int64_t d = flat.stride.value[i];
      if (s == 1 || d == 0 || (d < 0 && negative == Negative::left_out)) continue;
      if (d < 0) refuse({Rule::stride_negative, i, s, d}, operation, l);
      insert(s, d, product);
    }
  }

 private:
  constexpr void insert(std::int64_t s, std::int64_t d, std::int64_t product) {
    int at = count++;
    for (; at > 0 && stride[at - 1] > d; --at) {
      extent[at] = extent[at - 1];
      stride[at] = stride[at - 1];
      before[at] = before[at - 1];
    }
    extent[at] = s;
    stride[at] = d;
    before[at] = product;
  }
};

// What lies between the modes of a layout.
struct Gaps {
  Modes modes;               // of each gap as many repetitions of what is below it as go into it whole
  std::int64_t covered = 1;  // offsets below this are taken, by the layout and the gaps
  Refusal uneven;            // of the first gap that repetitions do not fill

  constexpr Gaps(const Layout& l, const char* operation) {
    const SortedModes sorted(l, operation, Negative::refused);
    for (int i = 0; i < sorted.count; ++i) {
      const std::int64_t s = sorted.extent[i];
      const std::int64_t d = sorted.stride[i];
      if (d < covered) refuse({Rule::strides_overlap, i, s, d, covered}, operation, l);
      if (d % covered != 0 && !uneven) uneven = {Rule::gap_not_filled_by_repeating, i, s, d, covered};
      if (d / covered > 1) modes.append_leaf(d / covered, covered);
      if (!multiply(s, d, covered)) refuse({Rule::overflows_64_bits, i, s, d}, operation, l);
    }
  }

  // The gaps, then the same again and again after the end: `times` in all.
  constexpr Layout repeated(std::int64_t times) const {
    Modes all = modes;
    if (times > 1) all.append_leaf(times, covered);
    return coalesce(all.unwrapped());
  }
};

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return (a - 1) / b + 1;
}

}  // namespace internal

// The layout of the gaps: ordered, disjoint from l but for offset 0, and together with l reaching at least `cotarget`
// offsets. Gaps whose width is no multiple of what is below them are filled as far as whole repetitions go. Throws
// where the modes of l overlap.
constexpr Layout complement(const Layout& l, std::int64_t cotarget) {
  if (cotarget <= 0) refuse({Rule::extent_not_positive, 0, cotarget}, "complement", l, cotarget);
  const internal::Gaps gaps(l, "complement");
  return gaps.repeated(internal::divided_up(cotarget, gaps.covered));
}

constexpr Layout complement(const Layout& l) {
  return complement(l, cosize(filter(l)));
}

}  // namespace boon::layout
