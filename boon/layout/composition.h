// Composition, checked: (A ∘ B)(i) = A(B(i)) for each i below size(B), with the form of B; or a refusal, never another
// layout.
//
// A leaf s:d of B takes s steps of d through A's modes S:D, from the left. In each mode it either stays within it, goes
// past it in whole rounds, or takes S/d steps a round in s/(S/d) rounds, which go on in the next mode. Anything else
// has no strides and is refused. Two leaves together must not step over a mode's end either, where each alone would
// not: then the next mode would have to count one more.
#pragma once

#include <cstdint>

#include "boon/layout/coalesce.h"
#include "boon/layout/layout.h"
#include "boon/layout/tiler.h"

namespace boon::layout {

// A layout, or why there is none.
struct ComposeResult {
  Layout layout;
  Refusal refusal;

  constexpr explicit operator bool() const { return refusal.rule == Rule::none; }
};

namespace internal {

// The modes of A that leaves of B step through: all of them together, or each mode by itself for strides k E_i.
struct Steps {
  Modes modes;
  int begin[kLeavesMax + 1] = {};  // of each mode that is stepped through by itself, then the end of the last
  int parts = 0;
  std::int64_t used[kLeavesMax] = {};  // the furthest that the leaves so far go together in each

  constexpr Steps(const Layout& a, bool by_mode) {
    if (!by_mode) add_part(a);
    Run m = by_mode ? first_mode(a.shape) : Run{a.shape.count, a.shape.count};
    for (; m.begin < a.shape.count; m = next_mode(a.shape, m)) add_part(sublayout(a, m));
  }
  constexpr void add_part(const Layout& part) {
    const Modes leaves = merged_leaves(part, Last::kept);
    modes.shape.append(leaves.shape);
    modes.stride.append(leaves.stride);
    begin[++parts] = modes.shape.count;
  }

  // The leaf s:d of B, number `leaf`, as modes of the result.
  constexpr Refusal compose(int leaf, std::int64_t s, std::int64_t d, int part, Modes& out) {
    const int first = begin[part];
    const int last = begin[part + 1] - 1;
    if (d == 0 || (s == 1 && last > first)) return emit(leaf, s, 0, 0, out);
    if (last > first && d < 0) return {Rule::rhs_stride_negative, leaf, s, d};
    for (int k = first; k < last && s > 1; ++k) {
      const std::int64_t extent = modes.shape.value[k];
      std::int64_t furthest = 0;
      std::int64_t steps = s;  // in this mode
      if (!multiply(s - 1, d, furthest) || furthest >= extent) {
        if (d % extent == 0) {
          d /= extent;
          continue;
        }
        if (extent % d != 0) return {Rule::rhs_stride_does_not_divide_lhs_extent, leaf, s, d, extent};
        steps = extent / d;
        if (s % steps != 0) return {Rule::rhs_extent_not_a_multiple_of_lhs_chunk, leaf, s, d, steps};
        furthest = (steps - 1) * d;
      }
      if (!add(used[k], furthest, used[k]) || used[k] >= extent) {
        return {Rule::rhs_leaves_carry_into_next_lhs_mode, leaf, s, d, extent};
      }
      if (const Refusal refusal = emit(leaf, steps, d, k, out)) return refusal;
      s /= steps;
      d = 1;
    }
    return s > 1 || last == first ? emit(leaf, s, d, last, out) : Refusal{};
  }

 private:
  // s steps of d in mode k of A.
  constexpr Refusal emit(int leaf, std::int64_t s, std::int64_t d, int k, Modes& out) const {
    if (out.shape.count == kLeavesMax) return {Rule::too_many_leaves, leaf, s, d, kLeavesMax};
    Tuple stride = d == 0 ? Tuple(0) : subtuple(modes.stride, {k, k + 1});
    if (!multiply(d, stride.value[0], stride.value[0]) || stride.value[0] == INT64_MIN) {
      return {Rule::overflows_64_bits, leaf, s, d};
    }
    out.append_leaf(s, stride);
    return {};
  }
};

}  // namespace internal

// A ∘ B. Strides k E_i of B step through mode i of A alone, so (4,4):(E1,E0) transposes.
constexpr ComposeResult try_compose(const Layout& a, const Layout& b) {
  internal::Steps steps(a, has_basis_strides(b));
  Tuple shape;
  Tuple stride;
  for (int i = 0; i < b.shape.count; ++i) {
    const int part = b.stride.axis[i] == 0 ? 0 : b.stride.axis[i] - 1;
    const std::int64_t s = b.shape.value[i];
    const std::int64_t d = b.stride.value[i];
    if (part >= steps.parts) return {{}, {Rule::rhs_axis_not_in_lhs, i, s, part, steps.parts}};
    Modes leaf;
    if (const Refusal refusal = steps.compose(i, s, d, part, leaf)) return {{}, refusal};
    const int n = leaf.shape.count;
    if (shape.count + n > kLeavesMax) return {{}, {Rule::too_many_leaves, i, s, d, kLeavesMax}};
    for (int k = 0; k < n; ++k) {
      // Several modes in place of a leaf get parentheses of their own.
      const int opens = k == 0 ? b.shape.opens[i] + (n > 1) : 0;
      const int closes = k == n - 1 ? b.shape.closes[i] + (n > 1) : 0;
      shape.append_leaf(leaf.shape, k, opens, closes);
      stride.append_leaf(leaf.stride, k, opens, closes);
    }
  }
  if (shape.depth() > kDepthMax) return {{}, {Rule::too_deep, 0, 0, 0, kDepthMax}};
  if (const Refusal refusal = Layout::broken_invariant(shape, stride)) return {{}, refusal};
  return {{shape, stride}, {}};
}

constexpr Layout composition(const Layout& a, const Layout& b) {
  const ComposeResult result = try_compose(a, b);
  refuse(result.refusal, "composition", a, b);
  return result.layout;
}

// Mode i of A with tile i; A's further modes are dropped.
constexpr Layout composition(const Layout& a, const Tiler& b) {
  if (rank(b) > rank(a)) refuse({Rule::tiler_has_more_modes_than_layout, 0, rank(b), 0, rank(a)}, "composition", a, b);
  Modes result;
  for (int i = 0; i < rank(b); ++i) result.append(b.leaves(i) ? mode(a, i) : composition(mode(a, i), b.tile(i)));
  return result.grouped();
}

}  // namespace boon::layout
