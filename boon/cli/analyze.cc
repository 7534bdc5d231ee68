// boon analyze: what a file of vectors is like, and how to index it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/analyze_advice.h"
#include "boon/cli/analyze_report.h"
#include "boon/cli/analyze_svg.h"
#include "boon/cli/input.h"
#include "boon/cli/output.h"
#include "boon/cli/svg_file.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"
#include "boon/geometry/analysis.h"
#include "boon/index/exact_rows.h"

namespace boon::cli {
namespace {

constexpr const char* kAnalyzeFooter =
    R"(Neighbours are found exactly, of a sample of the rows among all rows. In brackets are 95% intervals. The same file
and seed give the same report on every machine. Advice follows from the figures, under the metric that vectors are
compared by; M is a rule of thumb. docs/notes/geometry.md explains the page.

Examples:
  boon analyze words.npy
  boon analyze sift.hdf5 --metric l2 --svg sift.svg           a picture of cosines and distances
  boon analyze words.npy --sample 20000                       narrower intervals, in more time
  boon analyze words.npy --json | jq -r .advice.command | sh  index the vectors as advised)";

struct AnalyzeCommand {
  InputOptions input;
  std::string metric;  // empty: what is advised
  std::string svg;
  std::size_t sample = geometry::AnalysisOptions{}.sample;
  std::size_t threads = 0;
  std::size_t seed = geometry::AnalysisOptions{}.seed;
};

// What has no two directions or places has no figures either.
void check_apart(const VectorTable& table, const AnalysisReport& report) {
  const geometry::Analysis& analysis = report.analysis;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", report.name, why));
  };
  const std::string rows = format_count(table.rows());
  if (analysis.components.zeros == table.rows()) refuse(fmt::format("all {} vectors are zeros", rows));
  if (analysis.different > 1) return;
  if (report.metric != Metric::cosine) refuse(fmt::format("all {} vectors are equal", rows));
  refuse(fmt::format("all {} vectors that are not zeros have one direction; --metric l2 looks at lengths too",
                     format_count(table.rows() - analysis.components.zeros)));
}

// The command that builds an index as advised; empty where it could not be run again.
std::string build_command(const AnalyzeCommand& command, const AnalysisReport& report, const Console& console) {
  const InputOptions& input = command.input;
  if (input.path == "-" || input.reading.format != Format::automatic) return "";
  // A name that begins with a dash would be an option.
  const auto as_path = [](const std::string& name) { return shell_quoted(name.starts_with('-') ? "./" + name : name); };
  std::string text = fmt::format("{} build {}", shell_quoted(console.program), as_path(input.path));
  if (input.reading.dataset != ReadOptions{}.dataset) {
    text += fmt::format(" --dataset {}", shell_quoted(input.reading.dataset));
  }
  text += fmt::format(" -o {} --metric {}", as_path(Path(input.path).stem().native() + ".boon"), name(report.metric));
  if (report.codes.codes != "u8") text += fmt::format(" --codes {}", report.codes.codes);
  return text + fmt::format(" -M {}", report.neighbours.neighbours);
}

AnalysisReport measure(const AnalyzeCommand& command, const VectorTable& table, const Console& console) {
  AnalysisReport report{.name = display_name(command.input.path), .command = "", .seed = command.seed};
  if (table.rows() < 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} holds 1 vector; there is nothing to compare it with", report.name));
  }
  const geometry::Points points{.data = table.values.data(), .count = table.rows(), .dim = table.dim};
  ProgressBar bar("Measuring");
  report.agreement = geometry::measure_agreement(points, command.seed);
  report.advised_metric = advise_metric(geometry::measure_components(points), report.agreement, table.metric);
  report.metric = command.metric.empty() ? report.advised_metric.metric : parse_metric(command.metric);
  report.analysis = geometry::analyse(points,
                                      {.space = index::space_of(report.metric),
                                       .sample = command.sample,
                                       .seed = command.seed,
                                       .threads = command.threads},
                                      std::ref(bar));
  bar.finish();
  check_apart(table, report);
  report.codes = advise_codes(report.analysis, report.metric);
  report.neighbours = advise_neighbours(report.analysis);
  report.command = build_command(command, report, console);
  return report;
}

std::string title_of(const AnalysisReport& report) {
  return fmt::format("{}: {} vectors of {} dimensions, {}", report.name, format_count(report.analysis.rows),
                     report.analysis.dim, name(report.metric));
}

void analyze(const AnalyzeCommand& command, Console& console) {
  if (!command.metric.empty()) parse_metric(command.metric);
  if (console.json && command.svg == "-") {
    throw Error(ErrorCode::invalid_argument, "--json and --svg - both write to standard output; choose one");
  }
  check_svg_target(command.svg);
  const VectorTable table = read_vectors(command.input.path, command.input.reading);
  install_interrupt_handler();
  const Stopwatch watch;
  const AnalysisReport report = measure(command, table, console);
  if (!command.svg.empty()) {
    write_svg(command.svg, analysis_svg(report.analysis, title_of(report)), console.out);
    if (command.svg == "-") return;
  }
  if (console.json) {
    Json json = to_json(report);
    json["seconds"] = watch.seconds();
    print(console.out, json);
  } else {
    console.out << to_text(report);
  }
}

}  // namespace

void register_analyze(CLI::App& app, Console& console) {
  const auto options = std::make_shared<AnalyzeCommand>();
  CLI::App* command = app.add_subcommand("analyze", "Measure what vectors are like, and advise how to index them");
  add_input_options(*command, options->input);
  command
      ->add_option("--metric", options->metric,
                   "cosine, l2 or ip; default: what an HDF5 file says, else what the vectors suggest")
      ->type_name("METRIC");
  add_count_option(*command, "--sample", options->sample, "Rows whose neighbours are looked for");
  add_count_option(*command, "--seed", options->seed, "Of all that is drawn: rows, pairs, projections");
  command
      ->add_option("--svg", options->svg, "Draw cosines and distances into this file; - writes standard output instead")
      ->type_name("FILE");
  add_threads_option(*command, options->threads, "look for neighbours");
  add_json_option(*command, console);
  command->footer(kAnalyzeFooter);
  command->callback([&console, options] { analyze(*options, console); });
}

}  // namespace boon::cli
