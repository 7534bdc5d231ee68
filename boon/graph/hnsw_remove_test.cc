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

// The node searches start from.
Node entry_node(const TestGraph& test) {
  const auto parts = test.graph.parts(test.space.size());
  if (parts.uppers.empty()) return parts.entry_row;
  const std::size_t words = 2 + test.graph.options().neighbours;
  return stored_words(parts.uppers.back())[parts.entry_row * words];
}

TEST(HnswRemove, HalfTheNodesLeaveAndTheRestIsFoundAsBefore) {
  TestGraph test(uniform_space(scaled(2500), 12, 1), {.build_beam = 64});
  test.insert_all();
  Random random(2);
  remove_half(test, random);
  test.mend();
  expect_whole(test);  // no row and no link is left of the dead
  EXPECT_GE(test.recall(uniform_space(scaled(200), 12, 3), 10, 64), 0.95);
}

TEST(HnswRemove, RemovedNodesAreNotAnsweredBeforeTheyAreTakenOut) {
  TestGraph test(uniform_space(500, 4, 4));
  test.insert_all();
  for (Node node = 0; node < 500; node += 2) test.remove(node);
  const auto check = [&] {
    for (Node node = 0; node < 500; ++node) {
      for (const Candidate& found : test.search(test.space.row(node), 5)) EXPECT_EQ(found.node % 2, 1u);
    }
    EXPECT_EQ(test.lost(), Nodes{});
    EXPECT_EQ(test.fault(), "");
  };
  check();
  test.bypass();
  check();
  test.unlink();
  check();
}

TEST(HnswRemove, AfterTheBypassNoLinkOfALivingNodeLeadsToTheDead) {
  TestGraph test(uniform_space(1000, 6, 5));
  test.insert_all();
  Random random(6);
  remove_half(test, random);
  test.bypass();
  for (Node node = 0; node < 1000; ++node) {
    if (test.live[node] == 0) continue;
    for (const Node link : test.graph.links(node)) EXPECT_NE(test.live[link], 0) << node << " -> " << link;
  }
}

TEST(HnswRemove, TheEntryIsReplaced) {
  TestGraph test(uniform_space(400, 8, 7));
  test.insert_all();
  for (int round = 0; round < 12; ++round) {
    const Node entry = entry_node(test);
    test.remove(entry);
    test.mend();
    EXPECT_NE(entry_node(test), entry);
    ASSERT_EQ(test.fault(), "");
  }
  expect_whole(test);
}

TEST(HnswRemove, TheEntryAndItsNeighboursLeaveTogether) {
  TestGraph test(uniform_space(400, 8, 8));
  test.insert_all();
  const Node entry = entry_node(test);
  for (const Node link : test.graph.links(entry)) test.remove(link);
  test.remove(entry);
  EXPECT_EQ(test.search(test.space.row(entry), 10).size(), 10u);
  test.mend();
  expect_whole(test);
  EXPECT_EQ(test.search(test.space.row(entry), 10).size(), 10u);
}

TEST(HnswRemove, OfTwoNodesTheOtherRemains) {
  for (const Node removed : {0U, 1U}) {
    TestGraph test(uniform_space(2, 8, 9));
    test.insert_all();
    test.remove(removed);
    test.mend();
    const auto found = test.search(test.space.row(removed), 2);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].node, 1 - removed);
  }
}

TEST(HnswRemove, AnEmptiedGraphStartsAgain) {
  TestGraph test(uniform_space(300, 8, 10));
  for (int round = 0; round < 3; ++round) {
    test.insert_all();
    expect_whole(test);
    for (Node node = 0; node < 300; ++node) test.remove(node);
    EXPECT_TRUE(test.search(test.space.row(0), 10).empty());
    test.mend();
    EXPECT_TRUE(test.graph.empty());
    EXPECT_EQ(test.fault(), "");
  }
}

TEST(HnswRemove, AWholeClusterLeavesNoTrace) {
  TestGraph test(clustered_space(10, 60, 6, 11));
  test.insert_all();
  for (Node node = 240; node < 360; ++node) test.remove(node);
  test.mend();
  expect_whole(test);
}

