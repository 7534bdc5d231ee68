// Inverses of layouts, and the longest vectors that two layouts have in common.
#pragma once

#include <cstdint>

#include "boon/layout/complement.h"
#include "boon/layout/composition.h"
#include "boon/layout/layout.h"

namespace boon::layout {

// R with L(R(i)) = i for each i below size(R), which is as large as the offsets of L go on from 0 without a gap.
constexpr Layout right_inverse(const Layout& l) {
  const internal::SortedModes modes(l, "right_inverse", internal::Negative::left_out);
  Modes result;
  std::int64_t next = 1;
  for (int i = 0; i < modes.count; ++i) {
    if (modes.stride[i] != next) continue;
    result.append_leaf(modes.extent[i], modes.before[i]);
    if (!multiply(next, modes.extent[i], next)) break;
  }
  return result.unwrapped();
}

// R with L(R(L(i))) = L(i) for each i; offsets that L does not take are given some coordinate. Throws unless each
// stride is a multiple of the one before it and modes do not overlap.
constexpr Layout left_inverse(const Layout& l) {
  const internal::SortedModes modes(l, "left_inverse", internal::Negative::refused);
  Modes result;
  if (modes.count > 0 && modes.stride[0] > 1) result.append_leaf(modes.stride[0], 0);
  for (int i = 0; i < modes.count; ++i) {
    const std::int64_t s = modes.extent[i];
    const std::int64_t d = modes.stride[i];
    if (i == modes.count - 1) {
      result.append_leaf(s, modes.before[i]);
      break;
    }
    const std::int64_t next = modes.stride[i + 1];
    if (next % d != 0) refuse({Rule::stride_not_a_multiple, i, modes.extent[i + 1], next, d}, "left_inverse", l);
    if (next / d < s) refuse({Rule::strides_overlap, i, modes.extent[i + 1], next, s * d}, "left_inverse", l);
    result.append_leaf(next / d, modes.before[i]);
  }
  return result.unwrapped();
}

// The coordinates from 0 on along which both layouts take the offsets 0, 1, 2, …: a copy between them may go in vectors
// of this size, as far as addresses are aligned. Where a does not compose with all of b's inverse, a shorter one.
constexpr Layout max_common_layout(const Layout& a, const Layout& b) {
  Layout inverse = right_inverse(b);
  ComposeResult both = try_compose(a, inverse);
  for (int modes = inverse.shape.count - 1; !both && modes > 0; --modes) {
    Modes fewer;
    for (int i = 0; i < modes; ++i) fewer.append(mode(inverse, i));
    inverse = fewer.unwrapped();
    both = try_compose(a, inverse);
  }
  if (!both) return {};
  const Layout common = coalesce(both.layout);
  if (common.stride.value[0] != 1 || common.stride.axis[0] != 0) return {};
  return composition(inverse, Layout(common.shape.value[0], 1));
}

constexpr std::int64_t max_common_vector(const Layout& a, const Layout& b) {
  return size(max_common_layout(a, b));
}

}  // namespace boon::layout
