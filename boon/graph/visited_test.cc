#include "boon/graph/visited.h"

#include <gtest/gtest.h>

namespace boon::graph {
namespace {

TEST(Visited, MarksANodeOnce) {
  Visited visited;
  visited.start(10);
  EXPECT_FALSE(visited.contains(3));
  EXPECT_TRUE(visited.mark(3));
  EXPECT_FALSE(visited.mark(3));
  EXPECT_TRUE(visited.contains(3));
  EXPECT_TRUE(visited.mark(9));
}

// A mark of search i must not come back when the number of the search does, 255 searches later.
TEST(Visited, ForgetsForEverThoughNumbersRepeat) {
  Visited visited;
  for (Node search = 0; search < 1100; ++search) {
    visited.start(1100);
    for (Node node = 0; node < search; ++node) ASSERT_FALSE(visited.contains(node)) << "in search " << search;
    ASSERT_TRUE(visited.mark(search));
  }
}

TEST(Visited, NodesThatCameLaterAreNotMarked) {
  Visited visited;
  for (int search = 0; search < 300; ++search) visited.start(10);
  visited.mark(5);
  visited.start(5000);
  for (Node node = 0; node < 5000; ++node) ASSERT_TRUE(visited.mark(node));
  EXPECT_FALSE(visited.contains(1000000));
}

}  // namespace
}  // namespace boon::graph
