// Walking one level of the graph towards a query: greedily to the nearest node, or best-first with a pool.
// Malkov & Yashunin, arXiv:1603.09320, Algorithms 2 and 5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "boon/graph/link_rows.h"
#include "boon/graph/options.h"
#include "boon/graph/pool.h"
#include "boon/graph/scorer.h"
#include "boon/graph/visited.h"

namespace boon::graph {

// The floor: row i belongs to node i. One header word: the next node with the same content (hnsw.h, twins).
struct Floor {
  const LinkRows& rows;
  Node node(Node row) const noexcept { return row; }
};

// A level above the floor: rows have numbers of their own, and headers that say which node a row belongs to and which
// row of the level below is the same node's. Links hold row numbers.
struct Upper {
  static constexpr std::size_t kNode = 0;
  static constexpr std::size_t kBelow = 1;
  const LinkRows& rows;
  Node node(Node row) const noexcept { return rows.header(row, kNode); }
  Node below(Node row) const noexcept { return rows.header(row, kBelow); }
};

// Candidates expanded at a time, and the beam that each of them asks for.
inline constexpr std::size_t kExpandedTogether = 2;
inline constexpr std::size_t kBeamPerExpansion = 8;

// The working memory of one search; reused, never shared.
struct Scratch {
  Visited visited;
  Pool pool;
  Pool accepted;            // the nearest that may be answered, where not all may
  std::vector<Node> rows;   // rows to score
  std::vector<Node> nodes;  // the nodes they belong to
  std::vector<float> distances;
  std::vector<Candidate> entering;
  std::vector<Candidate> found;
  std::vector<Candidate> ranked;  // the owner's, for ranking what was found anew
  Node hidden = kNone;            // a node of the floor that the walk is not to see, nor to pass through
  SearchStatistics statistics;

  // For rows of up to `row_links` links.
  void make_room(std::size_t row_links) {
    const std::size_t links = row_links * kExpandedTogether;
    if (distances.size() < links) {
      rows.resize(links + 1);
      nodes.resize(links);
      distances.resize(links);
      entering.resize(links);
    }
  }
};

// Appends the neighbours of `row` that are not yet visited to scratch.rows, which holds `count`; returns the new count.
// Whether a neighbour was visited is as good as random, so it is counted and not branched on.
template <class Level>
std::size_t gather_unvisited(const Level& level, Node row, std::size_t count, Visited::Marks marks,
                             Scratch& scratch) noexcept {
  Node* const rows = scratch.rows.data();
  level.rows.for_each_link(row, [&](Node neighbour) {
    rows[count] = neighbour;
    count += marks.mark(neighbour) ? 1 : 0;
  });
  return count;
}

// Moves to the nearest neighbour while that is nearer than where it stands.
template <class Level, Scorer S>
Candidate descend(const Level& level, const S& scorer, Candidate from, Scratch& scratch) noexcept {
  for (bool moved = true; moved;) {
    moved = false;
    ++scratch.statistics.hops;
    const std::size_t count = level.rows.copy(from.node, scratch.rows.data());
    for (std::size_t i = 0; i < count; ++i) scratch.nodes[i] = level.node(scratch.rows[i]);
    scorer.score(std::span(scratch.nodes.data(), count), scratch.distances.data());
    scratch.statistics.distances += count;
    for (std::size_t i = 0; i < count; ++i) {
      if (scratch.distances[i] < from.distance) {
        from = {scratch.distances[i], scratch.rows[i]};
        moved = true;
      }
    }
  }
  return from;
}

// Best-first search: leaves the nearest rows it met in scratch.pool, whose capacity is `beam`; scored(row, distance)
// sees every row once.
//
// Several candidates are expanded at a time. One after the other, each would wait for its links and then for its first
// vector, two misses in a row that nothing overlaps; together they share the wait. Once the pool has settled all of
// them would be expanded anyway, so hardly a distance is wasted.
template <class Level, Scorer S, class Scored>
void search_level(const Level& level, const S& scorer, Candidate entry, std::size_t beam, Scratch& scratch,
                  Scored&& scored) {
  const std::size_t together = std::clamp<std::size_t>(beam / kBeamPerExpansion, 1, kExpandedTogether);
  Pool& pool = scratch.pool;
  const Visited::Marks marks = scratch.visited.start(level.rows.size());
  pool.start(beam);
  if (scratch.hidden != kNone) marks.mark(scratch.hidden);
  marks.mark(entry.node);
  pool.insert(entry.distance, entry.node);
  scored(entry.node, entry.distance);
  while (pool.has_open()) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < together && pool.has_open(); ++i) {
      count = gather_unvisited(level, pool.take(), count, marks, scratch);
      ++scratch.statistics.hops;
    }
    for (std::size_t i = 0; i < count; ++i) {
      scratch.nodes[i] = level.node(scratch.rows[i]);
      scorer.prefetch(scratch.nodes[i]);
    }
    pool.for_each_open(together, [&](Node row) { level.rows.prefetch(row); });
    scorer.score(std::span<const Node>(scratch.nodes.data(), count), scratch.distances.data());
    scratch.statistics.distances += count;

    // As with the visited: first those that may enter, without branches, then their insertion.
    std::size_t entering = 0;
    const float bound = pool.bound();
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate candidate{scratch.distances[i], scratch.rows[i]};
      scored(candidate.node, candidate.distance);
      scratch.entering[entering] = candidate;
      entering += candidate.distance < bound ? 1 : 0;
    }
    for (std::size_t i = 0; i < entering; ++i) pool.insert(scratch.entering[i].distance, scratch.entering[i].node);
    pool.for_each_open(together, [&](Node row) { level.rows.prefetch(row); });
  }
}

}  // namespace boon::graph
