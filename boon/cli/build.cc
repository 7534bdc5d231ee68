// boon build: vectors from a file into a new index.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/calibrations.h"
#include "boon/cli/input.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kBuildFooter =
    R"(Under cosine, vectors are kept at length 1. Words of a text file and "id" strings of JSON lines become names.
Ctrl-C: what is linked so far is saved, and `boon add FILE INPUT --resume` adds the rest; with --force the
existing file is kept as it was. A second Ctrl-C ends at once and writes nothing.

Examples:
  boon build glove.6B.100d.txt -o words.boon
  boon build sift-128-euclidean.hdf5 -o sift.boon -M 32       the metric comes from the file
  zcat vectors.jsonl.gz | boon build - -o v.boon --metric l2)";

struct BuildCommand {
  InputOptions input;
  std::string output;
  std::string metric;  // empty: the file's own, else cosine
  graph::HnswOptions graph;
  std::string kind = "hnsw";
  std::string codes = IndexOptions{}.codes;
  std::string dtype = IndexOptions{}.dtype;
  std::size_t threads = 0;
  bool force = false;
  bool calibrate = false;
};

struct Seconds {
  double read = 0, build = 0, calibrate = 0, save = 0;
};

// What would otherwise come to light after the work.
void check_target(const Path& target, bool force) {
  std::error_code unknown;
  const auto status = std::filesystem::status(target, unknown);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} is not a regular file", target.native()));
  }
  if (!force) {
    throw Error(ErrorCode::already_exists,
                fmt::format("{} exists already; --force replaces it, and boon add adds to it", target.native()));
  }
  if (::access(target.c_str(), W_OK) != 0) {
    throw Error(ErrorCode::io, fmt::format("{} may not be written", target.native()));
  }
}

Metric choose_metric(const BuildCommand& command, const VectorTable& table) {
  if (!command.metric.empty()) return parse_metric(command.metric);
  return table.metric.empty() ? Metric::cosine : parse_metric(table.metric);
}

[[noreturn]] void stop(NamedIndex& made, const BuildCommand& command, const Added& added) {
  const std::string& target = command.output;
  if (std::filesystem::exists(target)) {
    throw Error(ErrorCode::cancelled, fmt::format("interrupted; {} is as it was", target));
  }
  if (added.added == 0) throw Error(ErrorCode::cancelled, "interrupted before the first vector; nothing was written");
  made.save();
  const std::string advice = command.input.path == "-"
                                 ? ""
                                 : fmt::format("; boon add {} {} --resume adds the rest", shell_quoted(target),
                                               shell_quoted(command.input.path));
  throw Error(ErrorCode::cancelled, fmt::format("interrupted: {} holds {} of {} vectors{}", target,
                                                format_count(added.added), format_count(added.rows), advice));
}

// What has been built is kept if it cannot be calibrated, or was interrupted meanwhile.
void calibrate_or_save(NamedIndex& made, const BuildCommand& command) {
  try {
    calibrate(made.index, {}, {.threads = command.threads});
  } catch (const Error& error) {
    made.save();
    throw Error(error.code(), fmt::format("{} is built and not calibrated: {}", command.output, error.what()));
  } catch (...) {
    made.save();
    throw;
  }
}

void report(Console& console, const NamedIndex& made, const Seconds& seconds) {
  const Index& index = made.index;
  const std::uint64_t bytes = std::filesystem::file_size(made.path);
  console.err << fmt::format("{}: {} vectors, dimension {}, {}; {} (read in {}, built in {}, saved in {})\n",
                             printable(made.path.native()), format_count(index.size()), index.dim(),
                             name(index.metric()), format_bytes(bytes), format_duration(seconds.read),
                             format_duration(seconds.build), format_duration(seconds.save));
  for (const Calibration& calibration : index.calibrations()) {
    console.err << fmt::format("calibrated for {} (in {})\n", summary(calibration), format_duration(seconds.calibrate));
  }
  if (!console.json) return;
  print(console.out, {{"file", made.path.native()},
                      {"vectors", index.size()},
                      {"dim", index.dim()},
                      {"metric", name(index.metric())},
                      {"kind", name(index.kind())},
                      {"codes", index.codes()},
                      {"dtype", index.options().dtype},
                      {"named", made.names.has_value()},
                      {"bytes", bytes},
                      {"seconds", {{"read", seconds.read}, {"build", seconds.build}, {"save", seconds.save}}}});
}

