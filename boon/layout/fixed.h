// Layouts that the compiler knows: calls that come out as a few multiplications, and compositions that say in one line
// why there is none.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "boon/layout/composition.h"
#include "boon/layout/layout.h"

namespace boon::layout {
namespace internal {

// The offset of an index among the leaves [begin, end) of L, counted without a sign, as division is cheaper so.
template <Layout L, int Begin, int End>
constexpr std::uint64_t fixed_offset(std::uint64_t index) {
  constexpr auto kStride = static_cast<std::uint64_t>(L.stride.value[Begin]);
  if constexpr (Begin == End - 1) {
    return index * kStride;
  } else {
    constexpr auto kExtent = static_cast<std::uint64_t>(L.shape.value[Begin]);
    return index % kExtent * kStride + fixed_offset<L, Begin + 1, End>(index / kExtent);
  }
}

template <Layout L, int Mode>
constexpr std::uint64_t fixed_mode_offset(std::uint64_t index) {
  constexpr Run kMode = mode_run(L.shape, Mode);
  return fixed_offset<L, kMode.begin, kMode.end>(index);
}

}  // namespace internal

// The layout L as a type: Fixed<"(4,3):(1,8)"_layout>{}(i, j) compiles to i + 8 * j. Coordinates are one index or one
// for each mode, none negative.
template <Layout L>
struct Fixed {
  static_assert(!has_basis_strides(L), "strides are basis vectors, which give coordinates and no offsets");
  static constexpr Layout kLayout = L;

  template <std::integral... Index>
    requires(sizeof...(Index) == 1 || sizeof...(Index) == rank(L))
  constexpr std::int64_t operator()(Index... index) const noexcept {
    if constexpr (sizeof...(Index) == 1) {
      return static_cast<std::int64_t>(
          (internal::fixed_offset<L, 0, L.shape.count>(static_cast<std::uint64_t>(index)) + ...));
    } else {
      return [&]<int... Mode>(std::integer_sequence<int, Mode...>) {
        return static_cast<std::int64_t>(
            (internal::fixed_mode_offset<L, Mode>(static_cast<std::uint64_t>(index)) + ...));
      }(std::make_integer_sequence<int, rank(L)>());
    }
  }
  friend constexpr bool operator==(const Fixed&, const Fixed&) = default;
};

// Never defined: an error that speaks of Refused<Rule::…, leaf, extent, stride, met> is a refusal, see refusal.h.
template <Rule rule, int leaf, std::int64_t extent, std::int64_t stride, std::int64_t met>
struct Refused;

// A ∘ B of layouts that the compiler knows, or an error of few lines with the rule and its numbers.
template <Layout A, Layout B>
constexpr Layout compose() {
  constexpr ComposeResult kResult = try_compose(A, B);
  if constexpr (kResult.refusal) {
    constexpr Refusal kRefusal = kResult.refusal;
    return Refused<kRefusal.rule, kRefusal.mode, kRefusal.extent, kRefusal.stride, kRefusal.met>::layout;
  } else {
    return kResult.layout;
  }
}

}  // namespace boon::layout
