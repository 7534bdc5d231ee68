// Divides: a layout split into a tile and what counts the tiles.
//
// With a layout as tile the division is of the whole, in its order; with a tiler it is of each mode by itself. Of
// (M,N,L) by <T,U> the results have these modes:
//   logical ((T,m),(U,n),L)    zipped ((T,U),(m,n,L))    tiled ((T,U),m,n,L)    flat (T,U,m,n,L)
// Where a tile does not go up evenly the last one hangs over, so size grows and its elements need a predicate
// (partition.h): 10:1 by 4:1 is (4,3):(1,4).
#pragma once

#include "boon/layout/complement.h"
#include "boon/layout/composition.h"
#include "boon/layout/layout.h"
#include "boon/layout/regroup.h"
#include "boon/layout/tiler.h"

namespace boon::layout {

// A ∘ (B, complement(B, size(A))).
constexpr Layout logical_divide(const Layout& a, const Layout& b) {
  // Tiles that leave gaps between each other would lose the elements there.
  const internal::Gaps gaps(b, "logical_divide");
  refuse(gaps.uneven, "logical_divide", a, b);
  const Layout rest = gaps.repeated(internal::divided_up(size(a), gaps.covered));
  const ComposeResult result = try_compose(a, make_layout(b, rest));
  Refusal refusal = result.refusal;
  if (refusal && refusal.mode >= b.shape.count) {
    // The tile fits and what counts the tiles does not: they would hang over the columns of a, not over its end.
    refusal = {Rule::rest_needs_a_tiler_by_mode, refusal.mode, refusal.extent, refusal.stride, size(b)};
  }
  refuse(refusal, "logical_divide", a, b);
  return result.layout;
}
constexpr Layout logical_divide(const Layout& a, const Tiler& b) {
  return internal::pairs_by_mode(a, b, "logical_divide",
                                 [](const Layout& m, const Layout& tile) { return logical_divide(m, tile); });
}

namespace internal {
constexpr Halves divide(const Layout& a, const Layout& b) {
  const Layout pair = logical_divide(a, b);
  return {mode(pair, 0), mode(pair, 1)};
}
constexpr Halves divide(const Layout& a, const Tiler& b) {
  return halves_by_mode(a, b, "divide", [](const Layout& m, const Layout& tile) { return logical_divide(m, tile); });
}
}  // namespace internal

constexpr Layout zipped_divide(const Layout& a, const Layout& b) {
  return internal::divide(a, b).zipped();
}
constexpr Layout zipped_divide(const Layout& a, const Tiler& b) {
  return internal::divide(a, b).zipped();
}
constexpr Layout tiled_divide(const Layout& a, const Layout& b) {
  return internal::divide(a, b).tiled();
}
constexpr Layout tiled_divide(const Layout& a, const Tiler& b) {
  return internal::divide(a, b).tiled();
}
constexpr Layout flat_divide(const Layout& a, const Layout& b) {
  return internal::divide(a, b).flat();
}
constexpr Layout flat_divide(const Layout& a, const Tiler& b) {
  return internal::divide(a, b).flat();
}

}  // namespace boon::layout
