// Finds boon's peers on this machine.
#pragma once

#include <string>
#include <vector>

#include "bench/gemm/system.h"

namespace boon::bench::gemm {

// Files to open in place of those that were found when the benchmark was configured; empty for those.
struct LibraryFiles {
  std::string openblas;
  std::string blis;
};

struct Missing {
  std::string name;
  std::string reason;
};

struct Loaded {
  SystemList systems;  // boon first
  std::vector<Missing> missing;
};

// boon, and each peer that can be loaded.
Loaded load_systems(const LibraryFiles& files);

}  // namespace boon::bench::gemm
