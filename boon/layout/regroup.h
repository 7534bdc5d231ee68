// The three forms in which divides and products by mode hand out their halves.
#pragma once

#include "boon/layout/layout.h"
#include "boon/layout/tiler.h"

namespace boon::layout::internal {

// Of each mode what belongs to the tile, and what counts the tiles: a divide or a product by mode, unzipped.
struct Halves {
  Layout tile;
  Layout rest;

  constexpr Layout zipped() const { return make_layout(tile, rest); }
  constexpr Layout tiled() const {
    Modes result;
    result.append(tile);
    append_modes(result, rest);
    return result.grouped();
  }
  constexpr Layout flat() const {
    Modes result;
    append_modes(result, tile);
    append_modes(result, rest);
    return result.grouped();
  }

 private:
  static constexpr void append_modes(Modes& to, const Layout& l) {
    for (int i = 0; i < rank(l); ++i) to.append(mode(l, i));
  }
};

// The halves of operation(mode i, tile i) for each mode that the tiler has a tile for. A mode that it leaves alone is
// all tile; further modes of l are all rest.
template <class Operation>
constexpr Halves halves_by_mode(const Layout& l, const Tiler& tiler, const char* name, const Operation& operation) {
  if (rank(tiler) > rank(l))
    refuse({Rule::tiler_has_more_modes_than_layout, 0, rank(tiler), 0, rank(l)}, name, l, tiler);
  Modes tiles;
  Modes rests;
  for (int i = 0; i < rank(l); ++i) {
    if (i >= rank(tiler)) {
      rests.append(mode(l, i));
    } else if (tiler.leaves(i)) {
      tiles.append(mode(l, i));
      rests.append(Layout());
    } else {
      const Layout pair = operation(mode(l, i), tiler.tile(i));
      tiles.append(mode(pair, 0));
      rests.append(mode(pair, 1));
    }
  }
  return {tiles.grouped(), rests.grouped()};
}

// The pairs themselves, mode by mode.
template <class Operation>
constexpr Layout pairs_by_mode(const Layout& l, const Tiler& tiler, const char* name, const Operation& operation) {
  if (rank(tiler) > rank(l))
    refuse({Rule::tiler_has_more_modes_than_layout, 0, rank(tiler), 0, rank(l)}, name, l, tiler);
  Modes pairs;
  for (int i = 0; i < rank(l); ++i) {
    const bool whole = i >= rank(tiler) || tiler.leaves(i);
    pairs.append(whole ? mode(l, i) : operation(mode(l, i), tiler.tile(i)));
  }
  return pairs.grouped();
}

}  // namespace boon::layout::internal
