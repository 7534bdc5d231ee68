// Internal: the parts of `boon bench`, and the JSON that measurements share.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "boon/cli/app.h"
#include "boon/cli/machine.h"
#include "boon/cli/output.h"
#include "boon/cli/sweep.h"

namespace boon::cli {

void register_bench_hops(CLI::App& bench, Console& console);
void register_bench_search(CLI::App& bench, Console& console);
void register_bench_mapped(CLI::App& bench, Console& console);
void register_bench_kernels(CLI::App& bench, Console& console);
void register_bench_gemv(CLI::App& bench, Console& console);

// What searches for a recall reach, after a calibration by the index's own vectors.
struct TargetPoint {
  double target = 0;
  std::size_t beam = 0;  // that was chosen; 0: an exact search
  double recall = 0;
  double qps = 0;  // queries a second, in one pass
};
std::vector<TargetPoint> measure_targets(Index& index, const Judge& judge, std::span<const double> targets,
                                         std::size_t threads);

Json to_json(const Machine& machine);
Json to_json(std::span<const SweepPoint> points);
Json to_json(std::span<const TargetPoint> points);

}  // namespace boon::cli
