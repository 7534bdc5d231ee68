// A layout: a shape and strides of the same form, that is, a function from coordinates to offsets.
//
// (4,3):(1,8) takes a pair (i, j) to i + 8j. It takes a single number too, counted through the shape with the leftmost
// mode fastest, and, where modes are tuples, any coordinate between the two: all agree. The last mode takes whatever is
// left of an index, so a layout goes on beyond its size: 15 is (3, 3) there, and offset 27.
//
// Strides may be multiples of basis vectors E0, E1, …; the layout then gives coordinates instead of offsets
// (partition.h). A nested mode counts as one coordinate.
//
// Invariants
//  1. Shape and stride are congruent; extents are positive.
//  2. size() and cosize() fit 64 bits, so within the domain no offset overflows.
//  3. Strides that are not 0 are all integers or all multiples of basis vectors.
#pragma once

#include <concepts>
#include <cstdint>

#include "boon/core/check.h"
#include "boon/layout/coordinates.h"
#include "boon/layout/refusal.h"
#include "boon/layout/tuple.h"

namespace boon::layout {

struct Layout {
  Tuple shape = 1;
  Tuple stride = 0;

  constexpr Layout() = default;
  // Throws Error{invalid_argument} where an invariant is broken.
  constexpr Layout(const Tuple& extents, const Tuple& strides) : shape(extents), stride(strides) {
    refuse(broken_invariant(extents, strides), "layout", extents, strides);
  }

  // The offset of a coordinate: one index, or one number for each mode. Unchecked, for inner loops: the coordinate is
  // not negative, and strides are integers.
  constexpr std::int64_t operator()(std::integral auto index) const noexcept {
    return offset_in(0, shape.count, static_cast<std::int64_t>(index));
  }
  template <std::integral... Index>
    requires(sizeof...(Index) >= 2)
  constexpr std::int64_t operator()(Index... indices) const noexcept {
    std::int64_t offset = 0;
    Run m = first_mode(shape);
    ((offset += offset_in(m.begin, m.end, static_cast<std::int64_t>(indices)), m = next_mode(shape, m)), ...);
    BOON_DCHECK(m.begin == shape.count);  // as many coordinates as modes
    return offset;
  }
  // The same for a coordinate of any form, checked: throws Error{invalid_argument} where it does not fit the shape.
  constexpr std::int64_t operator()(const Tuple& coordinate) const { return crd2idx(coordinate, shape, stride); }

  static constexpr Refusal broken_invariant(const Tuple& extents, const Tuple& strides);

  friend constexpr bool operator==(const Layout&, const Layout&) = default;

