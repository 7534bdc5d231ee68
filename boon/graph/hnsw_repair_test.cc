#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "boon/core/random.h"
#include "boon/graph/hnsw.h"
#include "boon/graph/test_graph.h"

namespace boon::graph {
namespace {

using Nodes = std::vector<Node>;

// All that live are found, and nothing but them is left in the graph.
void expect_whole(const TestGraph& test) {
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
}

// A graph over all of a space in which no other node links to the isolated ones, and of the floor alone.
class IsolatedGraph : public TestGraph {
 public:
  IsolatedGraph(const TestSpace& space_, const HnswOptions& options, const Nodes& isolated)
      : TestGraph(space_, options) {
    TestGraph whole(space_, options);
    whole.insert_all();
    std::vector<Node> floor = stored_words(whole.graph.parts(space.size()).floor);
    const auto words = static_cast<std::ptrdiff_t>(1 + 2 * options.neighbours);
    const auto is_isolated = [&](Node node) { return std::ranges::find(isolated, node) != isolated.end(); };
    for (Node node = 0; node < space.size(); ++node) {
      if (is_isolated(node)) continue;
      const auto links = floor.begin() + node * words + 1;
      const auto end = links + words - 1;
      std::fill(std::remove_if(links, end, is_isolated), end, kNone);
    }
    for (Node& word : floor) ++word;  // as it is stored
    graph.adopt({.floor = as_bytes(floor.data(), floor.size()), .uppers = {}, .entry_row = 0}, space.size(), true);
    live.assign(space.size(), 1);
  }
};

TEST(HnswRepair, SingleNodesAreLinkedAgain) {
  const Nodes isolated{5, 17, 300, 301, 499};
  IsolatedGraph test(uniform_space(500, 8, 21), {.build_beam = 48}, isolated);
  ASSERT_EQ(test.unreachable(), isolated.size());
  ASSERT_GE(test.lost().size(), isolated.size());
  const Reachability left = test.repair();
  EXPECT_EQ(left.nodes, 500u);
  EXPECT_EQ(left.unreachable, 0u);
  expect_whole(test);
}

TEST(HnswRepair, IslandsAreBridged) {
  Nodes island;
  for (Node node = 100; node < 200; ++node) island.push_back(node);
  IsolatedGraph test(clustered_space(8, 50, 6, 22), {.build_beam = 48}, island);
  ASSERT_EQ(test.unreachable(), 100u);
  EXPECT_EQ(test.repair().unreachable, 0u);
  EXPECT_EQ(test.fault(), "");
}

TEST(HnswRepair, FullRowsGiveUpALinkThatOthersHave) {
  Nodes isolated;
  for (Node node = 100; node < 130; ++node) isolated.push_back(node);
  IsolatedGraph test(uniform_space(400, 2, 23), {.neighbours = 2, .build_beam = 20}, isolated);
  ASSERT_GE(test.unreachable(), 1u);
  EXPECT_EQ(test.repair().unreachable, 0u);
  EXPECT_EQ(test.fault(), "");
}

TEST(HnswRepair, ANodeWithoutLinksGetsSome) {
  TestGraph test(uniform_space(300, 8, 24));
  test.insert(0, 299);
  test.live[299] = 1;
  EXPECT_EQ(test.unreachable(), 1u);
  EXPECT_EQ(test.repair().unreachable, 0u);
  EXPECT_FALSE(test.graph.links(299).empty());
  expect_whole(test);
}

TEST(HnswRepair, AWholeGraphStaysAsItIs) {
  TestGraph test(uniform_space(500, 8, 25));
  test.insert_all();
  const auto before = test.graph.parts(500).floor;
  const std::vector<std::byte> kept(before.begin(), before.end());
  const Reachability left = test.repair();
  EXPECT_EQ(left.nodes, 500u);
  EXPECT_EQ(left.unreachable, 0u);
  EXPECT_TRUE(std::ranges::equal(test.graph.parts(500).floor, kept));
}

TEST(HnswRepair, AnEmptyGraphHasNothingToLinkFrom) {
  TestGraph test(uniform_space(3, 2, 26));
  test.graph.grow(3, {});
  test.live.assign(3, 1);
  EXPECT_EQ(test.repair().unreachable, 3u);
}

// Moves what lives to the front, as an index does.
void compact(TestGraph& test) {
  Nodes renumbered(test.space.size(), kNone);
  TestSpace space(test.space.row(0).size());
  Node kept = 0;
  for (Node node = 0; node < test.space.size(); ++node) {
    if (test.live[node] == 0) continue;
    renumbered[node] = kept++;
    space.add(test.space.row(node));
  }
  test.graph.compact(renumbered, kept);
  test.space = space;
  test.live.assign(kept, 1);
  test.dead.assign(kept, 0);
}

TEST(HnswCompact, KeepsEveryAnswerAndGivesTheRestBack) {
  TestGraph test(with_copies(400, 1, 27));
  test.insert_all();
  Random random(28);
  remove_half(test, random);
  test.mend();
  const TestSpace queries = uniform_space(50, 6, 29);
  std::vector<std::vector<float>> before;
  const auto answers = [&](Node query) {
    std::vector<float> distances;
    for (const Candidate& found : test.search(queries.row(query), 10)) distances.push_back(found.distance);
    return distances;
  };
  for (Node query = 0; query < 50; ++query) before.push_back(answers(query));
  compact(test);
  EXPECT_EQ(test.graph.capacity(), test.space.size());
  expect_whole(test);
  for (Node query = 0; query < 50; ++query) EXPECT_EQ(answers(query), before[query]);
}

TEST(HnswCompact, ACompactedGraphGrowsAgain) {
  TestGraph test(uniform_space(500, 6, 30));
  test.insert_all();
  for (int round = 0; round < 3; ++round) {
    Random random(31);
    remove_half(test, random);
    test.mend();
    compact(test);
    const std::size_t kept = test.space.size();
    const TestSpace more = uniform_space(500 - kept, 6, 32);
    for (Node node = 0; node < more.size(); ++node) test.space.add(more.row(node));
    test.insert(kept, more.size());
    expect_whole(test);
  }
}

TEST(HnswCompact, NothingLeftTakesNoMemory) {
  TestGraph test(uniform_space(100, 6, 33));
  test.insert_all();
  for (Node node = 0; node < 100; ++node) test.remove(node);
  test.mend();
  const Nodes renumbered(100, kNone);
  test.graph.compact(renumbered, 0);
  EXPECT_EQ(test.graph.capacity(), 0u);
  EXPECT_EQ(test.graph.bytes(0), 0u);
  test.insert_all();
  expect_whole(test);
}

}  // namespace
}  // namespace boon::graph
