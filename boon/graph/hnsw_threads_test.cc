#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "boon/core/random.h"
#include "boon/graph/hnsw.h"
#include "boon/graph/test_graph.h"

namespace boon::graph {
namespace {

using Nodes = std::vector<Node>;

// All bytes of a graph and where its searches begin.
struct Stored {
  std::vector<std::vector<std::byte>> parts;
  Node entry_row;

  explicit Stored(const TestGraph& test) {
    const auto from = test.graph.parts(test.space.size());
    parts.emplace_back(from.floor.begin(), from.floor.end());
    for (const Bytes& upper : from.uppers) parts.emplace_back(upper.begin(), upper.end());
    entry_row = from.entry_row;
  }
  friend bool operator==(const Stored&, const Stored&) = default;
};

// With copies inside a batch and across batches.
TestSpace space_with_copies(std::size_t rows, std::uint64_t seed) {
  TestSpace space = uniform_space(rows, 8, seed);
  for (Node node = 2; node < rows; ++node) {
    const Node earlier = node % 10 == 0 ? node - 1 : node % 10 == 1 ? node / 2 : node;
    space.set(node, std::vector<float>(space.row(earlier).begin(), space.row(earlier).end()));
  }
  return space;
}

TEST(HnswThreads, TheGraphIsTheSameBytesOnAnyNumberOfThreads) {
  std::vector<Stored> built;
  std::vector<Stored> mended;
  for (const std::size_t threads : {1UL, 2UL, 8UL}) {
    TestGraph test(space_with_copies(2000, 1), {.neighbours = 8, .build_beam = 50}, threads);
    test.insert_all();
    built.emplace_back(test);
    for (Node node = 0; node < 2000; ++node) {
      if (splitmix64(node) % 3 == 0) test.remove(node);
    }
    test.mend();
    mended.emplace_back(test);
  }
  EXPECT_GE(built[0].parts.size(), 3u);
  EXPECT_NE(built[0], mended[0]);
  EXPECT_TRUE(built[0] == built[1]);
  EXPECT_TRUE(built[0] == built[2]);
  EXPECT_TRUE(mended[0] == mended[1]);
  EXPECT_TRUE(mended[0] == mended[2]);
}

TEST(HnswThreads, AnotherSeedGivesAnotherGraph) {
  TestGraph a(uniform_space(500, 8, 2), {.seed = 1});
  TestGraph b(uniform_space(500, 8, 2), {.seed = 2});
  a.insert_all();
  b.insert_all();
  EXPECT_FALSE(Stored(a) == Stored(b));
}

// Threads that search, from before the work begins until it is done.
// Their answers must be sorted, distinct, accepted and of the right distance.
template <class Accept, class Work>
void search_during(const TestGraph& test, Accept accept, Work work) {
  constexpr std::size_t kReaders = 3;
  std::atomic<std::size_t> started{0};
  std::atomic<bool> done{false};
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      Scratch scratch;
      Random random(reader);
      do {
        const auto query = test.space.from(static_cast<Node>(random.below(test.space.size())));
        const auto found = test.graph.search(query, 10, 30, accept, scratch);
        bool fine = std::ranges::is_sorted(found, {}, &Candidate::distance);
        for (std::size_t i = 0; i < found.size(); ++i) {
          fine &= found[i].node < test.space.size() && accept(found[i].node);
          fine &= found[i].distance == query.distance(found[i].node);
          for (std::size_t j = 0; j < i; ++j) fine &= found[i].node != found[j].node;
        }
        wrong += fine ? 0 : 1;
        ++started;
      } while (!done);
    });
  }
  while (started == 0) std::this_thread::yield();
  work();
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(HnswThreads, SearchesGoOnDuringInsertion) {
  TestGraph test(space_with_copies(2000, 3), {.neighbours = 8, .build_beam = 40}, 2);
  Nodes nodes(2000);
  for (Node node = 0; node < 2000; ++node) nodes[node] = node;
  test.graph.grow(2000, nodes);  // the one step that needs the graph for itself
  search_during(
      test, [](Node) { return true; },
      [&] { test.graph.insert(test.space, nodes, test.threads, [](std::span<const Node>) { return true; }); });
  test.live.assign(2000, 1);
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
}

TEST(HnswThreads, ANodeIsFoundFromTheMomentItsBatchIsLinked) {
  TestGraph test(uniform_space(1000, 4, 4), {.neighbours = 16, .build_beam = 40}, 2);
  Nodes nodes(1000);
  for (Node node = 0; node < 1000; ++node) nodes[node] = node;
  test.graph.grow(1000, nodes);
  Scratch scratch;
  std::size_t lost = 0;
  test.graph.insert(test.space, nodes, test.threads, [&](std::span<const Node> batch) {
    for (const Node node : batch) {
      const auto found = test.graph.search(
          test.space.from(node), 1, 64, [](Node) { return true; }, scratch);
      lost += found.size() == 1 && found[0].node == node ? 0 : 1;
    }
    return true;
  });
  EXPECT_EQ(lost, 0u);
}

TEST(HnswThreads, SearchesGoOnWhileNodesAreTakenOut) {
  TestGraph test(space_with_copies(2000, 5), {.neighbours = 8, .build_beam = 40}, 2);
  test.insert_all();
  for (Node node = 0; node < 2000; ++node) {
    if (splitmix64(node) % 2 == 0) test.remove(node);
  }
  search_during(test, test.is_live(), [&] {
    test.bypass();
    test.repair();
  });
  test.unlink();  // needs the graph for itself
  search_during(test, test.is_live(), [&] { test.repair(); });
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.unreachable(), 0u);
  EXPECT_EQ(test.lost(), Nodes{});
}

}  // namespace
}  // namespace boon::graph
