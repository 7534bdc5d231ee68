#include "boon/graph/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "boon/core/random.h"

namespace boon::graph {
namespace {

// The pool as its documentation reads: a sorted list, cut to its capacity.
struct PlainPool {
  struct Entry {
    Candidate candidate;
    bool expanded = false;
  };
  std::size_t capacity;
  std::vector<Entry> entries;

  void insert(float distance, Node node) {
    const auto place = std::upper_bound(entries.begin(), entries.end(), distance,
                                        [](float d, const Entry& entry) { return d < entry.candidate.distance; });
    entries.insert(place, Entry{{distance, node}, false});
    if (entries.size() > capacity) entries.pop_back();
  }
  Entry* open() {
    const auto first = std::find_if(entries.begin(), entries.end(), [](const Entry& entry) { return !entry.expanded; });
    return first == entries.end() ? nullptr : &*first;
  }
  std::vector<Node> coming(std::size_t count) const {
    std::vector<Node> nodes;
    for (const Entry& entry : entries) {
      if (!entry.expanded && nodes.size() < count) nodes.push_back(entry.candidate.node);
    }
    return nodes;
  }
};

void expect_equal(const Pool& pool, const PlainPool& plain) {
  ASSERT_EQ(pool.size(), plain.entries.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    EXPECT_EQ(pool.node(i), plain.entries[i].candidate.node);
    EXPECT_EQ(pool.distance(i), plain.entries[i].candidate.distance);
  }
}

TEST(Pool, HoldsTheNearestOfWhatCame) {
  Random random(1);
  Pool pool;
  for (const std::size_t capacity :
       {1UL, 2UL, 7UL, 15UL, 16UL, 17UL, 18UL, 31UL, 32UL, 33UL, 34UL, 64UL, 65UL, 300UL}) {
    pool.start(capacity);
    std::vector<Candidate> all;
    for (Node node = 0; node < 250; ++node) {
      // Also below zero, as products are, and infinite.
      const auto distance = static_cast<float>(random.below(100)) - 50;
      all.push_back({distance > 45 ? std::numeric_limits<float>::infinity() : distance, node});
      pool.insert(all.back().distance, node);
    }
    std::sort(all.begin(), all.end());  // equal distances: the earlier node first
    ASSERT_EQ(pool.size(), std::min<std::size_t>(capacity, 250));
    for (std::size_t i = 0; i < pool.size(); ++i) {
      EXPECT_EQ(pool.node(i), all[i].node);
      EXPECT_EQ(pool.distance(i), all[i].distance);
    }
  }
}

TEST(Pool, TakesTheNearestOpenNodeWhateverTheOrder) {
  Random random(2);
  Pool pool;
  for (std::size_t round = 0; round < 200; ++round) {
    const std::size_t capacity = 1 + random.below(40);
    PlainPool plain{capacity, {}};
    pool.start(capacity);
    for (Node node = 0; node < 60; ++node) {
      const auto distance = static_cast<float>(random.below(30));
      pool.insert(distance, node);
      plain.insert(distance, node);
      while (random.below(3) == 0) {
        PlainPool::Entry* const open = plain.open();
        ASSERT_EQ(pool.has_open(), open != nullptr);
        if (open == nullptr) break;
        std::vector<Node> coming;
        pool.for_each_open(3, [&](Node next) { coming.push_back(next); });
        EXPECT_EQ(coming, plain.coming(3));
        EXPECT_EQ(pool.take(), open->candidate.node);
        open->expanded = true;
      }
      expect_equal(pool, plain);
    }
  }
}

TEST(Pool, LetsEverythingInUntilItIsFull) {
  Pool pool;
  pool.start(2);
  EXPECT_EQ(pool.bound(), std::numeric_limits<float>::infinity());
  pool.insert(5, 0);
  EXPECT_EQ(pool.bound(), std::numeric_limits<float>::infinity());
  pool.insert(3, 1);
  EXPECT_TRUE(pool.full());
  EXPECT_EQ(pool.bound(), 5);
  pool.insert(5, 2);  // a tie with the farthest stays out
  EXPECT_EQ(pool.node(1), 0u);
  pool.insert(4, 3);
  EXPECT_EQ(pool.node(1), 3u);
  EXPECT_EQ(pool.bound(), 4);
}

TEST(Pool, StartsEmptyAgain) {
  Pool pool;
  pool.start(8);
  for (Node node = 0; node < 8; ++node) pool.insert(static_cast<float>(node), node);
  while (pool.has_open()) pool.take();
  pool.start(3);
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_FALSE(pool.has_open());
  pool.insert(1, kMaxNodes - 1);
  EXPECT_EQ(pool.take(), kMaxNodes - 1);
  EXPECT_EQ(pool.node(0), kMaxNodes - 1);  // the mark does not show
}

}  // namespace
}  // namespace boon::graph
