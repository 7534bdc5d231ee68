// From coordinates to offsets and back, for coordinates of every form, checked. Shapes and strides are tuples here;
// layout.h puts them together.
#pragma once

#include <cstdint>

#include "boon/layout/refusal.h"
#include "boon/layout/tuple.h"

namespace boon::layout {

// The coordinate of an index, in the form of the shape. The last mode takes the rest: 15 in (4,3) is (3,3).
constexpr Tuple idx2crd(std::int64_t index, const Tuple& shape) {
  if (index < 0) refuse({Rule::coordinate_negative, 0, index}, "idx2crd", Tuple(index), shape);
  Tuple result = shape;
  for (int i = 0; i < shape.count; ++i) {
    if (shape.value[i] <= 0) refuse({Rule::extent_not_positive, i, shape.value[i]}, "idx2crd", Tuple(index), shape);
    const bool last = i == shape.count - 1;
    result.value[i] = last ? index : index % shape.value[i];
    index /= shape.value[i];
  }
  return result;
}

// For each leaf (index / stride) mod shape, which wraps: the coordinate at which a layout without gaps has this offset.
constexpr Tuple idx2crd(std::int64_t index, const Tuple& shape, const Tuple& stride) {
  if (!congruent(shape, stride)) refuse({Rule::shape_and_stride_not_congruent}, "idx2crd", shape, stride);
  if (index < 0) refuse({Rule::coordinate_negative, 0, index}, "idx2crd", Tuple(index), shape);
  Tuple result = shape;
  for (int i = 0; i < shape.count; ++i) {
    const std::int64_t s = shape.value[i];
    const std::int64_t d = stride.value[i];
    if (s <= 0) refuse({Rule::extent_not_positive, i, s, d}, "idx2crd", shape, stride);
    if (d < 0) refuse({Rule::stride_negative, i, s, d}, "idx2crd", shape, stride);
    result.value[i] = d == 0 ? 0 : index / d % s;
  }
  return result;
}

// The same place with one number for each leaf of the shape. Throws where the coordinate does not fit the shape or is
// negative.
constexpr Tuple crd2crd(const Tuple& coordinate, const Tuple& shape) {
  if (coordinate.is_leaf()) {
    if (coordinate.value[0] == kAll || coordinate.axis[0] != 0) {
      refuse({Rule::leaf_not_an_integer}, "coordinate", coordinate, shape);
    }
    return idx2crd(coordinate.value[0], shape);
  }
  if (shape.is_leaf() || rank(coordinate) != rank(shape)) {
    refuse({Rule::coordinate_does_not_fit_shape}, "coordinate", coordinate, shape);
  }
  Tuple result;
  Run m = first_mode(shape);
  for (Run c = first_mode(coordinate); c.begin < coordinate.count; c = next_mode(coordinate, c)) {
    result.append(crd2crd(subtuple(coordinate, c), subtuple(shape, m)));
    m = next_mode(shape, m);
  }
  return result.grouped();
}

// The sum of coordinate times stride: an integer, or a coordinate where strides are basis vectors.
constexpr Tuple evaluate(const Tuple& coordinate, const Tuple& shape, const Tuple& stride) {
  if (!congruent(shape, stride)) refuse({Rule::shape_and_stride_not_congruent}, "crd2idx", shape, stride);
  const Tuple c = crd2crd(coordinate, shape);
  std::int64_t sums[kLeavesMax + 1] = {};
  int axes = 0;
  for (int i = 0; i < c.count; ++i) {
    const int axis = stride.axis[i];
    std::int64_t term = 0;
    if (!multiply(c.value[i], stride.value[i], term) || !add(sums[axis], term, sums[axis])) {
      refuse({Rule::overflows_64_bits, i, c.value[i], stride.value[i]}, "crd2idx", coordinate, stride);
    }
    axes = axis > axes ? axis : axes;
  }
  if (axes == 0) return sums[0];
  Tuple result;
  for (int axis = 1; axis <= axes; ++axis) result.append(sums[axis]);
  return result.grouped();
}

// The offset of a coordinate.
constexpr std::int64_t crd2idx(const Tuple& coordinate, const Tuple& shape, const Tuple& stride) {
  const Tuple offset = evaluate(coordinate, shape, stride);
  if (!offset.is_leaf()) refuse({Rule::strides_are_basis_vectors}, "crd2idx", shape, stride);
  return offset.value[0];
}

// The place of a coordinate in the order of the shape, the leftmost mode fastest: the inverse of idx2crd.
constexpr std::int64_t crd2idx(const Tuple& coordinate, const Tuple& shape) {
  Tuple stride = shape;
  std::int64_t next = 1;
  for (int i = 0; i < shape.count; ++i) {
    stride.value[i] = next;
    if (!multiply(next, shape.value[i], next)) {
      refuse({Rule::overflows_64_bits, i, shape.value[i], stride.value[i]}, "crd2idx", coordinate, shape);
    }
  }
  return crd2idx(coordinate, shape, stride);
}

}  // namespace boon::layout
