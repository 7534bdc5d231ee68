// `boon bench search`: recall against queries per second on a data set or an index, beside exact search.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/bench.h"
#include "boon/cli/data_sets.h"
#include "boon/cli/input.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vectors.h"
#include "boon/core/error.h"
#include "boon/index/index.h"

namespace boon::cli {
namespace {

// Exact search takes long and its time hardly varies.
constexpr std::size_t kQueriesForExact = 200;

struct BenchSearchOptions {
  std::string source;
  std::string queries;
  std::size_t k = 10;
  std::size_t threads = 0;
  SweepOptions sweep;
  std::vector<double> recalls;  // to be asked for, in place of the sweep
  graph::HnswOptions graph;
  // An index of a data set for each of both.
  std::vector<std::string> codes = {IndexOptions{}.codes};
  std::vector<std::string> dtypes = {IndexOptions{}.dtype};
};

// Indexes of the same vectors, what to ask them and what they should say.
struct Subject {
  std::vector<Index> indexes;
  std::vector<double> build_seconds;  // empty if they were there already
  std::vector<float> base;            // of a benchmark set; row i has the id i
  Queries queries;

  const Index& index() const { return indexes.front(); }
  VectorOf vector_of() const {
    if (!base.empty()) return rows_of(base, index().dim());
    return [&index = index(), held = std::vector<float>()](Id id) mutable {
      held = index.contains(id) ? index.get(id) : std::vector<float>();
      return std::span<const float>(held);
    };
  }
};

Subject build_subject(const Path& path, const BenchSearchOptions& options) {
  BenchmarkSet set = read_benchmark_set(path);
  Subject subject;
  for (const std::string& dtype : options.dtypes) {
    for (const std::string& codes : options.codes) {
      subject.indexes.push_back(Index({.dim = set.train.dim,
                                       .metric = parse_metric(set.metric),
                                       .graph = options.graph,
                                       .codes = codes,
                                       .dtype = dtype}));
    }
  }
  subject.base = std::move(set.train.values);
  subject.queries = take_queries(set, QueryShare::all, options.k);
  for (Index& index : subject.indexes) {
    ProgressBar bar("Building");
    const Stopwatch watch;
    index.add(subject.base, {}, {.threads = options.threads, .progress = std::ref(bar)});
    subject.build_seconds.push_back(watch.seconds());
  }
  return subject;
}

Subject open_subject(const BenchSearchOptions& options) {
  if (options.queries.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is an index; name a file of vectors to search it for: --queries FILE", options.source));
  }
  Subject subject;
  subject.indexes.push_back(Index::load(options.source));
  subject.queries.values = read_vectors(options.queries).values;
  if (subject.index().size() < options.k) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} holds {} vectors, which is too few for k = {}",
                                                         options.source, subject.index().size(), options.k));
  }
  const Matches truth =
      subject.index().search_many(subject.queries.values, options.k, {.exact = true, .threads = options.threads});
  for (std::size_t i = 0; i < truth.counts.size(); ++i) {
    subject.queries.kth_nearest.push_back(truth.ids[i * options.k + options.k - 1]);
  }
  return subject;
}

double exact_qps(const Index& index, const Judge& judge) {
  const std::size_t count = std::min(judge.size(), kQueriesForExact);
  const Stopwatch watch;
  for (std::size_t i = 0; i < count; ++i) index.search(judge.query(i), judge.k(), {.exact = true});
  return static_cast<double>(count) / watch.seconds();
}

using Curves = std::vector<std::vector<SweepPoint>>;

// Points of each index, as JSON.
void print_json(const Subject& subject, const Judge& judge, std::span<const Json> points, std::span<const double> exact,
                const BenchSearchOptions& options, std::ostream& out) {
  const auto& graph = subject.index().options().graph;
  Json report{{"machine", to_json(describe_machine())},
              {"source", options.source},
              {"n", subject.index().size()},
              {"dim", subject.index().dim()},
              {"metric", name(subject.index().metric())},
              {"neighbours", graph.neighbours},
              {"build_beam", graph.build_beam},
              {"queries", judge.size()},
              {"k", judge.k()},
              {"indexes", Json::array()}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    report["indexes"].push_back(
        {{"codes", subject.indexes[i].codes()},
         {"dtype", subject.indexes[i].options().dtype},
         {"build_seconds", subject.build_seconds.empty() ? Json(nullptr) : Json(subject.build_seconds[i])},
         {"exact_qps", exact[i]},
         {"points", points[i]}});
  }
  print(out, report);
}

Table table_of(const Subject& subject, const Judge& judge, const Curves& curves, std::span<const double> exact) {
  Table table({{"codes", Align::left},
               {"dtype", Align::left},
               {"beam", Align::right},
               {fmt::format("recall@{}", judge.k()), Align::right},
               {"queries/s", Align::right},
               {"median", Align::right},
               {"µs", Align::right},
               {"hops", Align::right},
               {"distances", Align::right},
               {"× exact", Align::right}});
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (const SweepPoint& point : curves[i]) {
      table.add({std::string(subject.indexes[i].codes()), subject.indexes[i].options().dtype,
                 fmt::format("{}", point.beam), fmt::format("{:.4f}", point.recall),
                 format_count(static_cast<std::uint64_t>(point.qps)),
                 format_count(static_cast<std::uint64_t>(point.qps_median)), fmt::format("{:.1f}", 1e6 / point.qps),
                 fmt::format("{:.0f}", point.hops), fmt::format("{:.0f}", point.distances),
                 fmt::format("{:.1f}", point.qps / exact[i])});
    }
  }
  return table;
}

