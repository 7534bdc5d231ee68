// Ranking by the vectors what a walk over codes has found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "boon/graph/hnsw.h"
#include "boon/graph/scorer.h"
#include "boon/graph/traverse.h"

namespace boon::index {

using graph::Candidate;

// The k smallest of what is offered.
class Nearest {
 public:
  Nearest(std::size_t k, std::vector<Candidate>& found) : k_(k), found_(found) { found_.clear(); }

  bool would_take(const Candidate& candidate) const noexcept {
    return found_.size() < k_ || candidate < found_.front();
  }
  void take(const Candidate& candidate) {
    found_.push_back(candidate);
    std::push_heap(found_.begin(), found_.end());
    if (found_.size() <= k_) return;
    std::pop_heap(found_.begin(), found_.end());
    found_.pop_back();
  }
  float farthest() const noexcept { return found_.front().distance; }
  void sort() { std::sort_heap(found_.begin(), found_.end()); }

 private:
  std::size_t k_;
  std::vector<Candidate>& found_;
};

// The candidates that a walk over codes is to bring for k answers: some more, as the order of estimates is not that of
// distances (docs/notes/search.md, "How many are brought").
constexpr std::size_t candidates_for(std::size_t k) noexcept {
  return k + k / 8;
}

// Puts scores of `rows` in the place of the estimates in scratch.found, nearest first, and leaves the k nearest that
// `accept`, twins among them. Candidates are looked at from the nearest on, until the next would not be among the k
// even if its estimate were off by three times as much as those seen so far are, in the mean (of squares: the nearest
// by estimate are off to one side).
template <graph::Scorer Rows, class Accept>
void rank_again(const graph::Hnsw& graph, const Rows& rows, std::size_t k, const Accept& accept,
                graph::Scratch& scratch) {
  constexpr std::size_t kBlock = 16;
  constexpr std::size_t kMore = 6;  // looked at beyond the first k in any case, and kBlock at least
  constexpr double kDeviations = 3;
  const std::vector<Candidate>& found = scratch.found;
  Nearest nearest(k, scratch.ranked);
  graph::Node nodes[kBlock];
  float scores[kBlock];
  double squares = 0;  // of what estimates were off by
  std::size_t end = std::min(found.size(), std::max(k + kMore, kBlock));
  for (std::size_t done = 0; done < end;) {
    const std::size_t count = std::min(kBlock, end - done);
    for (std::size_t i = 0; i < count; ++i) nodes[i] = found[done + i].node;
    rows.score(std::span<const graph::Node>(nodes, count), scores);
    for (std::size_t i = 0; i < count; ++i) {
      const double off = static_cast<double>(found[done + i].distance) - scores[i];
      squares += off * off;
      const Candidate candidate{scores[i], nodes[i]};
      if (nearest.would_take(candidate)) nearest.take(candidate);
    }
    done += count;
    if (done < end) continue;
    const double farthest = nearest.farthest() + kDeviations * std::sqrt(squares / static_cast<double>(done));
    while (end < found.size() && end < done + kBlock && found[end].distance <= farthest) ++end;
  }
  scratch.statistics.distances += end;
  nearest.sort();
  graph.append_twins(scratch.ranked, k, accept, scratch.found);
}

}  // namespace boon::index
