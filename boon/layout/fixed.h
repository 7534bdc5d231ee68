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

namespace internal {
template <Rule rule>
inline constexpr bool kKept = rule == Rule::none;
template <Layout A, Layout B>
inline constexpr ComposeResult kComposed = try_compose(A, B);
}  // namespace internal

// A layout that was composed, or an error whose parameters say why there is none; refusal.h tells what they mean.
template <Rule rule, int leaf, std::int64_t extent, std::int64_t stride, std::int64_t met, Layout L>
struct Checked {
  static_assert(internal::kKept<rule>,
                "no strides express this composition; see Checked<rule, leaf, extent, stride, met>");
  static constexpr Layout layout = L;  // NOLINT(readability-identifier-naming): read as a member of a value would be
};

// A ∘ B of layouts that the compiler knows: Compose<A, B>::layout. An alias, so that a refusal is told in one step, in
// fewer than ten lines of either compiler.
template <Layout A, Layout B>
using Compose = Checked<internal::kComposed<A, B>.refusal.rule, internal::kComposed<A, B>.refusal.mode,
                        internal::kComposed<A, B>.refusal.extent, internal::kComposed<A, B>.refusal.stride,
                        internal::kComposed<A, B>.refusal.met, internal::kComposed<A, B>.layout>;

}  // namespace boon::layout
