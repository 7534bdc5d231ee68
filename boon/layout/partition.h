// Parts of a layout: slices, tiles, and what each of several threads takes; with the coordinates that tell which
// elements of a part are there.
//
// Tiles that do not go up evenly hang over. Partition identity_layout(shape) in the same way as the data: it gives the
// coordinate of each element, and elem_less(coordinate, shape) says whether the data has it.
#pragma once

#include <concepts>
#include <cstdint>

#include "boon/layout/divide.h"
#include "boon/layout/inverse.h"
#include "boon/layout/layout.h"
#include "boon/layout/tiler.h"

namespace boon::layout {

// A layout that begins at a place of its own.
struct Slice {
  Layout layout;
  Tuple origin = 0;  // an offset, or the coordinate where strides are basis vectors

  constexpr std::int64_t offset() const {
    if (!origin.is_leaf()) refuse({Rule::strides_are_basis_vectors}, "offset", layout, origin);
    return origin.value[0];
  }
  friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

// The value of a slice at a coordinate: an offset, or a coordinate.
constexpr Tuple evaluate(const Slice& s, const Tuple& coordinate) {
  const Tuple value = evaluate(s.layout, coordinate);
  // One of the two may be 0 for no coordinate at all, or have fewer axes.
  Tuple sum = value.is_leaf() || value.count < s.origin.count ? s.origin : value;
  const Tuple& other = value.is_leaf() || value.count < s.origin.count ? value : s.origin;
  for (int i = 0; i < other.count; ++i) {
    if (!add(sum.value[i], other.value[i], sum.value[i])) {
      refuse({Rule::overflows_64_bits, i, other.value[i], 1}, "offset", s.layout, coordinate);
    }
  }
  return sum;
}

namespace internal {
constexpr void append_sliced(Modes& kept, const Layout& l, const Tuple& coordinate) {
  if (coordinate == Tuple(kAll)) return kept.append(l);
  if (coordinate.is_leaf()) return;
  for (int i = 0; i < rank(coordinate); ++i) append_sliced(kept, mode(l, i), mode(coordinate, i));
}
}  // namespace internal

// The modes where the coordinate says "_", beginning where its numbers say: of (4,3):(1,8) at (2,_) it is 3:8 from 2.
constexpr Slice slice(const Layout& l, const Tuple& coordinate) {
  Tuple first = coordinate;
  for (std::int64_t& c : first.value) {
    if (c == kAll) c = 0;
  }
  const Tuple origin = evaluate(l, first);  // refuses a coordinate that does not fit
  Modes kept;
  internal::append_sliced(kept, l, coordinate);
  return {kept.unwrapped(), origin};
}

namespace internal {
// "_" for each mode.
constexpr Tuple all_of(const Layout& l) {
  Tuple result;
  for (int i = 0; i < rank(l); ++i) result.append(kAll);
  return l.shape.is_leaf() ? result : result.grouped();
}
}  // namespace internal

// The tile at a coordinate counted in tiles; "_" in it keeps all tiles of a mode: (8,6):(1,8) by <4,3> at (1,1) is
// (4,3):(1,8) from 28.
template <class Tile>
  requires(std::same_as<Tile, Layout> || std::same_as<Tile, Tiler>)
constexpr Slice local_tile(const Layout& l, const Tile& tile, const Tuple& coordinate) {
  const Layout divided = zipped_divide(l, tile);
  return slice(divided, tuple(internal::all_of(mode(divided, 0)), coordinate));
}
constexpr Slice local_tile(const Layout& l, const Tuple& tile, const Tuple& coordinate) {
  return tile.is_leaf() ? local_tile(l, Layout(tile, 1), coordinate) : local_tile(l, tiler_of(tile), coordinate);
}

// What thread number `thread` takes of a layout: the layout is divided by the shape of the threads, and the thread
// takes its element of each tile. Throws unless the threads' layout numbers them 0, 1, 2, … without a gap.
constexpr Slice local_partition(const Layout& l, const Layout& threads, std::int64_t thread) {
  const std::int64_t numbered = size(right_inverse(threads));
  if (numbered != size(threads)) {
    refuse({Rule::not_one_to_one_and_onto, 0, size(threads), 0, numbered}, "local_partition", l, threads);
  }
  if (thread < 0 || thread >= numbered)
    refuse({Rule::index_beyond_size, 0, thread, 0, numbered}, "local_partition", l, threads);
  const Tuple place = idx2crd(thread, threads.shape, threads.stride);
  if (place.is_leaf()) {
    const Layout divided = zipped_divide(l, Layout(threads.shape, 1));
    return slice(divided, tuple(place, internal::all_of(mode(divided, 1))));
  }
  Tuple element;
  for (int i = 0; i < rank(place); ++i) element.append(crd2idx(mode(place, i), mode(threads.shape, i)));
  const Layout divided = zipped_divide(l, tiler_of(product_each(threads.shape)));
  return slice(divided, tuple(element.grouped(), internal::all_of(mode(divided, 1))));
}

// The layout that gives each coordinate itself: (4,3):(E0,E1). A mode that is a tuple counts as one coordinate.
constexpr Layout identity_layout(const Tuple& shape) {
  Modes result;
  for (int i = 0; i < rank(shape); ++i) {
    Layout counted = col_major(mode(shape, i));
    for (int k = 0; k < counted.stride.count; ++k) counted.stride.axis[k] = static_cast<std::uint8_t>(i + 1);
    result.append(counted);
  }
  return shape.is_leaf() ? result.unwrapped() : result.grouped();
}

// Whether each number of the coordinate is below the extent, or the size of the mode, in the same place.
constexpr bool elem_less(const Tuple& coordinate, const Tuple& shape) {
  if (coordinate.is_leaf()) return coordinate.value[0] < size(shape);
  if (rank(coordinate) != rank(shape)) refuse({Rule::coordinate_does_not_fit_shape}, "elem_less", coordinate, shape);
  for (int i = 0; i < rank(coordinate); ++i) {
    if (!elem_less(mode(coordinate, i), mode(shape, i))) return false;
  }
  return true;
}

}  // namespace boon::layout
