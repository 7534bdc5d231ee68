// Part of hnsw.h: taking nodes out, and mending what nobody can reach.
#pragma once

#include <algorithm>

#include "boon/graph/hnsw.h"

namespace boon::graph {

template <Space S, class Dead>
void Hnsw::bypass(const S& space, Dead&& dead, ThreadPool& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) worker(i);
  const std::vector<std::uint8_t> gone = leaving(dead);
  const auto is_gone = [&](Node node) { return gone[node] != 0; };
  threads.for_each(floor_.size(), 256, [&](std::size_t row, std::size_t w) {
    bypass_row(floor(), floor_, space, static_cast<Node>(row), is_gone, *workers_[w]);
  });
  for (std::size_t level = 1; level < levels(); ++level) {
    threads.for_each(rows_on_level(level), 256, [&](std::size_t row, std::size_t w) {
      bypass_row(upper(level), uppers_[level - 1].rows, space, static_cast<Node>(row), is_gone, *workers_[w]);
    });
  }
}

// Reads the row itself and rows of gone nodes, which nobody writes: the result does not depend on the order of the
// rows.
template <class Level, Space S, class Dead>
void Hnsw::bypass_row(const Level& level, LinkRows& rows, const S& space, Node row, Dead&& gone, Worker& worker) {
  const auto row_gone = [&](Node other) { return gone(level.node(other)); };
  if (row_gone(row)) return;
  const std::size_t max_links = rows.max_links();
  worker.links.resize(max_links);
  worker.links.resize(rows.copy(row, worker.links.data()));
  if (std::none_of(worker.links.begin(), worker.links.end(), row_gone)) return;

  std::vector<Node> candidates;
  std::vector<Node> behind(max_links);
  for (const Node link : worker.links) {
    if (!row_gone(link)) {
      candidates.push_back(link);
      continue;
    }
    const std::size_t count = rows.copy(link, behind.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (behind[i] != row && !row_gone(behind[i])) candidates.push_back(behind[i]);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());

  std::vector<Node> nodes(candidates);
  for (Node& node : nodes) node = level.node(node);
  worker.distances.resize(nodes.size());
  space.from(level.node(row)).score(nodes, worker.distances.data());
  worker.candidates.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) worker.candidates.push_back({worker.distances[i], candidates[i]});
  std::sort(worker.candidates.begin(), worker.candidates.end());
  select_diverse(level, space, row, worker.candidates, max_links, static_cast<float>(options_.alpha), worker.selection);
  worker.links.clear();
  for (const Candidate& chosen : worker.selection.chosen) worker.links.push_back(chosen.node);
  rows.assign(row, worker.links);
  if (&rows == &floor_) forget_lengths(row);
}

template <Space S>
Reachability Hnsw::repair(const S& space, std::size_t nodes, const std::function<bool(Node)>& wanted,
                          std::size_t rounds) {
  Reachability result = reachability(nodes, wanted);
  std::size_t before = result.unreachable + 1;
  for (std::size_t round = 0; round < rounds && has_entry(); ++round) {
    if (result.unreachable == 0 || result.unreachable >= before) break;
    before = result.unreachable;
    std::vector<std::uint8_t> reached(floor_.size(), 0);
    reach(entry_node(), reached);
    std::vector<std::uint32_t> in_degree(floor_.size(), 0);
    for (Node node = 0; node < nodes; ++node) {
      for (const Node link : links(node)) ++in_degree[link];
    }
    for (Node node = 0; node < nodes; ++node) {
      if (!wanted(node) || is_twin(node) || reached[node] != 0) continue;
      link_from_reachable(space, node, reached, in_degree, worker(0));
      reach(node, reached);  // one bridge serves a whole island
    }
    result = reachability(nodes, wanted);
  }
  return result;
}

// Links `node` from the nearest reachable node that has room, or in place of a link whose target has others.
template <Space S>
void Hnsw::link_from_reachable(const S& space, Node node, std::span<const std::uint8_t> reached,
                               std::span<std::uint32_t> in_degree, Worker& worker) {
  constexpr std::size_t kTries = 32;
  const auto scorer = space.from(node);
  Scratch& scratch = worker.scratch;
  const Candidate from = approach(scorer, 0, scratch);
  search_level(floor(), scorer, from, options_.build_beam, scratch, [](Node, float) {});
  std::vector<Node> near;
  for (std::size_t i = 0; i < scratch.pool.size() && near.size() < kTries; ++i) {
    const Node other = scratch.pool.node(i);
    if (other != node && reached[other] != 0) near.push_back(other);
  }
  if (floor_.degree(node) == 0) {
    worker.candidates.clear();
    for (std::size_t i = 0; i < scratch.pool.size(); ++i) {
      worker.candidates.push_back({scratch.pool.distance(i), scratch.pool.node(i)});
    }
    select_diverse(floor(), space, node, worker.candidates, options_.neighbours, static_cast<float>(options_.alpha),
                   worker.selection);
    worker.links.clear();
    for (const Candidate& link : worker.selection.chosen) worker.links.push_back(link.node);
    floor_.assign(node, worker.links);
    forget_lengths(node);
  }
  if (near.empty()) near.push_back(entry_node());

  ++in_degree[node];
  for (const Node owner : near) {
    const std::size_t degree = floor_.degree(owner);
    if (degree == floor_.max_links()) continue;
    floor_.set_link(owner, degree, node);
    forget_lengths(owner);
    return;
  }
  Node best_owner = near.front();
  std::size_t best_place = 0;
  std::uint32_t best_in_degree = 0;
  for (const Node owner : near) {
    for (std::size_t i = 0; i < floor_.max_links(); ++i) {
      const std::uint32_t others = in_degree[floor_.link(owner, i)];
      if (others > best_in_degree) {
        best_in_degree = others;
        best_owner = owner;
        best_place = i;
      }
    }
    if (best_in_degree > 4) break;  // safe enough; a farther owner would be a worse neighbour
  }
  --in_degree[floor_.link(best_owner, best_place)];
  floor_.set_link(best_owner, best_place, node);
  forget_lengths(best_owner);
}

}  // namespace boon::graph
