#include "boon/graph/visited.h"

#include <gtest/gtest.h>

namespace boon::graph {
namespace {

TEST(Visited, MarksANodeOnce) {
  Visited visited;
  const Visited::Marks marks = visited.start(10);
  EXPECT_TRUE(marks.mark(3));
  EXPECT_FALSE(marks.mark(3));
  EXPECT_TRUE(marks.mark(9));
  EXPECT_FALSE(marks.mark(3));
}

// A mark must not come back when the number of its search does, 255 searches later, nor around then.
TEST(Visited, ForgetsForEverThoughNumbersRepeat) {
  constexpr Node kSearches = 1100, kFirst = 253, kLags = 5;
  Visited visited;
  for (Node search = 0; search < kSearches; ++search) {
    const Visited::Marks marks = visited.start(kSearches * kLags);
    for (Node lag = 0; lag < kLags; ++lag) {
      ASSERT_TRUE(marks.mark(search * kLags + lag));
      // Each of these was marked once, in its own search, and is asked for once.
      if (search < kFirst + lag) continue;
      ASSERT_TRUE(marks.mark((search - kFirst - lag) * kLags + lag)) << kFirst + lag << " searches before " << search;
    }
  }
}

TEST(Visited, NodesThatCameLaterAreNotMarked) {
  Visited visited;
  for (int search = 0; search < 300; ++search) visited.start(10);
  visited.start(10).mark(5);
  const Visited::Marks marks = visited.start(5000);
  for (Node node = 0; node < 5000; ++node) ASSERT_TRUE(marks.mark(node));
}

}  // namespace
}  // namespace boon::graph
