// Choosing neighbours that lie in different directions.
// Malkov & Yashunin, arXiv:1603.09320, Algorithm 4; the relaxed second round is RobustPrune's, Subramanya et al.,
// "DiskANN", NeurIPS 2019.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "boon/graph/scorer.h"

namespace boon::graph {

// Working memory of a selection; the result is `chosen`, nearest first.
struct Selection {
  // How far a candidate has been compared with the chosen: where to go on, and the nearest of those seen.
  struct Progress {
    std::size_t compared = 0;
    float nearest = std::numeric_limits<float>::infinity();
    bool taken = false;
  };
  std::vector<Candidate> chosen;
  std::vector<Node> chosen_nodes;
  std::vector<Progress> progress;
};

namespace detail {

// True if some chosen neighbour hides the candidate: stands at most 1/alpha of the owner's distance from it. At equal
// distance it hides too (alpha 1), or copies of one vector would fill each other's lists and close themselves off.
// Compares in small blocks, as most candidates are hidden by an early neighbour, and goes on where it left off.
template <class Level, Space S>
bool hidden(const Level& level, const S& space, const Candidate& candidate, float alpha, Selection& selection,
            Selection::Progress& progress) {
  constexpr std::size_t kBlock = 4;
  const auto hides = [&](float distance) { return distance * alpha <= candidate.distance; };
  if (hides(progress.nearest)) return true;
  const std::size_t count = selection.chosen_nodes.size();
  if (progress.compared == count) return false;
  const auto scorer = space.from(level.node(candidate.node));
  while (progress.compared < count) {
    float distances[kBlock] = {};
    const std::size_t block = std::min(kBlock, count - progress.compared);
    scorer.score(std::span<const Node>(selection.chosen_nodes.data() + progress.compared, block), distances);
    progress.nearest = std::min(progress.nearest, *std::min_element(distances, distances + block));
    progress.compared += block;
    if (hides(progress.nearest)) return true;
  }
  return false;
}

}  // namespace detail

// Chooses at most `limit` of the candidates (sorted by distance to their owner, nearest first): first those that no
// chosen one hides, then, with alpha > 1, of the rest those hidden only narrowly. `owner_row` is never chosen.
template <class Level, Space S>
void select_diverse(const Level& level, const S& space, Node owner_row, std::span<const Candidate> candidates,
                    std::size_t limit, float alpha, Selection& selection) {
  selection.chosen.clear();
  selection.chosen_nodes.clear();
  selection.progress.assign(candidates.size(), {});
  const auto round = [&](float factor) {
    for (std::size_t i = 0; i < candidates.size() && selection.chosen.size() < limit; ++i) {
      auto& progress = selection.progress[i];
      if (progress.taken || candidates[i].node == owner_row) continue;
      // A copy of the owner is as far from everything as the owner: it would hide all, and the two close themselves
      // off.
      const bool copy_first = !selection.chosen.empty() && selection.chosen[0].distance == 0;
      if (progress.compared == 0 && copy_first && candidates[i].distance > 0) progress.compared = 1;
      if (detail::hidden(level, space, candidates[i], factor, selection, progress)) continue;
      progress.taken = true;
      selection.chosen.push_back(candidates[i]);
      selection.chosen_nodes.push_back(level.node(candidates[i].node));
    }
  };
  round(1.0F);
  if (alpha > 1.0F && selection.chosen.size() < limit) round(alpha);
  std::sort(selection.chosen.begin(), selection.chosen.end());
}

}  // namespace boon::graph
