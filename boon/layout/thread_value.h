// Thread-value layouts: which elements of a tile each thread holds.
#pragma once

#include "boon/layout/inverse.h"
#include "boon/layout/product.h"

namespace boon::layout {

struct ThreadValue {
  Layout tile;    // from a coordinate of the tile to thread + threads * value
  Layout tv;      // from (thread, value) to the place in the tile, counted with its leftmost mode fastest
  Tuple extents;  // of the tile, mode by mode
};

// Threads laid out by `threads` over a tile, each with the elements that `values` says next to each other. Compose the
// tile of a data layout with tv to get what each thread reads. Throws unless both take each number from 0 on once.
constexpr ThreadValue make_tv_layout(const Layout& threads, const Layout& values) {
  const Layout tile = raked_product(threads, values);
  const Layout inverse = right_inverse(tile);
  if (size(inverse) != size(tile)) {
    refuse({Rule::not_one_to_one_and_onto, 0, size(tile), 0, size(inverse)}, "make_tv_layout", threads, values);
  }
  return {tile, composition(inverse, col_major({size(threads), size(values)})), product_each(tile.shape)};
}

}  // namespace boon::layout
