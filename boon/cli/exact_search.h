// Exact search over tables of vectors, as commands need it: checked, in stretches, with progress and Ctrl-C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "boon/cli/vectors.h"
#include "boon/core/progress.h"
#include "boon/index/metric.h"

namespace boon::cli {

// Answers to each query, nearest first, equal distances by row.
struct ExactAnswers {
  std::size_t k = 0;                // answers to each query: what was asked for, or as many rows as there are
  std::vector<std::uint32_t> rows;  // queries x k, row numbers of the base
  std::vector<double> distances;    // queries x k, as boon defines them (metric.h)
};

// The distance of two vectors as boon defines it, in double precision, summed from the first component to the last. 1 -
// cos is half the squared distance of the vectors scaled to length 1: small differences do not vanish beside the 1.
double precise_distance(Metric metric, std::span<const float> a, std::span<const float> b) noexcept;

// The k nearest rows of `base` to each row of `queries`. `base_name` and `query_name` are what errors call the tables.
// Throws invalid_argument (k = 0, dimensions that differ, a vector that the metric has no distance for) and cancelled.
ExactAnswers find_exact(const VectorTable& base, const VectorTable& queries, Metric metric, std::size_t k,
                        std::size_t threads, const std::string& base_name, const std::string& query_name,
                        const Progress& progress);

}  // namespace boon::cli