 private:
  // Counted without a sign, as division is cheaper so.
  constexpr std::int64_t offset_in(int begin, int end, std::int64_t index) const noexcept {
    std::uint64_t offset = 0;
    auto rest = static_cast<std::uint64_t>(index);
    for (int i = begin; i < end - 1; ++i) {
      const auto extent = static_cast<std::uint64_t>(shape.value[i]);
      offset += rest % extent * static_cast<std::uint64_t>(stride.value[i]);
      rest /= extent;
    }
    return static_cast<std::int64_t>(offset + rest * static_cast<std::uint64_t>(stride.value[end - 1]));
  }
};

constexpr Refusal Layout::broken_invariant(const Tuple& extents, const Tuple& strides) {
  if (extents.count == 0 || !congruent(extents, strides)) return {Rule::shape_and_stride_not_congruent};
  std::int64_t elements = 1;
  std::int64_t span = 1;
  bool integers = false;
  bool vectors = false;
  for (int i = 0; i < extents.count; ++i) {
    const std::int64_t s = extents.value[i];
    const std::int64_t d = strides.value[i];
    if (extents.axis[i] != 0 || d == kAll) return {Rule::leaf_not_an_integer, i};
    if (s <= 0) return {Rule::extent_not_positive, i, s, d};
    std::int64_t reach = 0;
    if (!multiply(elements, s, elements) || !multiply(s - 1, d < 0 ? -d : d, reach) || !add(span, reach, span)) {
      return {Rule::overflows_64_bits, i, s, d};
    }
    if (d != 0) (strides.axis[i] == 0 ? integers : vectors) = true;
    if (integers && vectors) return {Rule::strides_mix_integers_and_basis_vectors, i, s, d};
  }
  return {};
}

constexpr std::int64_t size(const Layout& l) {
  return size(l.shape);
}
constexpr int rank(const Layout& l) {
  return rank(l.shape);
}
constexpr int depth(const Layout& l) {
  return l.shape.depth();
}
constexpr Layout flatten(const Layout& l) {
  return {flatten(l.shape), flatten(l.stride)};
}

// Mode i as a layout; an integer's only mode is itself.
constexpr Layout sublayout(const Layout& l, Run run) {
  return {subtuple(l.shape, run), subtuple(l.stride, run)};
}
constexpr Layout mode(const Layout& l, int i) {
  return sublayout(l, mode_run(l.shape, i));
}

constexpr bool has_basis_strides(const Layout& l) {
  for (int i = 0; i < l.stride.count; ++i) {
    if (l.stride.axis[i] != 0) return true;
  }
  return false;
}

// The value of a layout at a coordinate of any form, checked: an integer, or a coordinate where its strides are basis
// vectors.
constexpr Tuple evaluate(const Layout& l, const Tuple& coordinate) {
  return evaluate(coordinate, l.shape, l.stride);
}

// 1 more than the sum of (extent - 1) |stride|: room for every offset where none is negative.
constexpr std::int64_t cosize(const Layout& l) {
  if (has_basis_strides(l)) refuse({Rule::strides_are_basis_vectors}, "cosize", l);
  std::int64_t span = 1;
  for (int i = 0; i < l.shape.count; ++i) {
    const std::int64_t d = l.stride.value[i];
    span += (l.shape.value[i] - 1) * (d < 0 ? -d : d);
  }
  return span;
}

// Gathers modes into a layout: append them, then grouped() puts the parentheses round all.
struct Modes {
  Tuple shape;
  Tuple stride;

  constexpr void append(const Layout& mode) {
    shape.append(mode.shape);
    stride.append(mode.stride);
  }
  constexpr void append_leaf(std::int64_t extent, const Tuple& leaf) {
    shape.append(extent);
    stride.append(leaf);
  }
  constexpr Layout grouped() const { return {shape.grouped(), stride.grouped()}; }
  // A single mode stays itself, none at all is 1:0.
  constexpr Layout unwrapped() const {
    return shape.count == 0 ? Layout() : rank_is_1() ? Layout(shape, stride) : grouped();
  }

 private:
  constexpr bool rank_is_1() const {
    int open = 0;
    int i = 0;
    do {
      open += shape.opens[i] - shape.closes[i];
      ++i;
    } while (open > 0);
    return i == shape.count;
  }
};

// The layout whose modes are these: make_layout(4:1, 3:8) is (4,3):(1,8).
template <std::same_as<Layout>... Mode>
constexpr Layout make_layout(const Mode&... modes) {
  Modes result;
  (result.append(modes), ...);
  return result.grouped();
}

// Strides that fill the shape without gaps: the leftmost mode fastest, or the rightmost.
constexpr Layout col_major(const Tuple& shape) {
  Tuple stride = shape;
  std::int64_t next = 1;
  for (int i = 0; i < shape.count; ++i) {
    stride.value[i] = next;
    if (!multiply(next, shape.value[i], next)) break;  // the constructor says so
  }
  return {shape, stride};
}
constexpr Layout row_major(const Tuple& shape) {
  Tuple stride = shape;
  std::int64_t next = 1;
  for (int i = shape.count - 1; i >= 0; --i) {
    stride.value[i] = next;
    if (!multiply(next, shape.value[i], next)) break;
  }
  return {shape, stride};
}

}  // namespace boon::layout
