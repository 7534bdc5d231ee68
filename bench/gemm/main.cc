// boon-bench-gemm: speed of boon's products of matrices beside OpenBLAS, BLIS, oneDNN and Eigen, measured in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/gemm/loading.h"
#include "bench/gemm/measure.h"
#include "bench/gemm/report.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::bench::gemm {
namespace {

using kernels::Arithmetic;

constexpr std::string_view kDescription =
    R"(Multiplies the same matrices by boon, OpenBLAS, BLIS, oneDNN and Eigen, by turns in one process.

Every system is told how many threads to use, and its answer is checked against double precision before it is timed; a
wrong one is named and makes the exit code 1. Speeds are also told as a share of the peak: what the processor's widest
instructions reach in registers alone, measured between the turns. oneDNN is asked in both of its forms, as BLAS and by
a primitive that is made once for a shape. Eigen is compiled for this very processor and has one thread; boon is the
ordinary program, and BOON_ISA chooses its instruction set. A peer that can't be loaded is left out and named.)";

constexpr const char* kPage = "docs/benchmarks.md";
constexpr const char* kResults = "bench/results/gemm.json";

struct Arguments {
  std::vector<std::string> sizes = {"64",
                                    "128",
                                    "256",
                                    "512",
                                    "1024",
                                    "512:nt",
                                    "512:tn",
                                    "128x384x384",
                                    "128x1536x384",
                                    "128x384x1536",
                                    "128x1536x384:nt",
                                    "8192x32x128"};
  std::vector<std::string> types = {"fp32", "int8", "bf16"};
  std::vector<std::string> only;
  MeasureOptions measure;
  LibraryFiles files;
  std::string json;
  bool quick = false;
  bool report = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  MeasureOptions& measure = arguments.measure;
  app.add_option(
         "--sizes", arguments.sizes,
         "Products: 512, 128x1536x384 (rows and columns of C, then the depth), 512:tn (A is stored transposed, B "
         "as it is)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--types", arguments.types, "fp32, int8 (summed in int32), bf16 (summed in fp32)")
      ->delimiter(',')
      ->check(CLI::IsMember({"fp32", "int8", "bf16"}))
      ->capture_default_str();
  app.add_option("--threads", measure.threads,
                 "Numbers of threads, each measured; for more than one the machine must be quiet")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--only", arguments.only, "Systems by name, as in 'boon,OpenBLAS'; leave the others out")
      ->delimiter(',');
  app.add_option("--turns", measure.turns, "Turns of each system")->check(CLI::Range(1, 10'000))->capture_default_str();
  app.add_option("--turn-ms", measure.turn_ms, "Milliseconds of a turn, or one product if that takes longer")
      ->check(CLI::Range(0.1, 10'000.0))
      ->capture_default_str();
  app.add_option("--openblas", arguments.files.openblas, "Another build of OpenBLAS: a shared library");
  app.add_option("--blis", arguments.files.blis, "Another build of BLIS: a shared library");
  app.add_option("--json", arguments.json, "Write everything to this file");
  app.add_flag("--cpu-time", measure.processor_time,
               "Time products on one thread by its processor time, for a machine that is busy with other things");
  app.add_flag("--quick", arguments.quick, "To try things out: three products, five turns; seconds");
  app.add_flag("--report", arguments.report,
               fmt::format("Write everything to {} and the tables between their marks in {}", kResults, kPage));
}

// Fills in what --quick implies and was not given.
void apply_quick(const CLI::App& app, Arguments& arguments) {
  if (!arguments.quick) return;
  if (app.count("--sizes") == 0) arguments.sizes = {"128", "512", "128x1536x384"};
  if (app.count("--turns") == 0) arguments.measure.turns = 5;
}

std::vector<Shape> shapes_of(const Arguments& arguments) {
  std::vector<Shape> shapes;
  for (const std::string& size : arguments.sizes) shapes.push_back(parse_shape(size));
  return shapes;
}

std::vector<Arithmetic> arithmetics_of(const Arguments& arguments) {
  std::vector<Arithmetic> chosen;
  for (const Arithmetic what : {Arithmetic::fp32, Arithmetic::int8, Arithmetic::bf16}) {
    const auto& types = arguments.types;
    if (std::find(types.begin(), types.end(), kernels::name(what)) != types.end()) chosen.push_back(what);
  }
  return chosen;
}

void keep_only(const std::vector<std::string>& names, Loaded& loaded) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const auto& system : loaded.systems) known.push_back(system->name());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string message = fmt::format("--only: there is no system '{}'; there are {}", name, fmt::join(known, ", "));
    for (const Missing& missing : loaded.missing) {
      message += fmt::format("\n{} is left out: {}", missing.name, missing.reason);
    }
    throw Error(ErrorCode::invalid_argument, message);
  }
  std::erase_if(loaded.systems, [&](const auto& system) {
    return std::find(names.begin(), names.end(), system->name()) == names.end();
  });
  loaded.missing.clear();
}

std::string read_page() {
  std::ifstream file(kPage);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot read {}; run from the root of the repository", kPage));
  return std::move(text).str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot write {}", path));
}

// Before minutes of measuring, not after.
void check_writable(const std::string& path) {
  if (!std::ofstream(path, std::ios::app)) throw Error(ErrorCode::io, fmt::format("cannot write {}", path));
}

std::string command_line(int argc, char** argv) {
  std::string line = "./dev bench gemm";
  for (int i = 1; i < argc; ++i) line += " " + cli::shell_quoted(argv[i]);
  return line;
}

std::vector<CaseFigures> measure_all(const Arguments& arguments, const SystemList& systems) {
  const auto shapes = shapes_of(arguments);
  const auto arithmetics = arithmetics_of(arguments);
  const std::size_t total = shapes.size() * arithmetics.size();
  cli::ProgressBar bar("Products");
  std::vector<CaseFigures> cases;
  std::size_t done = 0;
  for (const Arithmetic what : arithmetics) {
    for (const Shape& shape : shapes) {
      auto results = measure(what, shape, systems, arguments.measure, [&] { return bar(done, total); });
      std::move(results.begin(), results.end(), std::back_inserter(cases));
      ++done;
    }
  }
  return cases;
}

bool all_right(const std::vector<CaseFigures>& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const CaseFigures& figures) {
    return std::all_of(figures.systems.begin(), figures.systems.end(),
                       [](const SystemFigures& system) { return system.fault.empty(); });
  });
}

