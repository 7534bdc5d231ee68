// Mappings, views, and calls that the compiler folds.
#include "boon/layout/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <numeric>
#include <type_traits>
#include <vector>

#include "boon/core/error.h"
#include "boon/layout/text.h"
#include "boon/layout/view.h"

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace boon::layout {
namespace {

// What [mdspan.layout.reqmts] asks of a mapping of rank 2.
template <class M>
concept MappingOfRank2 = requires(const M m, typename M::index_type i, typename M::rank_type r) {
  requires std::copyable<M> && std::equality_comparable<M>;
  requires std::is_nothrow_move_constructible_v<M> && std::is_nothrow_move_assignable_v<M>;
  requires std::is_nothrow_swappable_v<M>;
  requires std::same_as<typename M::layout_type::template mapping<typename M::extents_type>, M>;
  requires std::same_as<typename M::index_type, typename M::extents_type::index_type>;
  requires std::same_as<typename M::size_type, typename M::extents_type::size_type>;
  requires std::same_as<typename M::rank_type, typename M::extents_type::rank_type>;
  { m.extents() } noexcept -> std::same_as<const typename M::extents_type&>;
  { m(i, i) } -> std::same_as<typename M::index_type>;
  { m.required_span_size() } -> std::same_as<typename M::index_type>;
  { m.is_unique() } -> std::same_as<bool>;
  { m.is_exhaustive() } -> std::same_as<bool>;
  { m.is_strided() } -> std::same_as<bool>;
  { m.stride(r) } -> std::same_as<typename M::index_type>;
  typename std::bool_constant<M::is_always_unique()>;
  typename std::bool_constant<M::is_always_exhaustive()>;
  typename std::bool_constant<M::is_always_strided()>;
};

template <class Source>
using Mapping = typename MdspanLayout<Source>::template mapping<Extents<2>>;
using Packed = Fixed<"((4,4),(8,2)):((1,32),(4,128))"_layout>;

static_assert(MappingOfRank2<Mapping<Layout>>);
static_assert(MappingOfRank2<Mapping<Packed>>);
static_assert(MappingOfRank2<Mapping<ComposedLayout<Swizzle>>>);
static_assert(Mapping<Packed>::is_always_unique() && Mapping<Packed>::is_always_exhaustive());
static_assert(!Mapping<Packed>::is_always_strided() && std::is_empty_v<Packed>);

#if defined(__cpp_lib_mdspan)
static_assert(std::is_constructible_v<std::mdspan<float, std::dextents<std::int64_t, 2>, MdspanLayout<>>, float*,
                                      MdspanLayout<>::mapping<std::dextents<std::int64_t, 2>>>);
TEST(Mapping, ServesMdspan) {
  std::vector<float> data(256);
  std::iota(data.begin(), data.end(), 0.0f);
  using E = std::dextents<std::int64_t, 2>;
  const std::mdspan<float, E, MdspanLayout<Packed>> packed(data.data(), MdspanLayout<Packed>::mapping<E>());
  const std::mdspan<float, std::extents<int, 16, 16>, MdspanLayout<>> dynamic(
      data.data(), MdspanLayout<>::mapping<std::extents<int, 16, 16>>(Packed::kLayout));
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      const std::array at = {i, j};
      EXPECT_EQ(packed[at], static_cast<float>(Packed::kLayout(i, j)));
      EXPECT_EQ(dynamic[at], packed[at]);
    }
  }
  const std::mdspan<float, E, MdspanLayout<>> columns(data.data(), 4, 4);
  EXPECT_EQ((columns[std::array{3, 2}]), 11.0f);
  EXPECT_EQ(layout_of(std::layout_right::mapping<E>(E(4, 3))), row_major({4, 3}));
}
#endif

