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

Json to_json(const Machine& machine);
Json to_json(std::span<const SweepPoint> points);

}  // namespace boon::cli
