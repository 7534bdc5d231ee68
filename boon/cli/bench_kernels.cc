// `boon bench kernels`: how fast the distance kernels take in rows, beside a plain read of the same bytes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/bench.h"
#include "boon/cli/terminal.h"
#include "boon/kernels/bandwidth.h"

namespace boon::cli {
namespace {

struct KernelsOptions {
  std::vector<std::size_t> dims = {100, 784};
  double seconds = 0.2;
};

void print_json(std::span<const kernels::Bandwidth> results, std::ostream& out) {
  Json report{{"machine", to_json(describe_machine())}};
  for (const kernels::Bandwidth& result : results) {
    report["results"].push_back({{"kernel", kernels::name(result.what.kernel)},
                                 {"dim", result.what.dim},
                                 {"memory", kernels::name(result.what.level)},
                                 {"access", kernels::name(result.what.access)},
                                 {"kernel_gb_s", result.kernel_gb_s},
                                 {"read_gb_s", result.read_gb_s},
                                 {"ratio", result.ratio()}});
  }
  print(out, report);
}

void print_table(std::span<const kernels::Bandwidth> results, std::ostream& out) {
  Table table({{"kernel"},
               {"components", Align::right},
               {"memory"},
               {"access"},
               {"GB/s", Align::right},
               {"plain read", Align::right},
               {"share", Align::right}});
  for (const kernels::Bandwidth& result : results) {
    table.add({std::string(kernels::name(result.what.kernel)), fmt::format("{}", result.what.dim),
               std::string(kernels::name(result.what.level)), std::string(kernels::name(result.what.access)),
               fmt::format("{:.1f}", result.kernel_gb_s), fmt::format("{:.1f}", result.read_gb_s),
               fmt::format("{:.0f}%", 100 * result.ratio())});
  }
  out << describe(describe_machine()) << "\n\n" << table.text();
}

void run_kernels(const KernelsOptions& options, Console& console) {
  const auto results = kernels::measure_bandwidths(kernels::distances(), options.dims, options.seconds);
  console.json ? print_json(results, console.out) : print_table(results, console.out);
}

}  // namespace

void register_bench_kernels(CLI::App& bench, Console& console) {
  CLI::App* command = bench.add_subcommand("kernels", "GB/s of the fp32 distance kernels, from L2 and from DRAM");
  auto options = std::make_shared<KernelsOptions>();
  command->add_option("--dims", options->dims, "Components of the vectors")->delimiter(',')->capture_default_str();
  command->add_option("--seconds", options->seconds, "Time for each line")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  add_json_option(*command, console);
  command->callback([options, &console] { run_kernels(*options, console); });
}

}  // namespace boon::cli
