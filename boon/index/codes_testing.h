// For the tests of walks over codes.
#pragma once

#include <string>
#include <vector>

#include "boon/core/random.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {

inline constexpr std::size_t kDim = 24;

inline IndexOptions options_for(const std::string& codes, Metric metric = Metric::l2, std::size_t dim = kDim) {
  return {.dim = dim, .metric = metric, .graph = {.neighbours = 12, .build_beam = 60}, .codes = codes};
}

// Rows around a few centres, as embeddings lie.
inline std::vector<float> clustered_rows(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values = random_rows(rows, dim, seed + 1);
  const std::vector<float> centres = random_rows(20, dim, 7);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t centre = random.below(20);
    for (std::size_t i = 0; i < dim; ++i) {
      values[row * dim + i] = .6F * values[row * dim + i] + centres[centre * dim + i];
    }
  }
  return values;
}

}  // namespace boon::index
