// Internal: what `boon demo` measures.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boon/index/index.h"

namespace boon::cli {

struct DemoPoint {
  std::size_t beam = 0;  // 0: exact search
  double recall = 0;     // share of the true k nearest that was found
  double query_s = 0;    // mean time of a query, one thread
};

// Searches for queries.size() / dim queries one at a time on one thread: exactly, which also gives the truth, and at
// each beam.
std::vector<DemoPoint> measure(const Index& index, std::span<const float> queries, std::size_t k,
                               std::span<const std::size_t> beams);

// Rows drawn without repetition, from those not in `kept`, sorted.
std::vector<std::size_t> draw_rows(std::size_t rows, std::size_t count, std::span<const std::size_t> kept,
                                   std::uint64_t seed);

}  // namespace boon::cli