TEST(HnswRemove, FewSurvivorsOfManyAreAllFound) {
  TestGraph test(uniform_space(scaled(2000), 8, 12), {.build_beam = 64});
  test.insert_all();
  for (Node node = 0; node < test.space.size(); ++node) {
    if (node % 50 != 0) test.remove(node);
  }
  test.mend();
  expect_whole(test);
}

TEST(HnswRemove, TheFirstLivingTwinTakesThePlaceOfADeadLeader) {
  TestGraph test(with_copies(300, 3, 13));
  test.insert_all();
  // Of each four equal nodes another set leaves: all 16 of them occur.
  for (Node node = 0; node < 1200; ++node) {
    if ((node % 300 % 16 >> (node / 300) & 1) != 0) test.remove(node);
  }
  test.mend();
  expect_whole(test);
  for (Node node = 0; node < 300; ++node) {
    Nodes expected;
    for (Node copy = node; copy < 1200; copy += 300) {
      if (test.live[copy] != 0) expected.push_back(copy);
    }
    Nodes found;
    for (const Candidate& candidate : test.search(test.space.row(node), 4)) {
      if (candidate.distance == 0) found.push_back(candidate.node);
    }
    std::ranges::sort(found);
    EXPECT_EQ(found, expected);
  }
}

TEST(HnswRemove, AGraphOfCopiesAloneOutlivesItsLeader) {
  TestGraph test(with_copies(1, 5, 14));
  test.insert_all();
  for (Node node = 0; node < 5; ++node) {
    test.remove(node);
    test.mend();
    EXPECT_EQ(test.search(test.space.row(0), 10).size(), 5 - node);
    EXPECT_EQ(test.fault(), "");
  }
}

TEST(HnswRemove, NewNodesMayFollowADeadLeader) {
  TestGraph test(with_copies(100, 1, 15));
  test.insert(0, 100);
  for (Node node = 0; node < 100; ++node) test.remove(node);
  test.insert(100, 100);  // chained to the removed, which are still in the graph
  expect_whole(test);
  test.mend();
  expect_whole(test);
  EXPECT_EQ(test.search(test.space.row(0), 200).size(), 100u);
}

TEST(HnswRemove, PlacesAreUsedAgain) {
  TestGraph test(uniform_space(800, 8, 16));
  test.insert_all();
  const TestSpace fresh = uniform_space(800, 8, 17);
  Nodes again;
  for (Node node = 0; node < 800; node += 3) {
    test.remove(node);
    again.push_back(node);
  }
  test.mend();
  for (const Node node : again) test.space.set(node, fresh.row(node));
  test.insert(again);
  expect_whole(test);
  EXPECT_EQ(test.search(test.space.row(0), 1000, 1000).size(), 800u);
}

TEST(HnswRemove, TenRoundsOfChurnCostAtMostAPointOfRecall) {
  constexpr HnswOptions kOptions{.neighbours = 12, .build_beam = 40};
  constexpr std::size_t kNodes = scaled(1000);
  TestGraph test(uniform_space(kNodes, 12, 18), kOptions);
  test.insert_all();
  Random random(19);
  for (std::uint64_t round = 0; round < 10; ++round) {
    remove_half(test, random);
    test.mend();
    const TestSpace fresh = uniform_space(kNodes, 12, 100 + round);
    Nodes again;
    for (Node node = 0; node < kNodes; ++node) {
      if (test.live[node] != 0) continue;
      test.space.set(node, fresh.row(node));
      again.push_back(node);
    }
    test.insert(again);
    ASSERT_EQ(test.repair().unreachable, 0u);
    ASSERT_EQ(test.fault(), "") << "after round " << round;
  }
  EXPECT_EQ(test.lost(), Nodes{});
  TestGraph built(test.space, kOptions);
  built.insert_all();
  const TestSpace queries = uniform_space(scaled(300), 12, 20);
  for (const std::size_t beam : {16UL, 48UL}) {
    EXPECT_GE(test.recall(queries, 10, beam), built.recall(queries, 10, beam) - 0.01) << "beam " << beam;
  }
}

}  // namespace
}  // namespace boon::graph
