#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/graph/hnsw.h"
#include "boon/graph/test_graph.h"

namespace boon::graph {
namespace {

constexpr std::size_t kNeighbours = 4;
constexpr std::size_t kFloorWords = 1 + 2 * kNeighbours;
constexpr std::size_t kUpperWords = 2 + kNeighbours;
constexpr HnswOptions kOptions{.neighbours = kNeighbours, .build_beam = 30};

// A stored graph that can be damaged. Words are numbers as a graph sees them; they are stored plus one.
struct Stored {
  std::vector<Node> floor;
  std::vector<std::vector<Node>> uppers;
  Node entry_row = kNone;
  std::size_t nodes = 0;

  explicit Stored(const TestGraph& graph)
      : floor(stored_words(graph.graph.parts(graph.space.size()).floor)), nodes(graph.space.size()) {
    const auto parts = graph.graph.parts(nodes);
    for (const Bytes& upper : parts.uppers) uppers.push_back(stored_words(upper));
    entry_row = parts.entry_row;
  }

  Node& chained(Node node) { return floor[node * kFloorWords]; }
  Node& link(Node node, std::size_t i) { return floor[node * kFloorWords + 1 + i]; }
  Node& owner(std::size_t level, Node row) { return uppers[level - 1][row * kUpperWords]; }
  Node& below(std::size_t level, Node row) { return uppers[level - 1][row * kUpperWords + 1]; }
  Node& upper_link(std::size_t level, Node row, std::size_t i) { return uppers[level - 1][row * kUpperWords + 2 + i]; }
  bool is_twin(Node node) { return link(node, 0) == node; }
  Node some_twin(std::size_t which = 0) {
    for (Node node = 0; node < nodes; ++node) {
      if (is_twin(node) && which-- == 0) return node;
    }
    return kNone;
  }
  Node predecessor(Node twin) {
    Node node = 0;
    while (chained(node) != twin) ++node;
    return node;
  }
};

// Keeps the stored form of what it adopts.
class Adopted {
 public:
  Adopted(Stored stored, bool copy) : graph(kOptions) {
    const auto keep = [&](std::vector<Node> words) {
      for (Node& word : words) ++word;
      kept_.push_back(std::move(words));
      return as_bytes(kept_.back().data(), kept_.back().size());
    };
    kept_.reserve(1 + stored.uppers.size());
    Hnsw::Parts parts;
    parts.floor = keep(std::move(stored.floor));
    for (auto& upper : stored.uppers) parts.uppers.push_back(keep(std::move(upper)));
    parts.entry_row = stored.entry_row;
    graph.adopt(parts, stored.nodes, copy);
  }

 private:
  std::vector<std::vector<Node>> kept_;

 public:
  Hnsw graph;
};

class HnswParts : public ::testing::Test {
 protected:
  // 300 nodes, then copies of 60 of them.
  HnswParts() : whole(space_of_60_copies(), kOptions) { whole.insert_all(); }

  static TestSpace space_of_60_copies() {
    TestSpace space = uniform_space(300, 4, 1);
    for (Node node = 0; node < 60; ++node) {
      space.add(std::vector<float>(space.row(node % 20).begin(), space.row(node % 20).end()));
    }
    return space;
  }
  Stored stored() const { return Stored(whole); }

  // What adopting says of a damaged graph; both ways to adopt say the same.
  std::string complaint(const std::function<void(Stored&)>& damage) const {
    std::string said[2];
    for (const bool copy : {false, true}) {
      Stored damaged = stored();
      damage(damaged);
      try {
        const Adopted adopted(damaged, copy);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::corrupted);
        said[copy ? 1 : 0] = error.what();
      }
    }
    EXPECT_EQ(said[0], said[1]);
    return said[0];
  }