// Whether all answers were right.
bool run(const Arguments& arguments, const std::string& command) {
  shapes_of(arguments);  // throws before anything is loaded
  if (!arguments.json.empty()) check_writable(arguments.json);
  if (arguments.report) {
    with_report(read_page(), {});  // throws if it has no marks
    check_writable(kPage);
    check_writable(kResults);
  }
  Loaded loaded = load_systems(arguments.files);
  keep_only(arguments.only, loaded);
  Report report{
      .command = command, .options = arguments.measure, .systems = {}, .missing = loaded.missing, .cases = {}};
  for (const auto& system : loaded.systems) report.systems.push_back({system->name(), system->details()});
  report.cases = measure_all(arguments, loaded.systems);
  std::cout << to_text(report);
  if (!arguments.json.empty()) write_file(arguments.json, to_json(report));
  if (arguments.report) {
    write_file(kResults, to_json(report));
    write_file(kPage, with_report(read_page(), report));
  }
  return all_right(report.cases);
}

}  // namespace
}  // namespace boon::bench::gemm

int main(int argc, char** argv) {
  using namespace boon;
  bench::gemm::Arguments arguments;
  CLI::App app{std::string(bench::gemm::kDescription), "./dev bench gemm"};
  bench::gemm::add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  cli::install_interrupt_handler();
  try {
    bench::gemm::apply_quick(app, arguments);
    return bench::gemm::run(arguments, bench::gemm::command_line(argc, argv)) ? 0 : 1;
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return exit_code(error.code());
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
