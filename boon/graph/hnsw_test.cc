#include "boon/graph/hnsw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "boon/core/error.h"
#include "boon/graph/test_graph.h"

namespace boon::graph {
namespace {

using Nodes = std::vector<Node>;

TEST(Hnsw, AnEmptyGraphAnswersNothing) {
  const TestGraph test(uniform_space(5, 4, 1));
  EXPECT_TRUE(test.graph.empty());
  EXPECT_EQ(test.graph.levels(), 0u);
  EXPECT_TRUE(test.search(test.space.row(0), 10).empty());
  EXPECT_EQ(test.fault(), "");
}

TEST(Hnsw, OneNodeIsFound) {
  TestGraph test(uniform_space(5, 4, 1));
  test.insert(3, 1);
  const auto found = test.search(test.space.row(0), 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].node, 3u);
  EXPECT_EQ(found[0].distance, test.space.from(0).distance(3));
  EXPECT_TRUE(test.search(test.space.row(0), 0).empty());
}

TEST(Hnsw, InvariantsHoldAndRecallReachesItsFloor) {
  TestGraph test(uniform_space(scaled(5000), 16, 2), {.build_beam = 64});
  test.insert_all();
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_GE(test.recall(uniform_space(scaled(200), 16, 3), 10, 64), 0.95);
  EXPECT_EQ(test.lost(), Nodes{});
}

TEST(Hnsw, LevelsHoldTheNodesThatWereDrawnForThem) {
  TestGraph test(uniform_space(scaled(2000), 4, 4), {.neighbours = 4, .build_beam = 20});
  test.insert_all();
  Nodes reach(kMaxLevel + 1, 0);
  for (Node node = 0; node < test.space.size(); ++node) {
    for (std::size_t level = 0; level <= draw_level(test.graph.options().seed, node, 4); ++level) ++reach[level];
  }
  ASSERT_GE(test.graph.levels(), 4u);
  for (std::size_t level = 1; level < test.graph.levels(); ++level) {
    EXPECT_EQ(test.graph.rows_on_level(level), reach[level]);
  }
  EXPECT_EQ(reach[test.graph.levels()], 0u);
}

TEST(Hnsw, AWiderBeamFindsMore) {
  TestGraph test(uniform_space(scaled(1500), 24, 5), {.neighbours = 6, .build_beam = 30});
  test.insert_all();
  const TestSpace queries = uniform_space(40, 24, 6);
  const double narrow = test.recall(queries, 10, 10);
  const double wide = test.recall(queries, 10, 500);
  EXPECT_LT(narrow, 0.95);
  EXPECT_GT(wide, 0.99);
}

// Notes what it is asked to score.
struct NotingScorer {
  TestSpace::Scorer scorer;
  Nodes* scored;
  void score(std::span<const Node> nodes, float* out) const noexcept {
    scored->insert(scored->end(), nodes.begin(), nodes.end());
    scorer.score(nodes, out);
  }
  void prefetch(Node) const noexcept {}
};

TEST(Hnsw, AHiddenNodeIsNeitherAnsweredNorScored) {
  // Each row is there twice.
  TestSpace space = uniform_space(300, 6, 9);
  for (Node node = 0; node < 300; ++node) {
    const std::vector<float> row(space.row(node).begin(), space.row(node).end());
    space.add(row);
  }
  TestGraph test(std::move(space), {.neighbours = 4, .build_beam = 30});
  test.insert_all();
  const Nodes arrivals = test.graph.arrivals();
  EXPECT_GE(arrivals.size(), test.graph.rows_on_level(1));
  Scratch scratch;
  std::size_t asked = 0;
  for (Node node = 0; node < 300; ++node) {
    const Nodes twins = test.graph.twins_of(node);
    ASSERT_EQ(twins, Nodes{node + 300});
    EXPECT_TRUE(test.graph.twins_of(twins[0]).empty());
    if (std::ranges::find(arrivals, node) != arrivals.end()) continue;
    Nodes scored;
    scratch.hidden = node;
    const auto found = test.graph.search(NotingScorer{test.space.from(node), &scored}, 10, 64, AcceptAll{}, scratch);
    EXPECT_EQ(found.size(), 10U);
    for (const Candidate& candidate : found) EXPECT_GT(candidate.distance, 0);
    EXPECT_EQ(std::ranges::find(scored, node), scored.end());
    EXPECT_GT(scored.size(), 64U);
    ++asked;
  }
  EXPECT_GT(asked, 150U);
}

TEST(Hnsw, SearchesArriveWhereTheyBegin) {
  TestGraph test(uniform_space(5, 4, 1), {.level_mult = 1e9});
  EXPECT_TRUE(test.graph.arrivals().empty());
  test.insert_all();
  ASSERT_EQ(test.graph.levels(), 1U);
  EXPECT_EQ(test.graph.arrivals().size(), 1U);
}

TEST(Hnsw, AnswersComeNearestFirstEachOnce) {
  TestGraph test(uniform_space(300, 3, 7));
  test.insert_all();
  const TestSpace queries = uniform_space(20, 3, 8);
  for (Node query = 0; query < queries.size(); ++query) {
    const auto found = test.search(queries.row(query), 1000);  // more than there are
    const auto truth = test.exact(queries.row(query), 1000);
    ASSERT_EQ(found.size(), 300u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].node, truth[i].node);
      EXPECT_EQ(found[i].distance, truth[i].distance);
    }
  }
}

