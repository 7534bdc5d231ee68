// The same elements seen as vectors of them, or vectors as their elements.
#pragma once

#include <cstdint>

#include "boon/layout/layout.h"

namespace boon::layout {

// Offsets counted in vectors of n elements: upcast(4) of (16,8):(1,16) is (4,8):(1,4). Throws where a mode takes part
// of a vector, or vectors at uneven steps.
constexpr Layout upcast(const Layout& l, std::int64_t n) {
  if (n < 1) refuse({Rule::extent_not_positive, 0, n}, "upcast", l, n);
  if (has_basis_strides(l)) refuse({Rule::strides_are_basis_vectors}, "upcast", l, n);
  Layout result = l;
  for (int i = 0; i < l.shape.count; ++i) {
    const std::int64_t s = l.shape.value[i];
    const std::int64_t d = l.stride.value[i];
    if (d % n == 0) {  // whole vectors, or 0
      result.stride.value[i] = d / n;
      continue;
    }
    const std::int64_t steps = d > 0 && n % d == 0 ? n / d : 0;  // of this mode within a vector
    if (steps == 0 || (s % steps != 0 && steps % s != 0)) {
      refuse({Rule::vector_does_not_fit, i, s, d, n}, "upcast", l, n);
    }
    result.shape.value[i] = s % steps == 0 ? s / steps : 1;
    result.stride.value[i] = 1;
  }
  return result;
}

// Offsets counted in parts, n to an element: the mode of stride 1 gets n times as long. Throws unless there is exactly
// one.
constexpr Layout downcast(const Layout& l, std::int64_t n) {
  if (n < 1) refuse({Rule::extent_not_positive, 0, n}, "downcast", l, n);
  if (has_basis_strides(l)) refuse({Rule::strides_are_basis_vectors}, "downcast", l, n);
  if (n == 1) return l;
  Tuple shape = l.shape;
  Tuple stride = l.stride;
  int contiguous = 0;
  for (int i = 0; i < l.shape.count; ++i) {
    const bool grows = l.stride.value[i] == 1;
    contiguous += grows;
    if (!multiply(grows ? l.shape.value[i] : l.stride.value[i], n, grows ? shape.value[i] : stride.value[i])) {
      refuse({Rule::overflows_64_bits, i, l.shape.value[i], l.stride.value[i]}, "downcast", l, n);
    }
  }
  if (contiguous != 1) refuse({Rule::vector_does_not_fit, 0, size(l), 0, n}, "downcast", l, n);
  return {shape, stride};
}

template <std::int64_t N>
constexpr Layout upcast(const Layout& l) {
  return upcast(l, N);
}
template <std::int64_t N>
constexpr Layout downcast(const Layout& l) {
  return downcast(l, N);
}

}  // namespace boon::layout
