// What the figures of boon analyze suggest: a metric, codes for walks and M, each with its reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "boon/geometry/agreement.h"
#include "boon/geometry/analysis.h"
#include "boon/index/metric.h"

namespace boon::cli {

struct MetricAdvice {
  Metric metric = Metric::cosine;
  std::string why;
};

// By lengths, components, and whether the metric matters; `of_file` is the metric that the file names, or empty.
MetricAdvice advise_metric(const geometry::Components& components, const geometry::Agreement& agreement,
                           std::string_view of_file);

struct CodesAdvice {
  std::string codes = "none";    // as boon build --codes takes it, but for "u8": vectors that are held as bytes
  std::size_t record_bytes = 0;  // of a vector's record; 0 for none
  std::string why;
};

// By the rule that an index with codes = "auto" goes by (index/code_choice.h), on the larger sample of the analysis.
CodesAdvice advise_codes(const geometry::Analysis& analysis, Metric metric);

struct NeighboursAdvice {
  std::size_t neighbours = 16;  // M
  std::string why;
};

// A rule of thumb: the more directions there are among neighbours, the more links a node needs.
NeighboursAdvice advise_neighbours(const geometry::Analysis& analysis);

}  // namespace boon::cli
