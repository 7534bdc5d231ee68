#include "boon/cli/bench.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace boon::cli {

void register_bench(CLI::App& app, Console& console) {
  CLI::App* bench = app.add_subcommand(
      "bench", "Measure: searches, mapped files, the graph's growth, the distance kernels, products of NVFP4");
  bench->require_subcommand(1);
  register_bench_search(*bench, console);
  register_bench_hops(*bench, console);
  register_bench_mapped(*bench, console);
  register_bench_kernels(*bench, console);
  register_bench_gemv(*bench, console);
}

Json to_json(const Machine& machine) {
  return {{"processor", machine.processor},
          {"threads", machine.threads},
          {"memory_bytes", machine.memory_bytes},
          {"system", machine.system},
          {"isa", machine.isa},
          {"compiler", machine.compiler},
          {"optimised", machine.optimised},
          {"boon_version", machine.version}};
}

Json to_json(std::span<const SweepPoint> points) {
  auto array = Json::array();
  for (const SweepPoint& point : points) {
    array.push_back({{"beam", point.beam},
                     {"recall", point.recall},
                     {"qps", point.qps},
                     {"qps_median", point.qps_median},
                     {"hops", point.hops},
                     {"distances", point.distances}});
  }
  return array;
}

}  // namespace boon::cli