  TestGraph whole;
};

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(HnswParts, AnAdoptedGraphAnswersTheSame) {
  ASSERT_GE(stored().uppers.size(), 2u);
  for (const bool copy : {false, true}) {
    const Adopted adopted(stored(), copy);
    EXPECT_EQ(adopted.graph.levels(), whole.graph.levels());
    const auto parts = adopted.graph.parts(whole.space.size());
    EXPECT_TRUE(std::ranges::equal(parts.floor, whole.graph.parts(whole.space.size()).floor));
    Scratch scratch;
    for (Node node = 0; node < whole.space.size(); ++node) {
      const auto expected = whole.search(whole.space.row(node), 10);
      const auto found = adopted.graph.search(
          whole.space.from(node), 10, 64, [](Node) { return true; }, scratch);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].node, expected[i].node);
    }
  }
}

TEST_F(HnswParts, AnEmptyGraphAndASingleNodeComeBack) {
  for (const std::size_t inserted : {0UL, 1UL}) {
    TestGraph test(uniform_space(1, 4, 2), kOptions);
    test.insert(0, inserted);
    Stored few(test);
    if (inserted == 0) few.nodes = few.floor.size() / kFloorWords;
    const Adopted adopted(few, true);
    Scratch scratch;
    EXPECT_EQ(adopted.graph
                  .search(
                      test.space.from(0), 3, 10, [](Node) { return true; }, scratch)
                  .size(),
              inserted);
  }
}

TEST_F(HnswParts, AnAdoptedCopyGrowsOn) {
  TestGraph test(whole.space, kOptions);
  const auto parts = whole.graph.parts(whole.space.size());
  test.graph.adopt(parts, whole.space.size(), true);
  test.live = whole.live;
  const TestSpace more = uniform_space(300, 4, 3);
  for (Node node = 0; node < 300; ++node) test.space.add(more.row(node));
  test.insert(360, 300);
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.lost(), std::vector<Node>{});
  for (Node node = 0; node < 660; node += 2) test.remove(node);
  test.mend();
  EXPECT_EQ(test.fault(), "");
  EXPECT_EQ(test.lost(), std::vector<Node>{});
}

TEST_F(HnswParts, LinksOutsideTheGraphAreRefused) {
  EXPECT_THAT(complaint([](Stored& s) { s.link(7, 1) = 360; }), AllOf(HasSubstr("row 7"), HasSubstr("360")));
  EXPECT_THAT(complaint([](Stored& s) { s.link(7, 0) = kNone - 1; }), HasSubstr("row 7"));
  EXPECT_THAT(complaint([](Stored& s) { s.upper_link(1, 2, 0) = static_cast<Node>(s.uppers[0].size() / kUpperWords); }),
              AllOf(HasSubstr("row 2"), HasSubstr("upper")));
}

TEST_F(HnswParts, LinksAfterTheEndAreRefused) {
  EXPECT_THAT(complaint([](Stored& s) { s.link(8, 0) = kNone; }), AllOf(HasSubstr("row 8"), HasSubstr("end")));
  EXPECT_THAT(complaint([](Stored& s) { s.upper_link(1, 0, 0) = kNone; }), HasSubstr("end"));
}

TEST_F(HnswParts, LinksOfANodeToItselfAreRefused) {
  EXPECT_THAT(complaint([](Stored& s) { s.link(9, 0) = 9; }), HasSubstr("itself"));
  EXPECT_THAT(complaint([](Stored& s) { s.link(9, 1) = 9; }), HasSubstr("node 9"));
}

TEST_F(HnswParts, LinksToATwinAreRefused) {
  EXPECT_THAT(complaint([](Stored& s) { s.link(9, 0) = s.some_twin(); }),
              AllOf(HasSubstr("node 9"), HasSubstr("twin")));
}

TEST_F(HnswParts, BrokenChainsAreRefused) {
  const auto chain = HasSubstr("chain");
  EXPECT_THAT(complaint([](Stored& s) { s.chained(100) = 101; }), chain);                      // no twin
  EXPECT_THAT(complaint([](Stored& s) { s.chained(100) = 360; }), chain);                      // no node
  EXPECT_THAT(complaint([](Stored& s) { s.chained(100) = s.some_twin(); }), chain);            // two lead to one
  EXPECT_THAT(complaint([](Stored& s) { s.chained(s.some_twin()) = s.some_twin(); }), chain);  // closed
}