TEST(Hnsw, OnlyAcceptedNodesAreAnsweredOthersAreWalkedThrough) {
  TestGraph test(uniform_space(scaled(2000), 8, 9));
  test.insert_all();
  Scratch scratch;
  const auto query = test.space.to(test.space.row(1));
  const auto found = test.graph.search(
      query, 10, 200, [](Node node) { return node % 4 == 2; }, scratch);
  EXPECT_EQ(found.size(), 10u);
  for (const Candidate& candidate : found) EXPECT_EQ(candidate.node % 4, 2u);
}

TEST(Hnsw, AcceptingAllIsTheSameAsNoFilter) {
  TestSpace space = uniform_space(1000, 4, 21);
  for (Node node = 500; node < 1000; ++node) {
    const auto row = space.row(node % 100);
    space.set(node, std::vector<float>(row.begin(), row.end()));
  }
  TestGraph test(space);
  test.insert_all();
  Scratch scratch;
  for (Node node = 0; node < 1000; node += 10) {
    for (const std::size_t k : {1UL, 4UL, 40UL}) {
      const auto filtered = test.search(space.row(node), k, 40);
      const auto found = test.graph.search(space.from(node), k, 40, AcceptAll{}, scratch);
      EXPECT_TRUE(std::ranges::equal(found, filtered, {}, &Candidate::distance, &Candidate::distance));
      std::set<Node> distinct;
      for (const Candidate& candidate : found) {
        EXPECT_EQ(candidate.distance, space.from(node).distance(candidate.node));
        distinct.insert(candidate.node);
      }
      EXPECT_EQ(distinct.size(), k);
    }
  }
}

TEST(Hnsw, StatisticsCountWhatASearchDid) {
  TestGraph test(uniform_space(scaled(2000), 8, 10));
  test.insert_all();
  std::size_t scored = 0;
  struct Counting {
    TestSpace::Scorer scorer;
    std::size_t* scored;
    void score(std::span<const Node> nodes, float* out) const noexcept {
      *scored += nodes.size();
      scorer.score(nodes, out);
    }
    void prefetch(Node) const noexcept {}
  };
  Scratch scratch;
  test.graph.search(
      Counting{test.space.from(0), &scored}, 10, 50, [](Node) { return true; }, scratch);
  EXPECT_EQ(scratch.statistics.distances, scored);
  EXPECT_LT(scored, test.space.size());
  EXPECT_GE(scratch.statistics.hops, 50u);
}

TEST(Hnsw, ClusteredDataIsReachedInAnyOrder) {
  for (const bool sorted : {true, false}) {
    TestGraph test(clustered_space(25, scaled(80), 8, 11));
    Nodes order(test.space.size());
    std::iota(order.begin(), order.end(), 0U);
    if (!sorted) std::sort(order.begin(), order.end(), [](Node a, Node b) { return splitmix64(a) < splitmix64(b); });
    test.insert(order);
    EXPECT_EQ(test.repair().unreachable, 0u) << (sorted ? "sorted" : "shuffled");
    EXPECT_EQ(test.fault(), "");
    EXPECT_EQ(test.lost(), Nodes{}) << (sorted ? "sorted" : "shuffled");
  }
}

// Each new node lies beyond all before it.
TEST(Hnsw, NodesInSortedOrderAreAllFound) {
  TestSpace space = uniform_space(scaled(3000), 4, 12);
  for (Node node = 0; node < space.size(); ++node) {
    std::vector<float> row(space.row(node).begin(), space.row(node).end());
    row[0] += static_cast<float>(node) * 0.01F;
    space.set(node, row);
  }
  TestGraph test(space, {.build_beam = 64});
  test.insert_all();
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
}

// A batch is planned before any of it is linked. If all of it is news from the same far place, the few links that lead
// there must still reach everything.
TEST(Hnsw, ABatchFromAFarPlaceIsReached) {
  TestSpace space = uniform_space(scaled(6000), 8, 13);
  for (auto node = static_cast<Node>(space.size() - scaled(200)); node < space.size(); ++node) {
    std::vector<float> row(space.row(node).begin(), space.row(node).end());
    for (float& value : row) value = 100 + value * 0.1F;
    space.set(node, row);
  }
  TestGraph test(space, {.build_beam = 40});
  test.insert_all();
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
}

