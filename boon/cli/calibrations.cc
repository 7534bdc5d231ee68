#include "boon/cli/calibrations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "boon/cli/terminal.h"

namespace boon::cli {

Calibration calibrate(Index& index, std::span<const float> queries, CalibrationOptions options) {
  ProgressBar bar("Calibrating");
  options.progress = std::ref(bar);
  Calibration made = index.calibrate(queries, options);
  bar.finish();
  return made;
}

Json to_json(const Calibration& calibration) {
  Json points = Json::array();
  for (const CalibrationPoint& point : calibration.points) {
    points.push_back({{"beam", point.beam}, {"recall", point.recall}, {"recall_min", point.recall_min}});
  }
  return {{"k", calibration.k},       {"queries", calibration.queries}, {"own_rows", calibration.own_rows},
          {"live", calibration.live}, {"changed", calibration.changed}, {"stale", calibration.stale()},
          {"points", points}};
}

std::string summary(const Calibration& calibration) {
  std::vector<std::string> beams;
  for (const double recall : {.9, .95, .99}) {
    const auto enough = std::ranges::find_if(calibration.points,
                                             [&](const CalibrationPoint& point) { return point.recall_min >= recall; });
    beams.push_back(enough == calibration.points.end() ? fmt::format("{:.2f} by exact search", recall)
                                                       : fmt::format("{:.2f} with beam {}", recall, enough->beam));
  }
  return fmt::format("k = {}, by {} {}: {}", calibration.k, format_count(calibration.queries),
                     calibration.own_rows ? "of its own vectors" : "queries", fmt::join(beams, ", "));
}

}  // namespace boon::cli
