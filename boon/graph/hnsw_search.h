// Part of hnsw.h: searching.
#pragma once

#include <algorithm>
#include <type_traits>

#include "boon/graph/hnsw.h"

namespace boon::graph {

template <Scorer S>
Candidate Hnsw::approach(const S& scorer, std::size_t level, Scratch& scratch) const {
  const Entry top = entry();
  scratch.make_room(floor_.max_links());
  Candidate at{0, top.row};
  std::size_t here = top.level;
  const Node first = here == 0 ? top.row : upper(here).node(top.row);
  scorer.score(std::span(&first, 1), &at.distance);
  ++scratch.statistics.distances;
  for (; here > level; --here) {
    at = descend(upper(here), scorer, at, scratch);
    at.node = upper(here).below(at.node);
  }
  return at;
}

template <Scorer S, class Accept>
std::span<const Candidate> Hnsw::search(const S& scorer, std::size_t k, std::size_t beam, const Accept& accept,
                                        Scratch& scratch) const {
  scratch.found.clear();
  if (!has_entry() || k == 0) return {};
  const Candidate from = approach(scorer, 0, scratch);
  const std::size_t width = std::max(beam, k);
  const bool twins = has_twins_.load(std::memory_order_acquire);
  // Estimates of equal nodes must not fill the answer before a nearer one is known as such: one stands for all.
  const bool one_for_all = estimates(scorer);

  if constexpr (std::is_same_v<Accept, AcceptAll>) {
    search_level(floor(), scorer, from, width, scratch, [](Node, float) {});
    for (std::size_t i = 0; i < scratch.pool.size() && scratch.found.size() < k; ++i) {
      scratch.found.push_back({scratch.pool.distance(i), scratch.pool.node(i)});
      if (twins && !one_for_all) append_twins(scratch.pool.node(i), k, scratch.found);
    }
  } else {
    // What is let through is collected apart, as it may not stay among the nearest of all.
    scratch.accepted.start(k);
    search_level(floor(), scorer, from, width, scratch, [&](Node node, float distance) {
      const auto has_room = [&] { return distance < scratch.accepted.bound(); };
      if (!has_room()) return;
      if (one_for_all) {
        Node any = node;
        while (any != kNone && !accept(any)) any = twins ? floor_.header(any) : kNone;
        if (any != kNone) scratch.accepted.insert(distance, node);
        return;
      }
      if (accept(node)) scratch.accepted.insert(distance, node);
      for (Node twin = twins ? floor_.header(node) : kNone; twin != kNone && has_room(); twin = floor_.header(twin)) {
        if (accept(twin)) scratch.accepted.insert(distance, twin);
      }
    });
    for (std::size_t i = 0; i < scratch.accepted.size(); ++i) {
      scratch.found.push_back({scratch.accepted.distance(i), scratch.accepted.node(i)});
    }
  }
  return scratch.found;
}

template <class Accept>
void Hnsw::append_twins(std::span<const Candidate> firsts, std::size_t k, const Accept& accept,
                        std::vector<Candidate>& found) const {
  const bool twins = has_twins_.load(std::memory_order_acquire);
  found.clear();
  for (const Candidate& first : firsts) {
    for (Node node = first.node; node != kNone && found.size() < k; node = twins ? floor_.header(node) : kNone) {
      if (accept(node)) found.push_back({first.distance, node});
    }
  }
}

// Twins are equal, so their distance is the node's.
inline void Hnsw::append_twins(Node node, std::size_t k, std::vector<Candidate>& found) const {
  const float distance = found.back().distance;
  for (Node twin = floor_.header(node); twin != kNone && found.size() < k; twin = floor_.header(twin)) {
    found.push_back({distance, twin});
  }
}

}  // namespace boon::graph
