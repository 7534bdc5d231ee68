// boon truth: the ground truth of a benchmark set, made or checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/data_sets.h"
#include "boon/cli/exact_search.h"
#include "boon/cli/input.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/bytes.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kTruthFooter =
    R"(SET is a benchmark set: its name, as ./dev data makes it, or an HDF5 file with the sets "train" and "test". With
QUERIES it is any file of vectors. FILE may end in .hdf5 (a whole set in the layout of ann-benchmarks, whose distances
are not squared under l2) or .ivecs (row numbers alone). Row numbers count from 0; equal distances are in their order.

--check compares the truth that a set holds: exit code 6 if an answer of it is wrong. Another one of the equally near
is not.

Examples:
  boon truth base.npy queries.npy --metric l2 -k 100 -o mine.hdf5
  boon truth glove100 --check)";

struct TruthCommand {
  std::string set;
  std::string queries;
  std::string metric;  // empty: the file's own, else cosine
  std::string output;
  std::size_t k = 100;
  std::size_t threads = 0;
  bool check = false;
  bool no_vectors = false;
};

// As ann-benchmarks calls it.
std::string metric_in_file(Metric metric) {
  switch (metric) {
    case Metric::l2:
      return "euclidean";
    case Metric::cosine:
      return "angular";
    case Metric::inner_product:
      break;
  }
  return "ip";
}

float distance_in_file(Metric metric, double distance) {
  return static_cast<float>(metric == Metric::l2 ? std::sqrt(distance) : distance);
}

BenchmarkSet read_set(const TruthCommand& command, const Path& path) {
  if (command.check) return read_benchmark_set(path);
  BenchmarkSet set;
  const bool one_file = command.queries.empty();
  set.train = read_vectors(path, {.format = one_file ? Format::hdf5 : Format::automatic});
  set.test = read_vectors(one_file ? path : Path(command.queries),
                          {.format = one_file ? Format::hdf5 : Format::automatic, .dataset = "test"});
  set.metric = set.train.metric;
  return set;
}

void write_ivecs(const Path& path, const BenchmarkSet& set) {
  AtomicFile out(path);
  const auto width = static_cast<std::int32_t>(set.truth_k);
  for (std::size_t first = 0; first < set.neighbours.size(); first += set.truth_k) {
    out.write(as_bytes(&width, 1));
    out.write(as_bytes(set.neighbours.data() + first, set.truth_k));
  }
  out.commit();
}

bool ends_in(const std::string& file, std::string_view extension) {
  return Path(file).extension() == extension;
}

void check_command(const TruthCommand& command) {
  if (command.check != command.output.empty()) {
    throw Error(ErrorCode::invalid_argument,
                command.check ? "--check writes nothing: leave -o out"
                              : "name the file to write with -o, or compare with what is there by --check");
  }
  if (command.check && !command.queries.empty()) {
    throw Error(ErrorCode::invalid_argument, "--check takes one set, which holds its queries");
  }
  if (!command.check && !ends_in(command.output, ".hdf5") && !ends_in(command.output, ".ivecs")) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} ends in neither .hdf5 nor .ivecs", command.output));
  }
  if (!command.metric.empty()) parse_metric(command.metric);
}

// What a set's truth says against what is so, counted in queries.
struct Comparison {
  std::size_t queries = 0;
  std::size_t wrong_rows = 0;       // an answer is farther than the true one of its rank
  std::size_t wrong_distances = 0;  // the answers are right, and a distance is not that of its row
  std::size_t other_ties = 0;       // all is right, and other ones of the equally near are named
  std::size_t first_wrong = 0;

  bool right() const noexcept { return wrong_rows == 0 && wrong_distances == 0; }
};

// Leaves room for two roundings to fp32 and for sums taken in another order.
bool same_distance(double a, double b) noexcept {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)) + 1e-7;
}

Comparison compare(const BenchmarkSet& set, const ExactAnswers& answers, Metric metric) {
  Comparison found{.queries = set.test.rows()};
  const std::size_t dim = set.test.dim;
  for (std::size_t query = 0; query < found.queries; ++query) {
    const std::span<const float> vector(set.test.values.data() + query * dim, dim);
    bool right_rows = true, right_distances = true, same_rows = true;
    for (std::size_t i = query * answers.k; i < (query + 1) * answers.k; ++i) {
      const auto row = static_cast<std::uint32_t>(set.neighbours[i]);
      const double distance = precise_distance(metric, vector, {set.train.values.data() + row * dim, dim});
      same_rows = same_rows && row == answers.rows[i];
      right_rows = right_rows && same_distance(distance, answers.distances[i]);
      right_distances = right_distances && same_distance(set.distances[i], distance_in_file(metric, distance));
    }
    if (found.right() && !(right_rows && right_distances)) found.first_wrong = query;
    if (!right_rows) {
      ++found.wrong_rows;
    } else if (!right_distances) {
      ++found.wrong_distances;
    } else if (!same_rows) {
      ++found.other_ties;
    }
  }
  return found;
}

