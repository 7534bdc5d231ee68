// Swizzles as functions, and what the algebra does behind them.
#include "boon/layout/swizzle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "boon/core/error.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

std::vector<std::int64_t> values(const Swizzle& s, const std::vector<std::int64_t>& at) {
  std::vector<std::int64_t> result;
  for (const std::int64_t i : at) result.push_back(s(i));
  return result;
}

TEST(Swizzle, MovesTheOffsetsOfTheReference) {  // cases 109 to 111
  static_assert(Swizzle(2, 0, 3)(8) == 9 && Swizzle(2, 0, -3)(3) == 27 && Swizzle(3, 4, 3)(896) == 1008);
  EXPECT_THAT(values({2, 0, 3}, {8, 9, 16, 17, 24, 31}), testing::ElementsAre(9, 8, 18, 19, 27, 28));
  EXPECT_THAT(values({1, 0, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), testing::ElementsAre(0, 1, 2, 3, 5, 4, 7, 6));
  EXPECT_THAT(values({2, 0, -3}, {1, 2, 3}), testing::ElementsAre(9, 18, 27));
  EXPECT_THAT(values({3, 4, 3}, {144, 128, 896}), testing::ElementsAre(128, 144, 1008));
}

TEST(Swizzle, IsItsOwnInverse) {
  for (const Swizzle s : {Swizzle(2, 0, 3), Swizzle(3, 4, 3), Swizzle(2, 1, -2), Swizzle(0, 5, 0)}) {
    for (std::int64_t i = 0; i < 4096; ++i) ASSERT_EQ(s(s(i)), i);
  }
}

TEST(Swizzle, OutOfRangeIsRefused) {
  EXPECT_THROW(Swizzle(3, 0, 2), Error);
  EXPECT_THROW(Swizzle(-1, 0, 2), Error);
  EXPECT_THROW(Swizzle(1, -1, 2), Error);
  EXPECT_THROW(Swizzle(20, 30, 20), Error);
  EXPECT_THROW(Swizzle(1, 1, INT_MIN + 1), Error);
}

TEST(ComposedLayout, AlgebraActsOnTheLayoutInside) {
  const auto c = composition(Swizzle(3, 0, 3), parse_layout("(8,8):(8,1)"));
  EXPECT_EQ(to_string(c), "Swizzle<3,0,3> o 0 o (8,8):(8,1)");
  const auto zipped = zipped_divide(c, tiler(4, 2));
  EXPECT_EQ(to_string(zipped), "Swizzle<3,0,3> o 0 o ((4,2),(2,4)):((8,1),(32,2))");
  const auto tile = slice(zipped, {kAll, {1, 2}});
  EXPECT_EQ(to_string(tile), "Swizzle<3,0,3> o 36 o (4,2):(8,1)");
  EXPECT_EQ(tile(1, 1), c(5, 5));
  EXPECT_EQ(tile({1, 1}), c(5, 5));
  EXPECT_EQ(composition(c, Layout(8, 8)).layout, Layout(8, 1));
  EXPECT_EQ(size(c), 64);
}

TEST(ComposedLayout, ColumnsOfASwizzledTileMeetEachBankOnce) {
  const auto c = composition(Swizzle(3, 0, 3), parse_layout("(8,8):(8,1)"));
  for (int j = 0; j < 8; ++j) {
    std::set<std::int64_t> banks;
    for (int i = 0; i < 8; ++i) banks.insert(c(i, j) % 8);
    EXPECT_EQ(banks.size(), 8u);
  }
}

TEST(ComposedLayout, HoldsWhatCompositionRefuses) {
  const Layout a = parse_layout("(6,2):(1,7)");
  const Layout b = parse_layout("(3,2):(2,3)");
  ASSERT_FALSE(try_compose(a, b));
  const ComposedLayout<Layout> both{a, 0, b};
  EXPECT_EQ(to_string(both), "(6,2):(1,7) o 0 o (3,2):(2,3)");
  EXPECT_EQ(both(2, 1), 8);
}

}  // namespace
}  // namespace boon::layout
