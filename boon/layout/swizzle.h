// Swizzles, and layouts behind a function that is no layout.
//
// A swizzle exchanges addresses within a power of two so that walks along both sides of a tile meet all banks; no
// strides express it. A composed layout keeps it apart, function ∘ offset ∘ layout, and the algebra goes on with the
// layout.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "boon/layout/composition.h"
#include "boon/layout/divide.h"
#include "boon/layout/layout.h"
#include "boon/layout/partition.h"
#include "boon/layout/text.h"

namespace boon::layout {

// i ^ (the `bits` bits of i at base + max(0, shift), moved down by shift places): its own inverse.
struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  constexpr Swizzle() = default;
  constexpr Swizzle(int count, int lowest, int places) : bits(count), base(lowest), shift(places) {
    const int distance = places < 0 ? -places : places;
    const bool fits = count >= 0 && lowest >= 0 && distance >= count && lowest <= 62 && distance <= 62;
    if (!fits || count + lowest + distance > 62) {
      refuse({Rule::swizzle_out_of_range}, "Swizzle", Tuple{count, lowest, places});
    }
  }

  constexpr std::int64_t operator()(std::int64_t i) const noexcept {
    return shift < 0 ? i ^ ((i & source()) << -shift) : i ^ ((i & source()) >> shift);
  }
  // The bits that are read, and those that change.
  constexpr std::int64_t source() const noexcept { return mask() << (base + (shift > 0 ? shift : 0)); }
  constexpr std::int64_t target() const noexcept { return mask() << (base - (shift < 0 ? shift : 0)); }

  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  constexpr std::int64_t mask() const noexcept { return (std::int64_t{1} << bits) - 1; }
};

// function(offset + layout(coordinate)). The function may be a Swizzle or, for what composition() refuses, a Layout.
template <class Function>
struct ComposedLayout {
  Function function;
  std::int64_t offset = 0;
  Layout layout;

  constexpr std::int64_t operator()(std::integral auto... index) const noexcept {
    return function(offset + layout(index...));
  }
  constexpr std::int64_t operator()(const Tuple& coordinate) const { return function(offset + layout(coordinate)); }

  friend constexpr bool operator==(const ComposedLayout&, const ComposedLayout&) = default;
};

constexpr ComposedLayout<Swizzle> composition(const Swizzle& swizzle, const Layout& l) {
  return {swizzle, 0, l};
}

template <class Function>
constexpr std::int64_t size(const ComposedLayout<Function>& c) {
  return size(c.layout);
}

// The operations whose results read a composed layout at other coordinates: they act on the layout inside.
template <class Function, class B>
constexpr ComposedLayout<Function> composition(const ComposedLayout<Function>& a, const B& b) {
  return {a.function, a.offset, composition(a.layout, b)};
}
template <class Function, class B>
constexpr ComposedLayout<Function> logical_divide(const ComposedLayout<Function>& a, const B& b) {
  return {a.function, a.offset, logical_divide(a.layout, b)};
}
template <class Function, class B>
constexpr ComposedLayout<Function> zipped_divide(const ComposedLayout<Function>& a, const B& b) {
  return {a.function, a.offset, zipped_divide(a.layout, b)};
}
template <class Function, class B>
constexpr ComposedLayout<Function> tiled_divide(const ComposedLayout<Function>& a, const B& b) {
  return {a.function, a.offset, tiled_divide(a.layout, b)};
}
template <class Function, class B>
constexpr ComposedLayout<Function> flat_divide(const ComposedLayout<Function>& a, const B& b) {
  return {a.function, a.offset, flat_divide(a.layout, b)};
}
template <class Function>
constexpr ComposedLayout<Function> slice(const ComposedLayout<Function>& a, const Tuple& coordinate) {
  const Slice inner = slice(a.layout, coordinate);
  return {a.function, a.offset + inner.offset(), inner.layout};
}

// "Swizzle<2,0,3>", and "Swizzle<2,0,3> o 0 o (8,8):(8,1)".
std::string to_string(const Swizzle& s);
template <class Function>
std::string to_string(const ComposedLayout<Function>& c) {
  return to_string(c.function) + " o " + std::to_string(c.offset) + " o " + to_string(c.layout);
}

}  // namespace boon::layout