void build(const BuildCommand& command, Console& console) {
  command.graph.validate();
  if (!command.metric.empty()) parse_metric(command.metric);
  IndexOptions{.dim = 1, .kind = parse_kind(command.kind), .codes = command.codes, .dtype = command.dtype}.validate();
  if (command.calibrate && parse_kind(command.kind) == IndexKind::exact) {
    throw Error(ErrorCode::invalid_argument, "--calibrate is for an index with a graph; an exact one finds everything");
  }
  check_target(command.output, command.force);
  const WriterLock lock(command.output);
  install_interrupt_handler();

  Seconds seconds;
  Stopwatch watch;
  const VectorTable table = read_vectors(command.input.path, command.input.reading);
  seconds.read = watch.lap();

  NamedIndex made{.index = Index({.dim = table.dim,
                                  .metric = choose_metric(command, table),
                                  .graph = command.graph,
                                  .kind = parse_kind(command.kind),
                                  .codes = command.codes,
                                  .dtype = command.dtype}),
                  .names = std::nullopt,
                  .path = command.output};
  ProgressBar bar("Building");
  const Added added = add_rows(made, table, display_name(command.input.path), Existing::refuse,
                               {.threads = command.threads, .progress = std::ref(bar)});
  bar.finish();
  seconds.build = watch.lap();
  if (added.interrupted) stop(made, command, added);
  if (command.calibrate) calibrate_or_save(made, command);
  seconds.calibrate = watch.lap();
  made.save();
  seconds.save = watch.lap();
  report(console, made, seconds);
  warn_if_unreachable(console, made.path, made.index);
}

}  // namespace

void register_build(CLI::App& app, Console& console) {
  const auto options = std::make_shared<BuildCommand>();
  graph::HnswOptions& graph = options->graph;
  CLI::App* command = app.add_subcommand("build", "Make an index from a file of vectors");
  add_input_options(*command, options->input);
  command->add_option("-o,--output", options->output, "File to write")->required()->type_name("FILE");
  command->add_option("--metric", options->metric, "cosine, l2 or ip; default: what an HDF5 file says, else cosine")
      ->type_name("METRIC");
  command->add_option("--kind", options->kind, "hnsw: a graph; exact: none, each search compares with every vector")
      ->type_name("KIND")
      ->capture_default_str();
  command
      ->add_option("--codes", options->codes,
                   fmt::format("What walks read in place of the vectors, which are kept for exact distances: {}",
                               fmt::join(code_names(), ", ")))
      ->type_name("CODEC")
      ->capture_default_str();
  command
      ->add_option("--dtype", options->dtype,
                   "What vectors are held as: fp32, or fp16 or bf16, which halve them; bytes where these lose nothing")
      ->type_name("TYPE")
      ->capture_default_str();
  add_count_option(*command, "-M,--neighbours", graph.neighbours, "Links of a node; more finds more, in more memory");
  add_count_option(*command, "--build-beam,--ef-construction", graph.build_beam,
                   "Candidates kept while linking; more makes a better graph and takes longer");
  command->add_option("--level-mult", graph.level_mult, "Each level has 1/m of the nodes below; 0 means -M")
      ->type_name("m")
      ->capture_default_str();
  command->add_option("--alpha", graph.alpha, "Slack of the second round of neighbour selection; 1 turns it off")
      ->type_name("A")
      ->capture_default_str();
  add_count_option(*command, "--seed", graph.seed, "Of the drawn levels");
  add_threads_option(*command, options->threads);
  command->add_flag("--calibrate", options->calibrate, "Measure which recall searches reach, as boon calibrate does");
  command->add_flag("--force", options->force, "Replace the file if it exists");
  add_json_option(*command, console);
  command->footer(kBuildFooter);
  command->callback([&console, options] { build(*options, console); });
}

}  // namespace boon::cli
