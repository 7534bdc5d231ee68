// A graph over a TestSpace with what an index would keep beside it, and the verbs of the tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "boon/core/parallel.h"
#include "boon/core/random.h"
#include "boon/graph/hnsw.h"
#include "boon/graph/test_space.h"

namespace boon::graph {

#if defined(__SANITIZE_THREAD__)
#define BOON_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOON_TEST_TSAN 1
#endif
#endif

// The size of a test that says nothing of threads: ThreadSanitizer makes each atomic load of a link many times dearer.
constexpr std::size_t scaled(std::size_t count) noexcept {
#ifdef BOON_TEST_TSAN
  return count / 5;
#else
  return count;
#endif
}

// The words of a stored part, as numbers: kNone where a row ends.
inline std::vector<Node> stored_words(Bytes bytes) {
  std::vector<Node> words(bytes.size() / sizeof(Node));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  for (Node& word : words) --word;
  return words;
}

class TestGraph {
 public:
  // A narrower beam than the default builds these small graphs well, and several times faster under sanitizers.
  explicit TestGraph(TestSpace space_, const HnswOptions& options = {.build_beam = 48}, std::size_t threads_ = 1)
      : space(std::move(space_)), graph(options), threads(threads_), live(space.size(), 0), dead(space.size(), 0) {}

  void insert(std::span<const Node> nodes) {
    graph.grow(space.size(), nodes);
    live.resize(space.size(), 0);
    dead.resize(space.size(), 0);
    graph.insert(space, nodes, threads, [&](std::span<const Node> batch) {
      for (const Node node : batch) live[node] = 1;
      return true;
    });
  }
  void insert(std::size_t first, std::size_t count) {
    std::vector<Node> nodes(count);
    std::iota(nodes.begin(), nodes.end(), static_cast<Node>(first));
    insert(nodes);
  }
  void insert_all() { insert(0, space.size()); }

  // From here on never answered; still walked through.
  void remove(Node node) {
    live[node] = 0;
    dead[node] = 1;
  }
  // Takes the removed out of the graph and mends it.
  Reachability mend() {
    bypass();
    unlink();
    return repair();
  }
  void bypass() {
    graph.bypass(
        space, [&](Node node) { return dead[node] != 0; }, threads);
  }
  void unlink() {
    graph.unlink([&](Node node) { return dead[node] != 0; }, is_live());
    std::fill(dead.begin(), dead.end(), 0);
  }
  Reachability repair() { return graph.repair(space, space.size(), is_live()); }
  std::size_t unreachable() const { return graph.reachability(space.size(), is_live()).unreachable; }

  std::vector<Candidate> search(std::span<const float> query, std::size_t k, std::size_t beam = 64) const {
    Scratch scratch;
    const auto found = graph.search(space.to(query), k, beam, is_live(), scratch);
    return {found.begin(), found.end()};
  }
  std::vector<Candidate> exact(std::span<const float> query, std::size_t k) const {
    std::vector<Candidate> all;
    for (Node node = 0; node < space.size(); ++node) {
      if (live[node] != 0) all.push_back({space.to(query).distance(node), node});
    }
    std::sort(all.begin(), all.end());
    if (all.size() > k) all.resize(k);
    return all;
  }
  // Answers as near as the k-th exact one, of all answers due.
  double recall(const TestSpace& queries, std::size_t k, std::size_t beam) const {
    std::size_t hits = 0;
    std::size_t due = 0;
    for (Node query = 0; query < queries.size(); ++query) {
      const auto truth = exact(queries.row(query), k);
      due += truth.size();
      for (const Candidate& found : search(queries.row(query), k, beam)) {
        hits += found.distance <= truth.back().distance ? 1 : 0;
      }
    }
    return static_cast<double>(hits) / static_cast<double>(due);
  }
  // Live nodes that a search for them does not answer first or, among equals, at all.
  std::vector<Node> lost(std::size_t beam = 64) const {
    std::vector<Node> result;
    for (Node node = 0; node < space.size(); ++node) {
      if (live[node] == 0) continue;
      const auto found = search(space.row(node), 1, beam);
      if (found.empty() || found[0].distance != 0 || !space.same(found[0].node, node)) result.push_back(node);
    }
    return result;
  }

  std::function<bool(Node)> is_live() const {
    return [this](Node node) { return live[node] != 0; };
  }
  // The first broken invariant of hnsw.h, empty if all hold.
  std::string fault() const;

