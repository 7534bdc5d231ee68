#include <algorithm>

#include "boon/cli/demo.h"
#include "boon/cli/output.h"
#include "boon/core/random.h"

namespace boon::cli {

std::vector<DemoPoint> measure(const Index& index, std::span<const float> queries, std::size_t k,
                               std::span<const std::size_t> beams) {
  const std::size_t count = queries.size() / index.dim();
  const auto search_all = [&](const SearchOptions& options, DemoPoint& point) {
    std::vector<std::vector<Match>> answers(count);
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i)
      answers[i] = index.search(queries.subspan(i * index.dim(), index.dim()), k, options);
    point.query_s = watch.seconds() / static_cast<double>(std::max<std::size_t>(count, 1));
    return answers;
  };

  std::vector<DemoPoint> points{{.recall = 1}};
  const auto truth = search_all({.exact = true}, points[0]);
  for (const std::size_t beam : beams) {
    DemoPoint point{.beam = beam};
    const auto answers = search_all({.beam = beam}, point);
    std::size_t wanted = 0, found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wanted += truth[i].size();
      if (truth[i].empty()) continue;
      // By distance: of equally near words either is right.
      const float farthest = truth[i].back().distance;
      found += static_cast<std::size_t>(
          std::ranges::count_if(answers[i], [&](const Match& m) { return m.distance <= farthest; }));
    }
    point.recall = wanted == 0 ? 1 : static_cast<double>(found) / static_cast<double>(wanted);
    points.push_back(point);
  }
  return points;
}

std::vector<std::size_t> draw_rows(std::size_t rows, std::size_t count, std::span<const std::size_t> kept,
                                   std::uint64_t seed) {
  std::vector<bool> taken(rows);
  for (const std::size_t row : kept) taken.at(row) = true;
  Random random(seed);
  std::vector<std::size_t> drawn;
  while (drawn.size() < std::min(count, rows - kept.size())) {
    const std::size_t row = random.below(rows);
    if (taken[row]) continue;
    taken[row] = true;
    drawn.push_back(row);
  }
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace boon::cli
