// The report of boon analyze, for people and for programs.
#pragma once

#include <cstdint>
#include <string>

#include "boon/cli/analyze_advice.h"
#include "boon/cli/output.h"
#include "boon/geometry/analysis.h"
#include "boon/index/metric.h"

namespace boon::cli {

struct AnalysisReport {
  std::string name;     // of the file
  std::string command;  // that builds an index as advised; may be empty
  Metric metric = Metric::cosine;
  std::uint64_t seed = 1;
  geometry::Analysis analysis = {};
  geometry::Agreement agreement = {};
  MetricAdvice advised_metric = {};
  CodesAdvice codes = {};
  NeighboursAdvice neighbours = {};
};

// A page: a line for each figure, with what it means.
std::string to_text(const AnalysisReport& report);

// The same figures, unrounded. Estimates are {"value", "low", "high"}; what could not be measured is null.
Json to_json(const AnalysisReport& report);

}  // namespace boon::cli
