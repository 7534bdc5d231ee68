// Products: a layout repeated as another says.
#pragma once

#include <cstdint>

#include "boon/layout/complement.h"
#include "boon/layout/composition.h"
#include "boon/layout/layout.h"
#include "boon/layout/regroup.h"
#include "boon/layout/tiler.h"

namespace boon::layout {

// (A, complement(A, M) ∘ B): copies of A in the places that A leaves free, in the order of B. M is size(A) cosize(B),
// or more where repetitions of A leave gaps open, so that there are cosize(B) places in any case.
constexpr Layout logical_product(const Layout& a, const Layout& b) {
  const internal::Gaps gaps(a, "logical_product");
  std::int64_t room = 0;
  if (!multiply(size(a), cosize(b), room)) {
    refuse({Rule::overflows_64_bits, 0, size(a), cosize(b)}, "logical_product", a, b);
  }
  const std::int64_t to_room = internal::divided_up(room, gaps.covered);
  const std::int64_t to_places = internal::divided_up(cosize(b), size(gaps.modes.unwrapped()));
  const ComposeResult copies = try_compose(gaps.repeated(to_room > to_places ? to_room : to_places), b);
  refuse(copies.refusal, "logical_product", a, b);
  return make_layout(a, copies.layout);
}
// Mode by mode, each in the places that its own mode leaves free. Modes that are laid into each other may then take an
// offset twice; blocked_product() and raked_product() do not.
constexpr Layout logical_product(const Layout& a, const Tiler& b) {
  return internal::pairs_by_mode(a, b, "logical_product",
                                 [](const Layout& m, const Layout& tile) { return logical_product(m, tile); });
}

namespace internal {

constexpr Halves product(const Layout& a, const Layout& b) {
  const Layout pair = logical_product(a, b);
  return {mode(pair, 0), mode(pair, 1)};
}
constexpr Halves product(const Layout& a, const Tiler& b) {
  return halves_by_mode(a, b, "product", [](const Layout& m, const Layout& tile) { return logical_product(m, tile); });
}

// At least this many modes, those added being 1:0.
constexpr Layout padded(const Layout& l, int modes) {
  if (rank(l) >= modes) return l;
  Modes result;
  for (int i = 0; i < modes; ++i) result.append(i < rank(l) ? mode(l, i) : Layout());
  return result.grouped();
}

enum class Inner { block, copies };
constexpr Layout zipped_product_of(const Layout& a, const Layout& b, Inner inner) {
  const int modes = rank(a) > rank(b) ? rank(a) : rank(b);
  const Halves halves = product(padded(a, modes), padded(b, modes));
  Modes result;
  for (int i = 0; i < modes; ++i) {
    const Layout block = mode(halves.tile, i);
    const Layout copies = mode(halves.rest, i);
    result.append(inner == Inner::block ? make_layout(block, copies) : make_layout(copies, block));
  }
  return result.grouped();
}

}  // namespace internal

constexpr Layout zipped_product(const Layout& a, const Layout& b) {
  return internal::product(a, b).zipped();
}
constexpr Layout zipped_product(const Layout& a, const Tiler& b) {
  return internal::product(a, b).zipped();
}
constexpr Layout tiled_product(const Layout& a, const Layout& b) {
  return internal::product(a, b).tiled();
}
constexpr Layout tiled_product(const Layout& a, const Tiler& b) {
  return internal::product(a, b).tiled();
}
constexpr Layout flat_product(const Layout& a, const Layout& b) {
  return internal::product(a, b).flat();
}
constexpr Layout flat_product(const Layout& a, const Tiler& b) {
  return internal::product(a, b).flat();
}

// Blocks of A side by side, laid out by B: mode i is (A's, B's).
constexpr Layout blocked_product(const Layout& a, const Layout& b) {
  return internal::zipped_product_of(a, b, internal::Inner::block);
}
// The elements of A's copies between each other: mode i is (B's, A's).
constexpr Layout raked_product(const Layout& a, const Layout& b) {
  return internal::zipped_product_of(a, b, internal::Inner::copies);
}

// Strides without gaps, fastest where the order is lowest: ordered_layout((4,3), (1,0)) is (4,3):(3,1). Where the order
// has one number for a tuple of the shape, and where numbers are equal, the left comes first.
constexpr Layout ordered_layout(const Tuple& shape, const Tuple& order) {
  if (!weakly_congruent(order, shape)) refuse({Rule::profile_does_not_fit}, "ordered_layout", shape, order);
  std::int64_t place_of[kLeavesMax] = {};
  for (int i = 0, o = 0; i < shape.count; ++o) {
    // The leaf o of the order stands for as many leaves of the shape as it takes to be through its parentheses.
    int open = 0;
    do {
      place_of[i] = order.value[o];
      open += shape.opens[i] - shape.closes[i];
      ++i;
    } while (i < shape.count && open > order.opens[o] - order.closes[o]);
  }
  Tuple stride = shape;
  std::int64_t next = 1;
  bool done[kLeavesMax] = {};
  for (int step = 0; step < shape.count; ++step) {
    int first = -1;
    for (int i = 0; i < shape.count; ++i) {
      if (!done[i] && (first < 0 || place_of[i] < place_of[first])) first = i;
    }
    done[first] = true;
    stride.value[first] = next;
    if (!multiply(next, shape.value[first], next)) break;  // the constructor says so
  }
  return {shape, stride};
}

// Repeats a block until it covers the target shape, mode by mode; where it does not go up evenly it hangs over.
constexpr Layout tile_to_shape(const Layout& block, const Tuple& target, const Tuple& order) {
  if (rank(block) > rank(target)) refuse({Rule::profile_does_not_fit}, "tile_to_shape", block, target);
  const Layout all = internal::padded(block, rank(target));
  Tuple copies;
  for (int i = 0; i < rank(target); ++i) {
    const std::int64_t extent = size(mode(target, i));
    if (extent <= 0) refuse({Rule::extent_not_positive, i, extent}, "tile_to_shape", block, target);
    copies.append((extent - 1) / size(mode(all, i)) + 1);
  }
  if (!target.is_leaf()) copies = copies.grouped();
  return blocked_product(all, ordered_layout(copies, order));
}
constexpr Layout tile_to_shape(const Layout& block, const Tuple& target) {
  return tile_to_shape(block, target, 0);
}

}  // namespace boon::layout
