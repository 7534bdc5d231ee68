// Products beside the numbered cases: orders, tiling a shape, the forms a tiler leaves.
#include "boon/layout/product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boon/core/error.h"
#include "boon/layout/divide.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

TEST(OrderedLayout, FollowsTheOrder) {
  EXPECT_EQ(to_string(ordered_layout({4, 3, 2}, {1, 0, 2})), "(4,3,2):(3,1,12)");
  EXPECT_EQ(to_string(ordered_layout({{4, 2}, 3}, {1, 0})), "((4,2),3):((3,12),1)");
  EXPECT_EQ(to_string(ordered_layout({3, {4, 2}}, {2, {3, 1}})), "(3,(4,2)):(2,(6,1))");
  EXPECT_EQ(to_string(ordered_layout({{2, {3, 5}}, 7}, {{2, 3}, 1})), "((2,(3,5)),7):((7,(14,42)),1)");
  EXPECT_EQ(ordered_layout({4, 3, 2}, 0), col_major({4, 3, 2}));
  EXPECT_EQ(ordered_layout({4, 3, 2}, {2, 1, 0}), row_major({4, 3, 2}));
  EXPECT_THROW((void)ordered_layout({4, 3}, {0, 1, 2}), Error);
  EXPECT_THROW((void)ordered_layout({4, 3}, {0, {1, 2}}), Error);
}

TEST(BlockedProduct, IsThePackingOfAMatrix) {
  // Panels of 4 rows and 8 columns of a 16 by 16 matrix, and 32 rows of a base of 4096 vectors with 100 components.
  EXPECT_EQ(to_string(blocked_product(Layout{{4, 8}, {1, 4}}, col_major({4, 2}))), "((4,4),(8,2)):((1,32),(4,128))");
  EXPECT_EQ(to_string(tile_to_shape(Layout{{4, 8}, {1, 4}}, {16, 16})), "((4,4),(8,2)):((1,32),(4,128))");
  EXPECT_EQ(to_string(coalesce(tile_to_shape(Layout{{32, 100}, {1, 32}}, {4096, 100}), {1, 1})),
            "((32,128),100):((1,3200),32)");
}

TEST(TileToShape, RoundsUpAndFollowsTheOrder) {
  EXPECT_EQ(to_string(tile_to_shape(Layout{{4, 2}, {1, 4}}, {10, 4})), "((4,3),(2,2)):((1,8),(4,24))");
  EXPECT_EQ(to_string(tile_to_shape(Layout{{4, 2}, {1, 4}}, {8, 4}, {1, 0})), "((4,2),(2,2)):((1,16),(4,8))");
  EXPECT_EQ(to_string(tile_to_shape(Layout(4, 1), {8, 3})), "((4,2),(1,3)):((1,4),(0,8))");
  EXPECT_EQ(to_string(tile_to_shape(Layout(4, 1), 8)), "((4,2)):((1,4))");
  EXPECT_THROW((void)tile_to_shape(Layout{{4, 2}, {1, 4}}, 8), Error);
  EXPECT_THROW((void)tile_to_shape(Layout{{4, 2}, {1, 4}}, {8, 0}), Error);
}

TEST(Regroup, AModeLeftAloneIsAllTileAndFurtherModesAreAllRest) {
  const Layout a = parse_layout("(4,6,5):(1,4,24)");
  EXPECT_EQ(to_string(logical_divide(a, parse_tiler("<_,3>"))), "(4,(3,2),5):(1,(4,12),24)");
  EXPECT_EQ(to_string(zipped_divide(a, parse_tiler("<_,3>"))), "((4,3),(1,2,5)):((1,4),(0,12,24))");
  EXPECT_EQ(to_string(flat_divide(a, parse_tiler("<2>"))), "(2,2,6,5):(1,2,4,24)");
  EXPECT_EQ(to_string(zipped_product(Layout{{2, 5}, {5, 1}}, parse_tiler("<3:5>"))), "((2),(3,5)):((5),(10,1))");
  EXPECT_THROW((void)zipped_divide(a, parse_tiler("<1,1,1,1>")), Error);
}

TEST(Regroup, ALayoutAsTileDividesTheWhole) {
  const Layout a = parse_layout("(4,2,3):(2,1,8)");
  EXPECT_EQ(zipped_divide(a, Layout(4, 2)), logical_divide(a, Layout(4, 2)));
  EXPECT_EQ(to_string(tiled_divide(a, Layout(4, 2))), "((2,2),2,3):((4,1),2,8)");
  EXPECT_EQ(to_string(flat_divide(a, Layout(4, 2))), "(2,2,2,3):(4,1,2,8)");
}

TEST(Product, HasRoomForCopiesWhereRepeatingLeavesGaps) {
  // In each 216 offsets only one more copy has place, at 36; those beyond follow after the end.
  EXPECT_EQ(to_string(logical_product(parse_layout("(2,12,3):(1,3,72)"), Layout(2, 2))), "((2,12,3),2):((1,3,72),216)");
}

TEST(Product, OfTooMuchIsRefused) {
  const Layout large(std::int64_t{1} << 40, 1);
  try {
    (void)logical_product(large, large);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("beyond 64 bits"));
  }
}

}  // namespace
}  // namespace boon::layout