Table table_of(const Subject& subject, const Judge& judge, std::span<const std::vector<TargetPoint>> targets,
               std::span<const double> exact) {
  Table table({{"codes", Align::left},
               {"dtype", Align::left},
               {"target", Align::right},
               {"beam", Align::right},
               {fmt::format("recall@{}", judge.k()), Align::right},
               {"queries/s", Align::right},
               {"µs", Align::right},
               {"× exact", Align::right}});
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (const TargetPoint& point : targets[i]) {
      table.add({std::string(subject.indexes[i].codes()), subject.indexes[i].options().dtype,
                 fmt::format("{:g}", point.target), point.beam == 0 ? "exact" : std::to_string(point.beam),
                 fmt::format("{:.4f}", point.recall), format_count(static_cast<std::uint64_t>(point.qps)),
                 fmt::format("{:.1f}", 1e6 / point.qps), fmt::format("{:.1f}", point.qps / exact[i])});
    }
  }
  return table;
}

void print_table(const Subject& subject, const Judge& judge, const Table& table, std::span<const double> exact,
                 const BenchSearchOptions& options, std::ostream& out) {
  const auto& graph = subject.index().options().graph;
  out << describe(describe_machine()) << '\n'
      << fmt::format("{}: {} vectors, {} components, {}, M = {}, ef_construction = {}; {} queries, one thread\n",
                     options.source, format_count(subject.index().size()), subject.index().dim(),
                     name(subject.index().metric()), graph.neighbours, graph.build_beam, format_count(judge.size()));
  for (std::size_t i = 0; i < subject.indexes.size(); ++i) {
    const Index& index = subject.indexes[i];
    if (subject.indexes.size() > 1) out << fmt::format("{}, {}: ", index.codes(), index.options().dtype);
    if (!subject.build_seconds.empty()) out << fmt::format("built in {}; ", format_duration(subject.build_seconds[i]));
    out << fmt::format("exact search: {} queries/s\n", format_count(static_cast<std::uint64_t>(exact[i])));
  }
  out << '\n' << table.text();
}

bool is_index(const Path& path) {
  return path.extension() == ".boon";
}

void run_search(const BenchSearchOptions& options, Console& console) {
  Subject subject = is_index(options.source) ? open_subject(options)
                                             : build_subject(find_data_set(options.source, data_folder()), options);
  const Judge judge(subject.index().metric(), subject.index().dim(), subject.queries.values,
                    subject.queries.kth_nearest, options.k, subject.vector_of());
  std::vector<double> exact;
  for (const Index& index : subject.indexes) exact.push_back(exact_qps(index, judge));
  const auto show = [&](const auto& measured) {
    std::vector<Json> points;
    for (const auto& of_index : measured) points.push_back(to_json(std::span(of_index)));
    if (console.json) return print_json(subject, judge, points, exact, options, console.out);
    print_table(subject, judge, table_of(subject, judge, measured, exact), exact, options, console.out);
  };
  if (!options.recalls.empty()) {
    std::vector<std::vector<TargetPoint>> targets;
    for (Index& index : subject.indexes) {
      targets.push_back(measure_targets(index, judge, options.recalls, options.threads));
    }
    return show(targets);
  }
  std::vector<Runner> runners;
  for (const Index& index : subject.indexes) runners.push_back(runner_of(index, judge.k()));
  show(sweep(runners, judge, options.sweep, [](std::string_view) {}));
}

}  // namespace

void register_bench_search(CLI::App& bench, Console& console) {
  CLI::App* command = bench.add_subcommand("search", "Recall against queries per second, beside exact search");
  auto options = std::make_shared<BenchSearchOptions>();
  command
      ->add_option("source", options->source,
                   "A data set (its name, or an HDF5 file as ann-benchmarks has them), or an index (.boon)")
      ->required();
  command->add_option("--queries", options->queries, "Vectors to search an index for");
  command->add_option("-k", options->k, "Answers to each query")->check(CLI::Range(1, 10000))->capture_default_str();
  CLI::Option* beams =
      command->add_option("--beams", options->sweep.beams, "Candidates kept by a search (ef), each measured")
          ->delimiter(',')
          ->check(CLI::Range(1, 1'000'000))
          ->capture_default_str();
  command
      ->add_option(
          "--recall", options->recalls,
          "Ask for these recalls in place of beams, after a calibration by vectors of the index, and show what "
          "the queries reach")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 0.9999))
      ->excludes(beams);
  command->add_option("--enough-recall", options->sweep.enough_recall, "No wider beams from this recall on")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--repeat", options->sweep.repeat, "Timed passes over the queries at each beam")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("-M,--neighbours", options->graph.neighbours, "Links of a node (M), to build a data set's index")
      ->capture_default_str();
  command->add_option("--build-beam", options->graph.build_beam, "ef_construction, to build a data set's index")
      ->capture_default_str();
  command
      ->add_option("--codes", options->codes,
                   "What walks read in place of the vectors of a data set, by turns: none, int8, …")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(code_names().begin(), code_names().end())))
      ->capture_default_str();
  command->add_option("--dtype", options->dtypes, "What vectors of a data set are held as, by turns: fp32, fp16, bf16")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(dtype_names().begin(), dtype_names().end())))
      ->capture_default_str();
  add_threads_option(*command, options->threads, "build");
  add_json_option(*command, console);
  command->callback([options, &console] { run_search(*options, console); });
}

}  // namespace boon::cli
