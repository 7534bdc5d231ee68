// `boon bench gemv`: a matrix of NVFP4 times a vector, from the plain loop to tiles on all threads, beside a plain
// read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "boon/cli/bench.h"
#include "boon/cli/terminal.h"
#include "boon/codec/gemv_bandwidth.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

struct GemvOptions {
  std::vector<std::size_t> shape;
  std::size_t threads = 0;
  double seconds = 1;
};

std::string text(const codec::GemvShape& shape) {
  return fmt::format("{}x{}x{}", shape.rows, shape.columns, shape.batch);
}

void print_json(std::span<const codec::GemvBandwidth> results, std::ostream& out) {
  Json report{{"machine", to_json(describe_machine())}, {"kernels", codec::code_kernels().name}};
  for (const codec::GemvBandwidth& result : results) {
    report["results"].push_back({{"rows", result.shape.rows},
                                 {"columns", result.shape.columns},
                                 {"batch", result.shape.batch},
                                 {"way", codec::name(result.way)},
                                 {"seconds", result.seconds},
                                 {"gemv_gb_s", result.gemv_gb_s},
                                 {"read_gb_s", result.read_gb_s},
                                 {"ratio", result.ratio()}});
  }
  print(out, report);
}

void print_table(std::span<const codec::GemvBandwidth> results, std::ostream& out) {
  Table table({{"rows x columns x batch"},
               {"way"},
               {"ms", Align::right},
               {"GB/s", Align::right},
               {"plain read", Align::right},
               {"share", Align::right}});
  for (const codec::GemvBandwidth& result : results) {
    table.add({text(result.shape), std::string(codec::name(result.way)), fmt::format("{:.2f}", 1e3 * result.seconds),
               fmt::format("{:.1f}", result.gemv_gb_s), fmt::format("{:.1f}", result.read_gb_s),
               fmt::format("{:.0f}%", 100 * result.ratio())});
  }
  out << describe(describe_machine()) << "\nkernels: " << codec::code_kernels().name << "\n\n" << table.text();
}

void run_gemv(const GemvOptions& options, Console& console) {
  std::vector<codec::GemvShape> shapes(std::begin(codec::kGemvShapes), std::end(codec::kGemvShapes));
  if (!options.shape.empty()) {
    shapes = {{options.shape[0], options.shape[1], options.shape[2]}};
    if (shapes[0].rows % 16 != 0 || shapes[0].columns % 64 != 0 || shapes[0].matrix_bytes() * shapes[0].batch == 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--shape {}: rows are a multiple of 16, columns of 64, and none is 0", text(shapes[0])));
    }
  }
  ThreadPool pool(options.threads);
  std::vector<codec::GemvBandwidth> results;
  for (const codec::GemvShape& shape : shapes) {
    const auto part = codec::measure_gemv(shape, codec::code_kernels(), pool, options.seconds);
    results.insert(results.end(), part.begin(), part.end());
  }
  console.json ? print_json(results, console.out) : print_table(results, console.out);
}

}  // namespace

void register_bench_gemv(CLI::App& bench, Console& console) {
  CLI::App* command = bench.add_subcommand("gemv", "GB/s of a matrix of NVFP4 times a vector, in six ways");
  auto options = std::make_shared<GemvOptions>();
  command->add_option("--shape", options->shape, "Rows, columns and batch, instead of the three usual ones")
      ->delimiter(',')
      ->expected(3);
  command->add_option("--threads", options->threads, "Threads of the last way; 0 means all")->capture_default_str();
  command->add_option("--seconds", options->seconds, "Time for each line")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  add_json_option(*command, console);
  command->callback([options, &console] { run_gemv(*options, console); });
}

}  // namespace boon::cli