TEST(Hnsw, CopiesAreAllAnswered) {
  TestSpace space(5);
  for (int copy = 0; copy < 100; ++copy) {
    for (std::size_t axis = 0; axis < 5; ++axis) {
      std::vector<float> row(5, 0.0F);
      row[axis] = 1;
      space.add(row);
    }
  }
  TestGraph test(space);
  test.insert_all();
  EXPECT_EQ(test.fault(), "");
  for (Node axis = 0; axis < 5; ++axis) {
    const auto found = test.search(space.row(axis), 100);
    ASSERT_EQ(found.size(), 100u);
    std::set<Node> distinct;
    for (const Candidate& candidate : found) {
      EXPECT_EQ(candidate.distance, 0);
      EXPECT_EQ(candidate.node % 5, axis);
      distinct.insert(candidate.node);
    }
    EXPECT_EQ(distinct.size(), 100u);
  }
  EXPECT_EQ(test.search(space.row(0), 1000).size(), 500u);
}

TEST(Hnsw, ACrowdOfCopiesDoesNotCloseTheGraph) {
  TestSpace space = uniform_space(2062, 12, 14);
  const std::vector<float> copied(space.row(0).begin(), space.row(0).end());
  for (Node node = 0; node < 1062; ++node) space.set(node, copied);
  TestGraph test(space, {.build_beam = 64});
  test.insert_all();
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
  const auto found = test.search(copied, 1062);
  ASSERT_EQ(found.size(), 1062u);
  EXPECT_EQ(found.back().distance, 0);
}

// A copy whose leader is not met on the way (or is equal in distance alone) is linked like any node.
class UnrecognisedCopies : public TestSpace {
 public:
  using TestSpace::TestSpace;
  std::uint64_t fingerprint(Node node) const noexcept { return node; }
  bool same(Node a, Node b) const noexcept { return a == b; }
};

TEST(Hnsw, CopiesThatAreNotRecognisedDoNotCloseTheGraphEither) {
  for (const double alpha : {1.0, 1.2}) {
    std::vector<float> values = random_values(std::size_t{700} * 8, 16);
    for (std::size_t i = 8; i < std::size_t{300} * 8; ++i) values[i] = values[i % 8];
    const UnrecognisedCopies space(8, values);
    Hnsw graph({.build_beam = 64, .alpha = alpha});
    Nodes nodes(space.size());
    std::iota(nodes.begin(), nodes.end(), 0U);
    graph.grow(space.size(), nodes);
    ThreadPool threads(1);
    graph.insert(space, nodes, threads, [](auto) { return true; });
    graph.repair(space, space.size(), [](Node) { return true; });
    Scratch scratch;
    for (Node node = 300; node < 700; ++node) {
      const auto found = graph.search(
          space.from(node), 1, 64, [](Node) { return true; }, scratch);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].node, node) << "alpha " << alpha;
    }
  }
}

TEST(Hnsw, GrowsInStepsWithoutAPresetCapacity) {
  TestGraph steps(uniform_space(600, 8, 17));
  for (std::size_t first = 0; first < 600; first += 50) steps.insert(first, 50);
  EXPECT_EQ(steps.fault(), "");
  EXPECT_EQ(steps.lost(), Nodes{});
}

TEST(Hnsw, MoreNodesThanNumbersAreRefused) {
  Hnsw graph({});
  try {
    graph.grow(kMaxNodes + 1, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
  EXPECT_EQ(graph.capacity(), 0u);
}

TEST(Hnsw, InsertionStopsAfterTheBatchThatWasRefused) {
  TestGraph test(uniform_space(1000, 8, 18));
  Nodes nodes(1000);
  std::iota(nodes.begin(), nodes.end(), 0U);
  test.graph.grow(1000, nodes);
  const std::size_t done = test.graph.insert(test.space, nodes, test.threads, [&](std::span<const Node> batch) {
    for (const Node node : batch) test.live[node] = 1;
    return batch.back() < 499;
  });
  EXPECT_GE(done, 500u);
  EXPECT_LT(done, 520u);
  EXPECT_EQ(std::count(test.live.begin(), test.live.end(), 1), static_cast<std::ptrdiff_t>(done));
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.lost(), Nodes{});
}

TEST(Hnsw, SettlingChangesNoAnswer) {
  TestGraph kept(uniform_space(800, 8, 19));
  TestGraph settled(uniform_space(800, 8, 19));
  for (TestGraph* test : {&kept, &settled}) {
    test->insert(0, 400);
    if (test == &settled) test->graph.settle();
    test->insert(400, 400);
  }
  const auto a = kept.graph.parts(800);
  const auto b = settled.graph.parts(800);
  EXPECT_TRUE(std::ranges::equal(a.floor, b.floor));
}

TEST(Hnsw, BytesCountTheRowsInUse) {
  TestGraph test(uniform_space(600, 4, 20), {.neighbours = 8});
  test.insert_all();
  test.graph.settle();
  std::size_t expected = 600 * (1 + 16) * sizeof(Node);
  for (std::size_t level = 1; level < test.graph.levels(); ++level) {
    expected += test.graph.rows_on_level(level) * (2 + 8) * sizeof(Node);
  }
  EXPECT_EQ(test.graph.bytes(600), expected);
}

}  // namespace
}  // namespace boon::graph
