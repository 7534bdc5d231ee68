// Bandwidth of the distance kernels from L1, L2 and DRAM, beside a plain read of the same rows in the same order.
// BOON_ISA chooses the instruction set. Each line is one measurement of its own repetitions, so ask for no others.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "boon/kernels/bandwidth.h"

namespace boon::kernels {
namespace {

void measure(benchmark::State& state) {
  const BandwidthCase what{.kernel = static_cast<Kernel>(state.range(3)),
                           .access = static_cast<Access>(state.range(2)),
                           .level = static_cast<Level>(state.range(1)),
                           .dim = static_cast<std::size_t>(state.range(0))};
  Bandwidth result;
  while (state.KeepRunning()) result = measure_bandwidth(distances(), what);
  state.counters["GB/s"] = result.kernel_gb_s;
  state.counters["read_GB/s"] = result.read_gb_s;
  state.counters["ratio"] = result.ratio();

  std::string label{distances().name};
  for (const std::string_view part : {name(what.kernel), name(what.access), name(what.level)}) {
    label.append(" ").append(part);
  }
  state.SetLabel(label);
}

BENCHMARK(measure)
    ->ArgNames({"dim", "level", "access", "kernel"})
    ->ArgsProduct({{100, 784}, {0, 1, 2}, {0, 1}, {0, 1}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace boon::kernels
