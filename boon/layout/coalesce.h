// The same function with fewer modes.
#pragma once

#include "boon/layout/layout.h"

namespace boon::layout {
namespace internal {

// Whether the leaf at the end of `flat` steps on into s:d, the leaf i of `strides`, as one mode.
constexpr bool continues(const Modes& flat, const Tuple& strides, int i) {
  const int last = flat.shape.count - 1;
  std::int64_t next = 0;
  return last >= 0 && flat.stride.axis[last] == strides.axis[i] &&
         multiply(flat.shape.value[last], flat.stride.value[last], next) && next == strides.value[i];
}

// The leaves without those of extent 1, neighbours merged. The last mode of a layout goes on for ever, so for what lies
// beyond the size its stride counts even where its extent is 1.
enum class Last { as_others, kept };
constexpr Modes merged_leaves(const Layout& l, Last last) {
  Modes flat;
  for (int i = 0; i < l.shape.count; ++i) {
    const bool kept = last == Last::kept && i == l.shape.count - 1;
    if (l.shape.value[i] == 1 && !kept) continue;
    if (continues(flat, l.stride, i)) {
      flat.shape.value[flat.shape.count - 1] *= l.shape.value[i];
    } else {
      flat.shape.append_leaf(l.shape, i, 0, 0);
      flat.stride.append_leaf(l.stride, i, 0, 0);
    }
  }
  return flat;
}

}  // namespace internal

// The shortest flat layout with the same offsets in [0, size): modes of extent 1 go, neighbours that continue each
// other become one. What is left of nothing is 1:0.
constexpr Layout coalesce(const Layout& l) {
  return internal::merged_leaves(l, internal::Last::as_others).unwrapped();
}

// The same for each mode that the profile has a number for; further modes stay as they are.
constexpr Layout coalesce(const Layout& l, const Tuple& profile) {
  if (profile.is_leaf()) return coalesce(l);
  if (l.shape.is_leaf() || rank(profile) > rank(l)) refuse({Rule::profile_does_not_fit}, "coalesce", l, profile);
  Modes result;
  Run p = first_mode(profile);
  for (Run m = first_mode(l.shape); m.begin < l.shape.count; m = next_mode(l.shape, m)) {
    const bool covered = p.begin < profile.count;
    result.append(covered ? coalesce(sublayout(l, m), subtuple(profile, p)) : sublayout(l, m));
    if (covered) p = next_mode(profile, p);
  }
  return result.grouped();
}

// Without the modes that stay in place, of stride 0 or extent 1: the same set of offsets, coalesced.
constexpr Layout filter(const Layout& l) {
  Modes moving;
  for (int i = 0; i < l.shape.count; ++i) {
    if (l.stride.value[i] == 0) continue;
    moving.shape.append_leaf(l.shape, i, 0, 0);
    moving.stride.append_leaf(l.stride, i, 0, 0);
  }
  return coalesce(moving.unwrapped());
}

}  // namespace boon::layout
