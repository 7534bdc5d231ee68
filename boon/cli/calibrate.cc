// boon calibrate: which recall walks of an index reach, measured and kept in its file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/calibrations.h"
#include "boon/cli/input.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vectors.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kCalibrateFooter =
    R"(Afterwards boon search --recall R chooses its beam by itself. Queries are to be such as will be asked, and not in
the index. Where none are given, vectors of the index stand for them, each invisible while it is asked. "at least" is
what the recall is at least, with a confidence of 95%; --recall goes by that. After a tenth of the index has changed it
is to be calibrated anew.

Examples:
  boon calibrate words.boon
  boon calibrate sift.boon --queries asked.npy -k 100)";

struct CalibrateCommand {
  std::string file;
  std::string queries;
  ReadOptions reading{.dataset = "test"};
  CalibrationOptions options;
};

std::vector<float> read_queries(const CalibrateCommand& command, const Index& index) {
  if (command.queries.empty()) return {};
  VectorTable table = read_vectors(command.queries, command.reading);
  if (table.dim != index.dim()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a query of {} has {} components, the vectors of {} have {}", display_name(command.queries),
                            table.dim, command.file, index.dim()));
  }
  if (table.rows() == 0) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} holds no queries", display_name(command.queries)));
  }
  return std::move(table.values);
}

void run_calibrate(const CalibrateCommand& command, Console& console) {
  command.options.validate();
  require_file(command.file);
  const WriterLock lock(command.file);
  NamedIndex target = NamedIndex::load(command.file);
  const std::vector<float> queries = read_queries(command, target.index);
  install_interrupt_handler();
  const Stopwatch watch;
  const Calibration made = calibrate(target.index, queries, command.options);
  const double seconds = watch.seconds();
  target.save();

  console.err << fmt::format("{}: calibrated for {} (in {})\n", printable(command.file), summary(made),
                             format_duration(seconds));
  if (console.json) {
    Json json{{"file", command.file}};
    json.update(to_json(made));
    json["seconds"] = seconds;
    return print(console.out, json);
  }
  Table table({{"beam", Align::right}, {fmt::format("recall@{}", made.k), Align::right}, {"at least", Align::right}});
  for (const CalibrationPoint& point : made.points) {
    table.add(
        {std::to_string(point.beam), fmt::format("{:.4f}", point.recall), fmt::format("{:.4f}", point.recall_min)});
  }
  console.out << table.text();
}

}  // namespace

void register_calibrate(CLI::App& app, Console& console) {
  const auto options = std::make_shared<CalibrateCommand>();
  CLI::App* command = app.add_subcommand("calibrate", "Measure which beam takes searches to which recall");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  command->add_option("--queries", options->queries, "File of vectors to search for; - reads standard input")
      ->type_name("FILE");
  command->add_option("--query-dataset", options->reading.dataset, "Which set of an HDF5 file the queries are")
      ->type_name("NAME")
      ->capture_default_str();
  add_count_option(*command, "-k,-n,--top-k", options->options.k, "Answers to each query");
  add_count_option(*command, "--sample", options->options.sample, "Vectors of the index that stand for queries");
  add_count_option(*command, "--seed", options->options.seed, "Of the vectors drawn");
  add_threads_option(*command, options->options.threads);
  add_json_option(*command, console);
  command->footer(kCalibrateFooter);
  command->callback([&console, options] { run_calibrate(*options, console); });
}

}  // namespace boon::cli
