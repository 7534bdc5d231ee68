// What a graph knows of its nodes: their numbers, and functions that give distances between them. Smaller is nearer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace boon::graph {

// Nodes are numbered from 0. The highest bit is free for marks, so a graph holds at most kMaxNodes.
using Node = std::uint32_t;
inline constexpr Node kNone = 0xffffffffU;
inline constexpr std::size_t kMaxNodes = 0x7fffffffU;

// Distances from one query, known to the scorer, to many nodes.
template <class S>
concept Scorer = requires(const S& scorer, std::span<const Node> nodes, float* out, Node node) {
  // out[i] = distance from the query to nodes[i]; never NaN.
  { scorer.score(nodes, out) } noexcept;
  // A hint that the node will be scored soon.
  { scorer.prefetch(node) } noexcept;
};

// A set of nodes with a distance between each pair: non-negative, symmetric, zero for equal nodes. What building needs.
// Two things more are used where they are there: walk_from(node), a Scorer that insertions walk with, and its
// estimates(): true if what it gives are no distances, so that what was met is to be scored again by from(node).
template <class S>
concept Space = requires(const S& space, Node node) {
  // The scorer whose query is a node of the set.
  { space.from(node) } -> Scorer;
  // A hash that is equal for nodes with equal content.
  { space.fingerprint(node) } -> std::same_as<std::uint64_t>;
  // True if both nodes hold the same content.
  { space.same(node, node) } -> std::same_as<bool>;
};

// Whether a scorer gives estimates (see Space) in place of distances.
template <Scorer S>
bool estimates(const S& scorer) noexcept {
  if constexpr (requires { scorer.estimates(); }) {
    return scorer.estimates();
  } else {
    return false;
  }
}

// One scored node.
struct Candidate {
  float distance;
  Node node;

  friend bool operator<(const Candidate& a, const Candidate& b) noexcept {
    return a.distance < b.distance || (a.distance == b.distance && a.node < b.node);
  }
};

}  // namespace boon::graph