TEST(Mapping, TellsWhatItsLayoutIs) {
  const Mapping<Layout> strided(parse_layout("(4,3):(1,8)"));
  EXPECT_EQ(strided.extents().extent(0), 4);
  EXPECT_EQ(strided.extents().extent(1), 3);
  EXPECT_EQ(strided(3, 2), 19);
  EXPECT_EQ(strided.required_span_size(), 20);
  EXPECT_TRUE(strided.is_unique() && strided.is_strided() && !strided.is_exhaustive());
  EXPECT_EQ(strided.stride(1), 8);
  EXPECT_EQ(layout_of(strided), parse_layout("(4,3):(1,8)"));

  const Mapping<Layout> nested(parse_layout("((2,2),(3,2)):((1,2),(4,12))"));
  EXPECT_TRUE(nested.is_strided() && nested.is_exhaustive());
  EXPECT_EQ(nested.stride(0), 1);
  EXPECT_EQ(nested.stride(1), 4);
  EXPECT_FALSE(Mapping<Packed>().is_strided());
  EXPECT_TRUE(Mapping<Packed>().is_exhaustive());
  EXPECT_FALSE(Mapping<Layout>(parse_layout("(4,3):(1,0)")).is_unique());
  EXPECT_FALSE(Mapping<Layout>(parse_layout("(4,3):(1,2)")).is_unique());
  EXPECT_TRUE(Mapping<Layout>(parse_layout("(1,3):(0,1)")).is_unique());
  EXPECT_EQ(Mapping<Layout>(Extents<2>({4, 3})), Mapping<Layout>(col_major({4, 3})));
}

TEST(Mapping, OfASwizzleSpansWhatTheSwizzleReaches) {
  const auto c = composition(Swizzle(2, 0, 3), parse_layout("(5,4):(8,1)"));
  const Mapping<ComposedLayout<Swizzle>> m(c);
  std::int64_t highest = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) highest = std::max(highest, m(i, j));
  }
  EXPECT_GT(m.required_span_size(), highest);
  EXPECT_TRUE(m.is_unique());
  EXPECT_FALSE(m.is_strided() || m.is_exhaustive());
}

TEST(Mapping, RefusesWhatArraysCannotBe) {
  EXPECT_THROW((void)Mapping<Layout>(parse_layout("4:1")), Error);
  EXPECT_THROW((void)Mapping<Layout>(parse_layout("(4,3):(1,-8)")), Error);
  EXPECT_THROW((void)Mapping<Layout>(parse_layout("(4,3):(E0,E1)")), Error);
  EXPECT_THROW((void)Mapping<Layout>(Extents<2>({4, 2}), parse_layout("(4,3):(1,8)")), Error);
  EXPECT_THROW((void)Mapping<Layout>(Extents<2>({4, 0})), Error);
}

TEST(Fixed, AgreesWithTheLayout) {
  constexpr Layout kL = "((4,2),3,(2,(3,2))):((1,20),4,(100,(50,-7)))"_layout;
  constexpr Fixed<kL> kFixed;
  for (int i = 0; i < 500; ++i) EXPECT_EQ(kFixed(i), kL(i));
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 12; ++k) EXPECT_EQ(kFixed(i, j, k), kL(i, j, k));
    }
  }
  static_assert(Compose<"(4,3):(1,8)"_layout, "6:2"_layout>::layout == "(2,3):(2,8)"_layout);
}

TEST(View, ReadsWritesAndTiles) {
  std::vector<int> data(48);
  std::iota(data.begin(), data.end(), 0);
  const View<int> view(data.data(), parse_layout("(8,6):(1,8)"));
  EXPECT_EQ(view(3, 2), 19);
  EXPECT_EQ(view(19), 19);
  EXPECT_EQ(view.tile(Tuple{4, 3}, {1, 1})(3, 2), 28 + 3 + 16);
  EXPECT_EQ(view.slice({2, kAll})(5), 42);
  view(0, 5) = -1;
  EXPECT_EQ(data[40], -1);
  const View<const int, Fixed<"(6,8):(8,1)"_layout>> turned(data.data(), {});
  EXPECT_EQ(turned(2, 3), 19);
  static_assert(sizeof(turned) == sizeof(int*));
}

}  // namespace
}  // namespace boon::layout
