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

}  // namespace boon::index
