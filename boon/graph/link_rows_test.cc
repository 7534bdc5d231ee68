#include "boon/graph/link_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "boon/core/error.h"

namespace boon::graph {
namespace {

std::vector<Node> links(const LinkRows& rows, Node row) {
  std::vector<Node> out(rows.max_links());
  out.resize(rows.copy(row, out.data()));
  return out;
}
using Links = std::vector<Node>;

TEST(LinkRows, NewRowsAreEmpty) {
  LinkRows rows(2, 3);
  rows.grow(5);
  EXPECT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows.words_per_row(), 5u);
  for (Node row = 0; row < 5; ++row) {
    EXPECT_EQ(links(rows, row), Links{});
    EXPECT_EQ(rows.degree(row), 0u);
    EXPECT_EQ(rows.header(row, 0), kNone);
    EXPECT_EQ(rows.header(row, 1), kNone);
  }
}

TEST(LinkRows, AShorterListEndsEarlier) {
  LinkRows rows(1, 4);
  rows.grow(3);
  rows.set_header(1, 0, 42);
  rows.assign(1, Links{0, 2, 7, kMaxNodes - 1});
  EXPECT_EQ(links(rows, 1), (Links{0, 2, 7, kMaxNodes - 1}));
  EXPECT_EQ(rows.degree(1), 4u);
  rows.assign(1, Links{5});
  EXPECT_EQ(links(rows, 1), Links{5});
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(rows.link(1, i), kNone);
  EXPECT_EQ(rows.header(1), 42u);
  rows.assign(1, Links{});
  EXPECT_EQ(rows.degree(1), 0u);
  EXPECT_EQ(links(rows, 0), Links{});  // neighbouring rows are untouched
  EXPECT_EQ(links(rows, 2), Links{});
}

TEST(LinkRows, GrowthKeepsRowsAndNeverShrinks) {
  LinkRows rows(1, 32);
  rows.grow(2);
  rows.assign(1, Links{0});
  rows.grow(100000);
  EXPECT_EQ(links(rows, 1), Links{0});
  EXPECT_EQ(links(rows, 99999), Links{});
  rows.grow(10);
  EXPECT_EQ(rows.size(), 100000u);
}

TEST(LinkRows, RowsCutOffComeBackEmpty) {
  LinkRows rows(1, 4);
  for (const Node kept : {3U, 0U}) {
    rows.grow(2000);
    for (Node row = 0; row < 2000; ++row) {
      rows.set_header(row, 0, row);
      rows.assign(row, Links{row, row + 1});
    }
    rows.truncate(kept);
    EXPECT_EQ(rows.size(), kept);
    rows.grow(2000);
    for (Node row = 0; row < kept; ++row) EXPECT_EQ(links(rows, row), (Links{row, row + 1}));
    for (Node row = kept; row < 2000; ++row) {
      ASSERT_EQ(links(rows, row), Links{});
      ASSERT_EQ(rows.header(row), kNone);
    }
  }
}

TEST(LinkRows, AMovedRowTakesItsHeaderAlong) {
  LinkRows rows(2, 2);
  rows.grow(3);
  rows.set_header(2, 0, 8);
  rows.set_header(2, 1, 9);
  rows.assign(2, Links{1});
  rows.assign(0, Links{1, 2});
  rows.move_row(2, 0);
  EXPECT_EQ(rows.header(0, 0), 8u);
  EXPECT_EQ(rows.header(0, 1), 9u);
  EXPECT_EQ(links(rows, 0), Links{1});
  rows.clear(2);
  EXPECT_EQ(rows.header(2, 0), kNone);
  EXPECT_EQ(rows.header(2, 1), kNone);
  EXPECT_EQ(links(rows, 2), Links{});
}

TEST(LinkRows, StoredRowsAreReadInPlaceOrCopied) {
  LinkRows rows(1, 3);
  rows.grow(4);
  rows.set_header(2, 0, 3);
  rows.assign(2, Links{0, 1});

  LinkRows view(1, 3);
  view.view(rows.bytes(3));
  EXPECT_EQ(view.size(), 3u);
  EXPECT_EQ(links(view, 2), (Links{0, 1}));
  EXPECT_EQ(view.header(2), 3u);
  EXPECT_THROW(view.grow(10), Error);
  EXPECT_THROW(view.truncate(1), Error);

  LinkRows copy(1, 3);
  copy.grow(4);
  copy.load(rows.bytes(3));
  rows.clear(2);
  EXPECT_EQ(links(copy, 2), (Links{0, 1}));
  EXPECT_EQ(links(view, 2), Links{});
}

TEST(LinkRows, WrongSizesAreRefused) {
  LinkRows rows(1, 3);
  rows.grow(4);
  LinkRows other(1, 3);
  EXPECT_THROW(other.view(rows.bytes(4).first(17)), Error);
  EXPECT_THROW(other.load(rows.bytes(4)), Error);
  EXPECT_THROW(rows.truncate(5), Error);
}

}  // namespace
}  // namespace boon::graph