  TestSpace space;
  Hnsw graph;
  ThreadPool threads;
  std::vector<std::uint8_t> live;
  std::vector<std::uint8_t> dead;  // removed, and not yet taken out of the graph
};

namespace detail {

inline std::string row_fault(std::span<const Node> links, Node self, std::size_t rows) {
  std::vector<Node> seen;
  bool ended = false;
  for (const Node link : links) {
    if (link == kNone) {
      ended = true;
      continue;
    }
    if (ended) return "a link after the end";
    if (link >= rows) return "a link outside";
    if (link == self) return "a link to itself";
    seen.push_back(link);
  }
  std::sort(seen.begin(), seen.end());
  return std::adjacent_find(seen.begin(), seen.end()) == seen.end() ? "" : "a link twice";
}

}  // namespace detail

inline std::string TestGraph::fault() const {
  if (graph.capacity() < space.size()) return graph.empty() ? "" : "rows are missing";
  const auto at = [](std::size_t level, Node row, const std::string& what) {
    return "level " + std::to_string(level) + " row " + std::to_string(row) + ": " + what;
  };
  const Hnsw::Parts parts = graph.parts(space.size());
  const std::size_t floor_words = 1 + 2 * graph.options().neighbours;
  const std::vector<Node> floor = stored_words(parts.floor);
  std::vector<std::size_t> led_to(space.size(), 0);
  for (Node node = 0; node < space.size(); ++node) {
    const std::span row(floor.data() + node * floor_words, floor_words);
    if (row[0] != kNone) {
      if (row[0] >= space.size() || !graph.is_twin(row[0])) return at(0, node, "chained to no twin");
      if (++led_to[row[0]] > 1) return at(0, row[0], "two chains lead here");
    }
    if (graph.is_twin(node)) {
      if (row[2] != kNone) return at(0, node, "a twin with links");
      continue;
    }
    if (auto what = detail::row_fault(row.subspan(1), node, space.size()); !what.empty()) return at(0, node, what);
    for (const Node link : row.subspan(1)) {
      if (link == kNone) break;
      if (graph.is_twin(link)) return at(0, node, "a link to a twin");
      if (live[link] == 0 && dead[link] == 0) return at(0, node, "a link to what is not in the graph");
    }
  }
  for (Node node = 0; node < space.size(); ++node) {
    const bool in_graph = live[node] != 0 || dead[node] != 0;
    if (graph.is_twin(node) && led_to[node] == 0) return at(0, node, "no chain leads to this twin");
    if (!in_graph && floor[node * floor_words + 1] != kNone) return at(0, node, "not in the graph, but with links");
    if (in_graph && graph.is_twin(node)) continue;
    std::size_t length = 0;
    for (Node twin = floor[node * floor_words]; twin != kNone; twin = floor[twin * floor_words]) {
      if (++length > space.size()) return at(0, node, "an endless chain");
    }
  }

  const std::size_t upper_words = 2 + graph.options().neighbours;
  std::vector<Node> below;  // the node of each row of the level below
  for (Node node = 0; node < space.size(); ++node) below.push_back(node);
  for (std::size_t level = 1; level <= parts.uppers.size(); ++level) {
    const std::vector<Node> words = stored_words(parts.uppers[level - 1]);
    std::vector<Node> nodes;
    for (Node i = 0; i < words.size() / upper_words; ++i) {
      const std::span row(words.data() + i * upper_words, upper_words);
      nodes.push_back(row[0]);
      if (row[1] >= below.size() || below[row[1]] != row[0]) return at(level, i, "no place below");
      if (live[row[0]] == 0 && dead[row[0]] == 0) return at(level, i, "of a node that is not in the graph");
      if (graph.is_twin(row[0])) return at(level, i, "of a twin");
      const auto what = detail::row_fault(row.subspan(2), i, words.size() / upper_words);
      if (!what.empty()) return at(level, i, what);
    }
    below = nodes;
    std::sort(nodes.begin(), nodes.end());
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end()) return at(level, 0, "a node twice");
  }
  const bool populated = std::find(live.begin(), live.end(), 1) != live.end();
  if (populated && parts.entry_row == kNone) return "no entry";
  if (parts.entry_row != kNone && parts.entry_row >= below.size()) return "the entry is no row";
  if (parts.entry_row != kNone && live[below[parts.entry_row]] == 0 && dead[below[parts.entry_row]] == 0) {
    return "the entry is not in the graph";
  }
  return "";
}

inline void remove_half(TestGraph& test, Random& random) {
  for (Node node = 0; node < test.space.size(); ++node) {
    if (test.live[node] != 0 && random.below(2) == 0) test.remove(node);
  }
}

}  // namespace boon::graph
