#include "boon/graph/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "boon/core/random.h"
#include "boon/graph/link_rows.h"
#include "boon/graph/test_space.h"
#include "boon/graph/traverse.h"

namespace boon::graph {
namespace {

std::vector<Candidate> candidates_of(const TestSpace& space, Node owner) {
  std::vector<Candidate> result;
  for (Node node = 0; node < space.size(); ++node) result.push_back({space.from(owner).distance(node), node});
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<Node> select(const TestSpace& space, Node owner, std::span<const Candidate> candidates, std::size_t limit,
                         float alpha) {
  const LinkRows rows(1, 32);
  Selection selection;
  select_diverse(Floor{rows}, space, owner, candidates, limit, alpha, selection);
  EXPECT_TRUE(std::is_sorted(selection.chosen.begin(), selection.chosen.end()));
  std::vector<Node> nodes;
  for (const Candidate& chosen : selection.chosen) nodes.push_back(chosen.node);
  return nodes;
}

// All the others, for one owner.
std::vector<Node> select(const TestSpace& space, Node owner, std::size_t limit, float alpha) {
  return select(space, owner, candidates_of(space, owner), limit, alpha);
}

// The definition, comparing everything with everything.
std::vector<Node> select_plainly(const TestSpace& space, Node owner, std::span<const Candidate> candidates,
                                 std::size_t limit, float alpha) {
  std::vector<Candidate> chosen;
  const auto taken = [&](Node node) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& c) { return c.node == node; });
  };
  for (const float factor : {1.0F, alpha}) {
    for (const Candidate& candidate : candidates) {
      if (chosen.size() == limit || candidate.node == owner || taken(candidate.node)) continue;
      const bool hidden = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& c) {
        const bool copy_of_owner = c.distance == 0 && candidate.distance > 0;
        return !copy_of_owner && space.from(candidate.node).distance(c.node) * factor <= candidate.distance;
      });
      if (!hidden) chosen.push_back(candidate);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<Node> nodes;
  for (const Candidate& c : chosen) nodes.push_back(c.node);
  return nodes;
}

using Nodes = std::vector<Node>;

TEST(SelectDiverse, ACandidateBehindAChosenOneIsHidden) {
  // On a line: the owner at 0, two to its right and one to its left.
  const TestSpace line(1, {0, 1, 2, -3});
  EXPECT_EQ(select(line, 0, 10, 1), (Nodes{1, 3}));
}

TEST(SelectDiverse, TheSecondRoundTakesWhatIsHiddenNarrowly) {
  // Squared, 2 is at 100 from the owner and at 90 from 1; 3 is at 121 from the owner and at 25 from 1.
  const TestSpace plane(2, {0, 0, 6, 0, 3.8333333F, 9.2361070F, 11, 0});
  EXPECT_EQ(select(plane, 0, 10, 1.0F), (Nodes{1}));
  EXPECT_EQ(select(plane, 0, 10, 1.2F), (Nodes{1, 2}));
  EXPECT_EQ(select(plane, 0, 1, 1.2F), (Nodes{1}));
}

TEST(SelectDiverse, TheOwnerIsNeverChosen) {
  const TestSpace line(1, {0, 1, -1, 0});
  for (Node owner = 0; owner < 4; ++owner) {
    const Nodes chosen = select(line, owner, 10, 1.2F);
    EXPECT_EQ(std::count(chosen.begin(), chosen.end(), owner), 0);
    EXPECT_FALSE(chosen.empty());
  }
}

TEST(SelectDiverse, NeverMoreThanTheLimit) {
  const TestSpace space = uniform_space(200, 24, 3);
  ASSERT_GT(select(space, 0, 32, 1.2F).size(), 10u);
  for (const std::size_t limit : {0UL, 1UL, 5UL, 10UL}) EXPECT_EQ(select(space, 0, limit, 1.2F).size(), limit);
}

TEST(SelectDiverse, OfEqualVectorsOneIsEnough) {
  TestSpace space(2, {0, 0});
  for (int copy = 0; copy < 40; ++copy) space.add(std::vector<float>{1, 0});
  space.add(std::vector<float>{-3, 0});
  EXPECT_EQ(select(space, 0, 16, 1.2F), (Nodes{1, 41}));
}

// Else a crowd of copies would link to each other alone.
TEST(SelectDiverse, ACopyOfItsOwnerLeavesRoomForTheRest) {
  TestSpace space(2);
  for (int copy = 0; copy < 40; ++copy) space.add(std::vector<float>{1, 0});
  space.add(std::vector<float>{-3, 0});
  space.add(std::vector<float>{5, 0});
  for (const float alpha : {1.0F, 1.2F}) EXPECT_EQ(select(space, 7, 16, alpha), (Nodes{0, 40, 41}));
}

TEST(SelectDiverse, EqualsTheDefinition) {
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    // Every second space is a coarse grid, full of ties and copies.
    const bool grid = trial % 2 == 0;
    const std::size_t dim = 1 + random.below(6);
    std::vector<float> values(dim * (2 + random.below(60)));
    for (float& value : values) {
      value = grid ? static_cast<float>(random.below(3)) : static_cast<float>(random.normal());
    }
    const TestSpace space(dim, values);
    const auto owner = static_cast<Node>(random.below(space.size()));
    const std::size_t limit = 1 + random.below(20);
    const float alpha = std::vector<float>{1.0F, 1.1F, 1.2F, 2.0F}[random.below(4)];
    const auto candidates = candidates_of(space, owner);
    EXPECT_EQ(select(space, owner, candidates, limit, alpha), select_plainly(space, owner, candidates, limit, alpha));
  }
}

}  // namespace
}  // namespace boon::graph