void report(Console& console, const TruthCommand& command, const Comparison& found) {
  if (!found.right()) console.exit_code = exit_code(ErrorCode::corrupted);
  if (console.json) {
    print(console.out, {{"set", command.set},
                        {"right", found.right()},
                        {"queries", found.queries},
                        {"wrong_rows", found.wrong_rows},
                        {"wrong_distances", found.wrong_distances},
                        {"other_ties", found.other_ties}});
    return;
  }
  console.out << fmt::format("{}: {} queries, {} with wrong rows, {} with wrong distances{}\n", printable(command.set),
                             format_count(found.queries), format_count(found.wrong_rows),
                             format_count(found.wrong_distances),
                             found.right() ? "" : fmt::format("; the first is query {}", found.first_wrong));
  if (found.other_ties > 0) {
    console.out << fmt::format("{} name other ones of the equally near\n", format_count(found.other_ties));
  }
}

void report(Console& console, const TruthCommand& command, const BenchmarkSet& set, double seconds) {
  if (!console.json) {
    console.err << fmt::format("{}: the {} nearest of {} vectors to each of {} queries, {}, in {}\n",
                               printable(command.output), set.truth_k, format_count(set.train.rows()),
                               format_count(set.test.rows()), set.metric, format_duration(seconds));
    return;
  }
  print(console.out, {{"file", command.output},
                      {"vectors", set.train.rows()},
                      {"queries", set.test.rows()},
                      {"dim", set.train.dim},
                      {"metric", set.metric},
                      {"k", set.truth_k},
                      {"seconds", seconds}});
}

void fill(BenchmarkSet& set, const ExactAnswers& answers, Metric metric) {
  set.metric = metric_in_file(metric);
  set.truth_k = answers.k;
  set.neighbours.assign(answers.rows.begin(), answers.rows.end());
  for (const double distance : answers.distances) set.distances.push_back(distance_in_file(metric, distance));
}

void truth(const TruthCommand& command, Console& console) {
  check_command(command);
  // Named sets stand in the cache; a file of vectors may have any name.
  const Path path = command.queries.empty() ? find_data_set(command.set, data_folder()) : Path(command.set);
  BenchmarkSet set = read_set(command, path);
  const std::string& metric_name = command.metric.empty() ? set.metric : command.metric;
  const Metric metric = metric_name.empty() ? Metric::cosine : parse_metric(metric_name);
  const std::size_t k = command.check ? set.truth_k : command.k;
  if (k > set.train.rows()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("k is {}, and there are {} vectors", k, set.train.rows()));
  }
  if (set.train.rows() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::unsupported, "row numbers of such a file end at 2,147,483,647");
  }
  install_interrupt_handler();
  ProgressBar bar("Comparing");
  const Stopwatch watch;
  const ExactAnswers answers = find_exact(
      set.train, set.test, metric, k, command.threads, display_name(path),
      command.queries.empty() ? display_name(path) + " set \"test\"" : display_name(command.queries), std::ref(bar));
  const double seconds = watch.seconds();
  bar.finish();
  if (command.check) return report(console, command, compare(set, answers, metric));
  fill(set, answers, metric);
  if (ends_in(command.output, ".ivecs")) {
    write_ivecs(command.output, set);
  } else {
    write_benchmark_set(command.output, set, !command.no_vectors);
  }
  report(console, command, set, seconds);
}

}  // namespace

void register_truth(CLI::App& app, Console& console) {
  const auto options = std::make_shared<TruthCommand>();
  CLI::App* command = app.add_subcommand("truth", "Make or check the ground truth of a benchmark set");
  command->add_option("SET", options->set, "The set, or a file of vectors")->required()->type_name("");
  command->add_option("QUERIES", options->queries, "A file of queries, where SET does not hold them")->type_name("");
  command->add_option("-o,--output", options->output, "File to write, .hdf5 or .ivecs")->type_name("FILE");
  command->add_flag("--check", options->check, "Compare the truth that the set holds");
  add_count_option(*command, "-k,-n,--top-k", options->k, "Answers to each query");
  command->add_option("--metric", options->metric, "cosine, l2 or ip; default: what an HDF5 file says, else cosine")
      ->type_name("METRIC");
  command->add_flag("--no-vectors", options->no_vectors, "Write the truth alone, without vectors and queries");
  add_threads_option(*command, options->threads);
  add_json_option(*command, console);
  command->footer(kTruthFooter);
  command->callback([&console, options] { truth(*options, console); });
}

}  // namespace boon::cli
