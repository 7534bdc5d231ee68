// Builds and searches one data set with each system, by turns, in one process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/system.h"
#include "boon/cli/data_sets.h"
#include "boon/cli/sweep.h"

namespace boon::bench {

struct ComparisonOptions {
  std::size_t neighbours = 16;
  std::size_t build_beam = 200;
  std::size_t k = 10;
  std::vector<std::size_t> build_threads = {1, 2};
  cli::QueryShare queries = cli::QueryShare::reporting;
  cli::SweepOptions sweep;
  // Where graphs of hnswlib are kept from one run to the next, with their build times; empty to build each time.
  std::filesystem::path peer_cache;
};

struct BuildResult {
  std::size_t threads = 0;
  double seconds = 0;
  bool cached = false;  // the time is of an earlier run
};

struct SystemResult {
  std::string name;
  std::string details;
  std::vector<BuildResult> builds;
  std::size_t resident_bytes = 0;  // by which the process grew in the first build; 0 if not known
  std::size_t file_bytes = 0;
  std::vector<cli::SweepPoint> points;
};

struct SetResult {
  std::string name;
  std::string metric;
  std::size_t rows = 0;
  std::size_t dim = 0;
  std::size_t queries = 0;
  std::vector<SystemResult> systems;
};

using Notice = std::function<void(std::string_view)>;

// Throws what reading and building throw.
SetResult compare(const std::string& data_set, std::span<const System> systems, const ComparisonOptions& options,
                  const Notice& notice);

}  // namespace boon::bench
