// Slices, tiles, shares of threads, coordinates that predicate, thread-value layouts, vectors of elements.
#include "boon/layout/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/layout/recast.h"
#include "boon/layout/text.h"
#include "boon/layout/thread_value.h"

namespace boon::layout {
namespace {

std::string shown(const Slice& s) {
  return to_string(s.layout) + " from " + to_string(s.origin);
}

TEST(Slice, KeepsTheModesThatAreLeftOpen) {  // case 104
  constexpr Layout kL = "((3,2),((2,3),2)):((4,1),((2,15),100))"_layout;
  static_assert(slice(kL, {2, kAll}) == Slice{"((2,3),2):((2,15),100)"_layout, 8});
  EXPECT_EQ(shown(slice(kL, {2, kAll})), "((2,3),2):((2,15),100) from 8");
  EXPECT_EQ(shown(slice(kL, {5, kAll})), "((2,3),2):((2,15),100) from 9");
  EXPECT_EQ(shown(slice(kL, {{kAll, 1}, {{0, kAll}, kAll}})), "(3,3,2):(4,15,100) from 1");
  EXPECT_EQ(shown(slice(kL, kAll)), to_string(kL) + " from 0");
  EXPECT_EQ(shown(slice(kL, 7)), "1:0 from " + std::to_string(kL(7)));
  EXPECT_THROW((void)slice(kL, {kAll, kAll, kAll}), Error);
  EXPECT_THROW((void)slice(kL, {{kAll, {1, 1}}, 0}), Error);
}

TEST(Divide, ZippedIsReadInEachForm) {  // case 103
  constexpr Layout kZ = zipped_divide("(9,(4,8)):(59,(13,1))"_layout, tiler(Layout(3, 3), "(2,4):(1,8)"_layout));
  static_assert(kZ(0, 3) == 26 && kZ(0, 7) == 60 && kZ({0, {1, 2}}) == 60);
}

TEST(LocalTile, IsTheTileAtACoordinate) {  // case 116
  constexpr Layout kL = "(8,6):(1,8)"_layout;
  static_assert(local_tile(kL, {4, 3}, {1, 1}) == Slice{"(4,3):(1,8)"_layout, 28});
  static_assert(local_tile(kL, {4, 3}, {1, kAll}) == Slice{"(4,3,2):(1,8,24)"_layout, 4});
  EXPECT_EQ(shown(local_tile(kL, {4, 3}, {1, 1})), "(4,3):(1,8) from 28");
  EXPECT_EQ(shown(local_tile(kL, {4, 3}, {1, kAll})), "(4,3,2):(1,8,24) from 4");
  EXPECT_EQ(shown(local_tile(kL, tiler(4, kAll), {1, 0})), "(4,6):(1,8) from 4");
  EXPECT_EQ(shown(local_tile(kL, 4, 3)), "4:1 from 12");
  EXPECT_THROW((void)local_tile(kL, {4, 3}, {1, 1, 1}), Error);
}

TEST(LocalPartition, GivesEachElementToOneThread) {
  const Layout data = row_major({8, 6});
  for (const char* text : {"(2,3):(3,1)", "(4,2):(1,4)", "((2,2),2):((1,4),2)", "(8,1):(1,0)"}) {
    const Layout threads = parse_layout(text);
    std::vector<int> owners(48, 0);
    for (std::int64_t thread = 0; thread < size(threads); ++thread) {
      const Slice share = local_partition(data, threads, thread);
      EXPECT_EQ(size(share.layout), 48 / size(threads)) << text;
      for (std::int64_t i = 0; i < size(share.layout); ++i) ++owners[evaluate(share, i).value[0]];
    }
    EXPECT_THAT(owners, testing::Each(1)) << text;
  }
  EXPECT_EQ(shown(local_partition(data, parse_layout("(2,3):(3,1)"), 4)), "(4,2):(12,3) from 7");
  EXPECT_EQ(shown(local_partition(Layout(12, 2), Layout(4, 1), 3)), "3:8 from 6");
}

TEST(LocalPartition, RefusesThreadsThatAreNotNumberedThrough) {
  const Layout data = row_major({8, 6});
  EXPECT_THROW((void)local_partition(data, parse_layout("(2,2):(1,0)"), 0), Error);
  EXPECT_THROW((void)local_partition(data, parse_layout("(2,2):(1,4)"), 0), Error);
  EXPECT_THROW((void)local_partition(data, parse_layout("(2,2):(1,2)"), 4), Error);
  EXPECT_THROW((void)local_partition(data, parse_layout("(2,2):(1,2)"), -1), Error);
}

TEST(Identity, SaysWhichElementsOfATileAreThere) {  // case 118
  constexpr Layout kI = identity_layout({4, 3});
  static_assert(kI == "(4,3):(E0,E1)"_layout);
  constexpr Slice kTile = local_tile(kI, {2, 2}, {1, 1});
  static_assert(evaluate(kTile, {1, 1}) == Tuple{3, 3} && !elem_less(evaluate(kTile, {1, 1}), {4, 3}));
  static_assert(elem_less(evaluate(kTile, {1, 0}), {4, 3}));
  EXPECT_EQ(shown(kTile), "(2,2):(E0,E1) from (2,2)");
}

TEST(Identity, PredicatesReachEachElementOnce) {
  const Layout data = col_major({10, 7});
  const Layout places = identity_layout({10, 7});
  std::vector<int> met(70, 0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Slice tile = local_tile(data, {4, 3}, {i, j});
      const Slice place = local_tile(places, {4, 3}, {i, j});
      for (std::int64_t e = 0; e < size(tile.layout); ++e) {
        if (elem_less(evaluate(place, e), {10, 7})) ++met[evaluate(tile, e).value[0]];
      }
    }
  }
  EXPECT_THAT(met, testing::Each(1));
}

TEST(Identity, CountsAModeWithinAsOneCoordinate) {
  const Layout l = identity_layout({{2, 2}, 3});
  EXPECT_EQ(to_string(l), "((2,2),3):((E0,2E0),E1)");
  EXPECT_EQ(evaluate(l, {{1, 1}, 2}), (Tuple{3, 2}));
  EXPECT_EQ(to_string(identity_layout(5)), "5:E0");
  EXPECT_TRUE(elem_less({3, 2}, {{2, 2}, 3}));
  EXPECT_FALSE(elem_less({4, 2}, {{2, 2}, 3}));
  EXPECT_THROW((void)elem_less({1, 2}, {1, 2, 3}), Error);
  EXPECT_EQ(composition(parse_layout("((2,2),3):((1,20),4)"), l), parse_layout("((2,2),3):((1,20),4)"));
  // A slice whose open modes do not move still begins at a coordinate.
  EXPECT_EQ(evaluate(slice(identity_layout({4, 3}), {2, 1}), 0), (Tuple{2, 1}));
  EXPECT_EQ(evaluate(slice(identity_layout({4, 3}), {kAll, 2}), 3), (Tuple{3, 2}));
}

TEST(ThreadValue, RakesValuesBetweenThreads) {  // cases 113 to 115
  constexpr ThreadValue kSmall = make_tv_layout(Layout(4, 1), Layout(2, 1));
  static_assert(kSmall.tile == "((2,4)):((4,1))"_layout && kSmall.tv == "(4,2):(2,1)"_layout);
  constexpr ThreadValue kMiddle = make_tv_layout("(2,3):(3,1)"_layout, "(2,2):(2,1)"_layout);
  static_assert(kMiddle.tile == "((2,2),(2,3)):((12,3),(6,1))"_layout);
  static_assert(kMiddle.tv == "((3,2),(2,2)):((8,2),(4,1))"_layout && kMiddle.extents == Tuple{4, 6});
  const ThreadValue large = make_tv_layout(parse_layout("(8,4):(1,8)"), parse_layout("(4,1)"));
  EXPECT_EQ(to_string(large.tv), "(32,4):(4,1)");
  EXPECT_EQ(large.extents, (Tuple{32, 4}));
  EXPECT_EQ(to_string(kSmall.tile), "((2,4)):((4,1))");
}

TEST(ThreadValue, GivesEachElementToOneThreadAndValue) {
  const ThreadValue tv = make_tv_layout(parse_layout("(2,3):(3,1)"), parse_layout("(2,2):(2,1)"));
  std::vector<int> owners(24, -1);
  for (int t = 0; t < 6; ++t) {
    for (int v = 0; v < 4; ++v) {
      EXPECT_EQ(owners[tv.tv(t, v)], -1);
      owners[tv.tv(t, v)] = t + 6 * v;
    }
  }
  for (int i = 0; i < 24; ++i) EXPECT_EQ(tv.tile(i), owners[i]);
  EXPECT_THROW((void)make_tv_layout(parse_layout("(2,3):(4,1)"), Layout(2, 1)), Error);
  EXPECT_THROW((void)make_tv_layout(parse_layout("(2,3):(3,1)"), Layout(2, 0)), Error);
}

TEST(MaxCommonVector, IsWhatACopyMayTakeAtOnce) {  // case 120
  static_assert(max_common_vector("(8,4):(1,8)"_layout, "(8,4):(1,16)"_layout) == 8);
  static_assert(max_common_vector("(8,4):(1,8)"_layout, "(8,4):(4,1)"_layout) == 1);
  // Packing 4 by 8 panels: from columns in fours, from rows not at all.
  const Layout packed = parse_layout("((4,4),(8,2)):((1,32),(4,128))");
  EXPECT_EQ(max_common_vector(packed, col_major({16, 16})), 4);
  EXPECT_EQ(max_common_vector(packed, row_major({16, 16})), 1);
  // Where the composition with the whole inverse is refused a part of it still serves.
  EXPECT_EQ(max_common_vector(parse_layout("(4,6):(1,5)"), parse_layout("(4,3,2):(1,4,20)")), 4);
}

TEST(Recast, CountsVectorsAndParts) {  // case 122
  static_assert(upcast<4>("(16,8):(1,16)"_layout) == "(4,8):(1,4)"_layout);
  static_assert(downcast<2>("(16,8):(1,16)"_layout) == "(32,8):(1,32)"_layout);
  EXPECT_EQ(to_string(upcast(parse_layout("((2,4),8):((1,2),8)"), 4)), "((1,2),8):((1,1),2)");
  EXPECT_EQ(to_string(upcast(parse_layout("(4,3):(1,0)"), 4)), "(1,3):(1,0)");
  EXPECT_EQ(to_string(upcast(parse_layout("(2,8):(1,4)"), 4)), "(1,8):(1,1)");
  EXPECT_EQ(downcast(parse_layout("4:1"), 1), Layout(4, 1));
  for (const char* text : {"(2,3):(1,2)", "4:-1", "(4,4):(6,1)", "(4,3):(E0,E1)"}) {
    EXPECT_THROW((void)upcast(parse_layout(text), 4), Error) << text;
  }
  EXPECT_THROW((void)downcast(parse_layout("4:2"), 2), Error);
  EXPECT_THROW((void)downcast(parse_layout("(4,4):(1,1)"), 2), Error);
  EXPECT_THROW((void)downcast(parse_layout("(4,2):(1,4611686018427387904)"), 4), Error);
  EXPECT_THROW((void)upcast(parse_layout("4:1"), 0), Error);
}

}  // namespace
}  // namespace boon::layout
