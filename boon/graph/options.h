// How a graph is built.
#pragma once

#include <cstddef>
#include <cstdint>

namespace boon::graph {

struct HnswOptions {
  // Links a node makes on each level, M in the paper; the floor keeps up to twice as many. 8 to 48: more for high
  // recall on hard data, at 8 bytes a link. 2 to 512.
  std::size_t neighbours = 16;

  // Candidates kept while a node looks for its neighbours, ef_construction in the paper. More gives a better graph and
  // a slower build. 1 to 65536.
  std::size_t build_beam = 200;

  // m of level = floor(-ln(1 - U) / ln m): each level has about 1/m of the nodes of the one below. 0 means
  // `neighbours`. Larger than 1.
  double level_mult = 0;

  // Second round of neighbour selection: a candidate that an already chosen neighbour hides is taken after all, while
  // there is room, if the neighbour is not nearer to it by more than this factor (of the scorer's distances, so of
  // squared distances for L2). 1 turns the round off. 1 to 4.
  double alpha = 1.2;

  // Drawn levels depend on this and the node's number alone.
  std::uint64_t seed = 2026;

  // m, with the default filled in.
  double effective_level_mult() const noexcept { return level_mult > 0 ? level_mult : static_cast<double>(neighbours); }

  // Throws Error{invalid_argument} that names the field and its range.
  void validate() const;
};

// What a search did.
struct SearchStatistics {
  std::uint64_t hops = 0;       // nodes whose links were followed, on all levels
  std::uint64_t distances = 0;  // distances computed
};

}  // namespace boon::graph
