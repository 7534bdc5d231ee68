// A tiler: a tile for each mode of a layout, as in <3:1,(2,4):(1,8)>. <2,3> is short for <2:1,3:1>, and "_" leaves a
// mode as it is.
#pragma once

#include <concepts>
#include <cstdint>

#include "boon/layout/layout.h"

namespace boon::layout {

struct Tiler {
  Tuple shape;  // a tuple of the tiles' shapes; kAll for a mode that is left as it is
  Tuple stride;

  constexpr bool leaves(int i) const { return mode(shape, i) == Tuple(kAll); }
  constexpr Layout tile(int i) const { return {mode(shape, i), mode(stride, i)}; }

  friend constexpr bool operator==(const Tiler&, const Tiler&) = default;
};

constexpr int rank(const Tiler& t) {
  return rank(t.shape);
}

namespace internal {
constexpr void append_tile(Modes& tiles, const Layout& tile) {
  tiles.append(tile);
}
constexpr void append_tile(Modes& tiles, std::integral auto extent) {
  const auto n = static_cast<std::int64_t>(extent);
  if (n != kAll) return tiles.append(Layout(n, 1));
  tiles.append_leaf(kAll, 1);
}
}  // namespace internal

// tiler(3, layout) is <3:1,layout>, tiler(kAll, 2) is <_,2:1>.
template <class... Tile>
constexpr Tiler tiler(const Tile&... tiles) {
  Modes all;
  (internal::append_tile(all, tiles), ...);
  return {all.shape.grouped(), all.stride.grouped()};
}

// The tiler of a tile with this many elements in each mode: (2,3) gives <2:1,3:1>.
constexpr Tiler tiler_of(const Tuple& tile) {
  if (depth(tile) > 1) refuse({Rule::tile_is_nested}, "tiler", tile);
  Modes all;
  for (int i = 0; i < tile.count; ++i) internal::append_tile(all, tile.value[i]);
  return {all.shape.grouped(), all.stride.grouped()};
}

}  // namespace boon::layout
