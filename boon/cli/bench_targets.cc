// `boon bench search --recall`: what is reached where a recall is asked for in place of a beam.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "boon/cli/bench.h"
#include "boon/cli/calibrations.h"

namespace boon::cli {

std::vector<TargetPoint> measure_targets(Index& index, const Judge& judge, std::span<const double> targets,
                                         std::size_t threads) {
  const Calibration made = calibrate(index, {}, {.k = judge.k(), .threads = threads});
  std::vector<TargetPoint> points;
  std::vector<Id> answers(judge.size() * judge.k());
  for (const double target : targets) {
    TargetPoint point{.target = target};
    const auto enough = std::ranges::find_if(made.points, [&](const auto& p) { return p.recall_min >= target; });
    if (enough != made.points.end()) point.beam = enough->beam;
    std::ranges::fill(answers, kNoId);
    const Stopwatch watch;
    for (std::size_t i = 0; i < judge.size(); ++i) {
      const auto matches = index.search(judge.query(i), judge.k(), {.target_recall = target});
      std::ranges::transform(matches, answers.begin() + static_cast<std::ptrdiff_t>(i * judge.k()), &Match::id);
    }
    point.qps = static_cast<double>(judge.size()) / watch.seconds();
    point.recall = judge.recall(answers);
    points.push_back(point);
  }
  return points;
}

Json to_json(std::span<const TargetPoint> points) {
  auto array = Json::array();
  for (const TargetPoint& point : points) {
    array.push_back({{"target", point.target},
                     {"beam", point.beam == 0 ? Json("exact") : Json(point.beam)},
                     {"recall", point.recall},
                     {"qps", point.qps}});
  }
  return array;
}

}  // namespace boon::cli