TEST_F(HnswParts, AChainThatIsClosedApartFromAllNodesIsRefused) {
  const auto cut_and_close = [](Stored& s) {
    const Node twin = s.some_twin();
    Node last = twin;
    while (s.chained(last) != kNone) last = s.chained(last);
    s.chained(s.predecessor(twin)) = kNone;
    s.chained(last) = twin;
  };
  EXPECT_THAT(complaint(cut_and_close), HasSubstr("chain"));
  const auto lose = [](Stored& s) { s.chained(s.predecessor(s.some_twin())) = kNone; };
  EXPECT_THAT(complaint(lose), HasSubstr("chain"));
}

TEST_F(HnswParts, RowsWithoutAPlaceBelowAreRefused) {
  const auto place = HasSubstr("no place below");
  EXPECT_THAT(complaint([](Stored& s) { s.owner(1, 3) = 360; }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.owner(1, 3) = kNone; }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.owner(1, 3) = s.below(1, 3) = s.some_twin(); }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.below(1, 3) = s.below(1, 4); }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.below(1, 3) = kNone; }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.below(2, 0) = s.below(2, 1); }), place);
  EXPECT_THAT(complaint([](Stored& s) { s.below(2, 0) = static_cast<Node>(s.uppers[0].size()); }), place);
}

TEST_F(HnswParts, WrongSizesAreRefused) {
  const auto size = HasSubstr("wrong size");
  EXPECT_THAT(complaint([](Stored& s) { s.floor.pop_back(); }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.floor.resize(s.floor.size() + kFloorWords); }), size);
  EXPECT_THAT(complaint([](Stored& s) { ++s.nodes; }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.nodes = 0; }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.nodes = kMaxNodes + 1; }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.uppers[0].pop_back(); }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.uppers[1].clear(); }), size);
  EXPECT_THAT(complaint([](Stored& s) { s.uppers.emplace_back(); }), size);
  EXPECT_THAT(complaint([](Stored& s) { std::swap(s.uppers[0], s.uppers[1]); }), HasSubstr("damaged"));
  EXPECT_THAT(complaint([](Stored& s) { s.uppers.resize(kMaxLevel + 1, s.uppers.back()); }), HasSubstr("levels"));
}

TEST_F(HnswParts, AGraphWithoutItsEntryIsRefused) {
  const auto entry = HasSubstr("entry");
  EXPECT_THAT(complaint([](Stored& s) { s.entry_row = kNone; }), entry);
  EXPECT_THAT(complaint([](Stored& s) { s.entry_row = 360; }), entry);
  EXPECT_THAT(complaint([](Stored& s) {
                s.uppers.clear();
                s.entry_row = s.some_twin();
              }),
              entry);
  EXPECT_THAT(complaint([](Stored& s) {
                s.uppers.clear();
                s.entry_row = kNone;
              }),
              entry);
}

TEST_F(HnswParts, ADamagedGraphIsRefusedOrCanBeSearched) {
  Random random(4);
  std::size_t refused = 0;
  for (int trial = 0; trial < static_cast<int>(scaled(1500)); ++trial) {
    Stored damaged = stored();
    for (std::size_t flips = 1 + random.below(3); flips > 0; --flips) {
      auto& words = random.below(4) > 0 ? damaged.floor : damaged.uppers[random.below(damaged.uppers.size())];
      // Mostly small numbers, which look like links.
      words[random.below(words.size())] ^= 1U << (random.below(4) > 0 ? random.below(9) : random.below(32));
    }
    try {
      Adopted adopted(damaged, trial % 2 == 0);
      Scratch scratch;
      for (Node node = 0; node < 360; node += 45) {
        const auto found = adopted.graph.search(
            whole.space.from(node), 20, 20, [](Node) { return true; }, scratch);
        EXPECT_LE(found.size(), 20u);
        for (const Candidate& candidate : found) EXPECT_LT(candidate.node, 360u);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupted);
      ++refused;
    }
  }
  EXPECT_GT(refused, scaled(100));
  EXPECT_LT(refused, scaled(1400));
}

}  // namespace
}  // namespace boon::graph
