// `boon bench hops`: what a search does as the index grows, the paper's O(log n), and how many nodes reach each level.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/bench.h"
#include "boon/cli/input.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vectors.h"
#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/index/index.h"

namespace boon::cli {
namespace {

constexpr std::size_t kSmallest = 1000;

struct HopsOptions {
  std::string data;
  std::string distribution = "gaussian";
  std::string metric = "l2";
  std::size_t dim = 16;
  std::size_t max = 100'000;
  std::size_t queries = 1000;
  std::size_t k = 10;
  std::size_t beam = 16;
  std::size_t threads = 0;
  graph::HnswOptions graph;
};

struct Sample {
  std::size_t dim = 0;
  std::vector<float> base;
  std::vector<float> queries;  // from the same distribution, and not in the base
};

// What was measured with `rows` vectors in the index; the figures of a search are means.
struct HopsRow {
  std::size_t rows = 0;
  double hops = 0;
  double distances = 0;
  double recall = 0;
  double us = 0;
  std::vector<std::size_t> level_sizes;
};

Sample draw_sample(const HopsOptions& options) {
  Random random(options.graph.seed);
  const auto value = [&] {
    return static_cast<float>(options.distribution == "uniform" ? random.uniform() : random.normal());
  };
  Sample sample{.dim = options.dim, .base = {}, .queries = {}};
  sample.base.resize(options.max * options.dim);
  sample.queries.resize(options.queries * options.dim);
  std::generate(sample.base.begin(), sample.base.end(), value);
  std::generate(sample.queries.begin(), sample.queries.end(), value);
  return sample;
}

// Rows of a file in random order; the first become the queries.
Sample read_sample(const HopsOptions& options) {
  const VectorTable table = read_vectors(options.data);
  if (table.rows() < kSmallest + options.queries) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} holds {} vectors; with {} queries it takes at least {}", options.data, table.rows(),
                            options.queries, kSmallest + options.queries));
  }
  std::vector<std::size_t> order(table.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(options.graph.seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  order.resize(std::min(order.size(), options.max + options.queries));
  Sample sample{.dim = table.dim, .base = {}, .queries = {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const float* row = table.values.data() + order[i] * table.dim;
    auto& part = i < options.queries ? sample.queries : sample.base;
    part.insert(part.end(), row, row + table.dim);
  }
  return sample;
}

// 1e3, 1e4, … and, last, all rows.
std::vector<std::size_t> sizes_up_to(std::size_t rows) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size < rows; size *= 10) sizes.push_back(size);
  sizes.push_back(rows);
  return sizes;
}

Judge judge_of(const Index& index, const Sample& sample, const HopsOptions& options) {
  const Matches truth = index.search_many(sample.queries, options.k, {.exact = true, .threads = options.threads});
  std::vector<Id> kth_nearest;
  for (std::size_t i = 0; i < truth.counts.size(); ++i) {
    kth_nearest.push_back(truth.ids[i * options.k + options.k - 1]);
  }
  return {index.metric(), sample.dim, sample.queries, kth_nearest, options.k, rows_of(sample.base, sample.dim)};
}

HopsRow measure(const Index& index, const Sample& sample, const HopsOptions& options) {
  const Judge judge = judge_of(index, sample, options);
  std::vector<Id> answers(judge.size() * options.k, kNoId);
  graph::SearchStatistics work;
  double seconds = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first warms up
    work = {};
    const Stopwatch watch;
    for (std::size_t i = 0; i < judge.size(); ++i) {
      graph::SearchStatistics one;
      const auto matches = index.search(judge.query(i), options.k, {.beam = options.beam}, &one);
      work.hops += one.hops;
      work.distances += one.distances;
      for (std::size_t j = 0; j < matches.size(); ++j) answers[i * options.k + j] = matches[j].id;
    }
    seconds = watch.seconds();
  }
  const auto count = static_cast<double>(judge.size());
  return {.rows = index.size(),
          .hops = static_cast<double>(work.hops) / count,
          .distances = static_cast<double>(work.distances) / count,
          .recall = judge.recall(answers),
          .us = 1e6 * seconds / count,
          .level_sizes = index.statistics().level_sizes};
}

double log2_of(std::size_t rows) {
  return std::log2(static_cast<double>(rows));
}

// Nodes that a level should have: N·m^-l.
double expected_on_level(const HopsRow& row, std::size_t level, double level_mult) {
  return static_cast<double>(row.rows) * std::pow(level_mult, -static_cast<double>(level));
}

void print_json(std::span<const HopsRow> rows, std::size_t dim, const HopsOptions& options, std::ostream& out) {
  const double level_mult = options.graph.effective_level_mult();
  Json report{{"machine", to_json(describe_machine())},
              {"data", options.data.empty() ? options.distribution : options.data},
              {"dim", dim},
              {"metric", options.metric},
              {"neighbours", options.graph.neighbours},
              {"build_beam", options.graph.build_beam},
              {"level_mult", level_mult},
              {"seed", options.graph.seed},
              {"k", options.k},
              {"beam", options.beam},
              {"queries", options.queries}};
  for (const HopsRow& row : rows) {
    auto levels = Json::array();
    for (std::size_t level = 0; level < row.level_sizes.size(); ++level) {
      levels.push_back({{"level", level},
                        {"nodes", row.level_sizes[level]},
                        {"expected", expected_on_level(row, level, level_mult)}});
    }
    report["runs"].push_back({{"n", row.rows},
                              {"hops", row.hops},
                              {"distances", row.distances},
                              {"recall", row.recall},
                              {"us", row.us},
                              {"log2_n", log2_of(row.rows)},
                              {"hops_per_log2_n", row.hops / log2_of(row.rows)},
                              {"levels", levels}});
  }
  print(out, report);
}

void print_tables(std::span<const HopsRow> rows, std::size_t dim, const HopsOptions& options, std::ostream& out) {
  const std::string recall_title = fmt::format("recall@{}", options.k);
  Table searches({{"n", Align::right},
                  {"hops", Align::right},
                  {"distances", Align::right},
                  {recall_title, Align::right},
                  {"µs", Align::right},
                  {"log2 n", Align::right},
                  {"hops/log2 n", Align::right}});
  for (const HopsRow& row : rows) {
    searches.add({format_count(row.rows), fmt::format("{:.1f}", row.hops), fmt::format("{:.0f}", row.distances),
                  fmt::format("{:.4f}", row.recall), fmt::format("{:.1f}", row.us),
                  fmt::format("{:.2f}", log2_of(row.rows)), fmt::format("{:.2f}", row.hops / log2_of(row.rows))});
  }
  Table levels({{"level", Align::right}, {"nodes", Align::right}, {"N·m^-l", Align::right}, {"ratio", Align::right}});
  const HopsRow& last = rows.back();
  for (std::size_t level = 0; level < last.level_sizes.size(); ++level) {
    const double expected = expected_on_level(last, level, options.graph.effective_level_mult());
    levels.add({fmt::format("{}", level), format_count(last.level_sizes[level]), fmt::format("{:.1f}", expected),
                fmt::format("{:.2f}", static_cast<double>(last.level_sizes[level]) / expected)});
  }
  out << describe(describe_machine()) << '\n'
      << fmt::format(
             "{}, {} components, {}, M = {}, ef_construction = {}, m = {:g}, seed {}; k = {}, beam {}, {} queries\n\n",
             options.data.empty() ? options.distribution + " random vectors" : options.data, dim, options.metric,
             options.graph.neighbours, options.graph.build_beam, options.graph.effective_level_mult(),
             options.graph.seed, options.k, options.beam, options.queries)
      << searches.text() << '\n'
      << fmt::format("Levels at n = {}\n\n", format_count(last.rows)) << levels.text();
}

void run_hops(const HopsOptions& options, Console& console) {
  const Sample sample = options.data.empty() ? draw_sample(options) : read_sample(options);
  Index index({.dim = sample.dim, .metric = parse_metric(options.metric), .graph = options.graph});
  std::vector<HopsRow> rows;
  for (const std::size_t size : sizes_up_to(sample.base.size() / sample.dim)) {
    ProgressBar bar(fmt::format("Growing to {}", format_count(size)));
    const std::size_t held = index.size();
    index.add(std::span(sample.base).subspan(held * sample.dim, (size - held) * sample.dim), {},
              {.threads = options.threads, .progress = std::ref(bar)});
    bar.finish();
    rows.push_back(measure(index, sample, options));
  }
  if (console.json) {
    print_json(rows, sample.dim, options, console.out);
  } else {
    print_tables(rows, sample.dim, options, console.out);
  }
}

}  // namespace

void register_bench_hops(CLI::App& bench, Console& console) {
  CLI::App* command = bench.add_subcommand("hops", "Hops and distances of a search as the index grows tenfold");
  auto options = std::make_shared<HopsOptions>();
  command->add_option("--max", options->max, "Largest number of vectors; 1000000 takes minutes")
      ->check(CLI::Range(kSmallest, std::size_t{100'000'000}))
      ->capture_default_str();
  auto* data = command->add_option("--data", options->data, "Take vectors from a file instead of drawing them");
  command->add_option("--dim", options->dim, "Components of the drawn vectors")
      ->check(CLI::Range(1, 65536))
      ->excludes(data)
      ->capture_default_str();
  command->add_option("--distribution", options->distribution, "Of the drawn components: gaussian or uniform")
      ->check(CLI::IsMember({"gaussian", "uniform"}))
      ->excludes(data)
      ->capture_default_str();
  command->add_option("--metric", options->metric, "l2, cosine or ip")->capture_default_str();
  command->add_option("--queries", options->queries, "Searches at each size")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("-k", options->k, "Answers to each")
      ->check(CLI::Range(std::size_t{1}, kSmallest))
      ->capture_default_str();
  command->add_option("--beam", options->beam, "Candidates kept by a search (ef)")->capture_default_str();
  command->add_option("-M,--neighbours", options->graph.neighbours, "Links of a node (M)")->capture_default_str();
  command->add_option("--build-beam", options->graph.build_beam, "ef_construction")->capture_default_str();
  command->add_option("--level-mult", options->graph.level_mult, "m: each level has 1/m of the nodes below; 0 for M")
      ->capture_default_str();
  command->add_option("--seed", options->graph.seed, "Of the vectors and the levels")->capture_default_str();
  add_threads_option(*command, options->threads, "build");
  add_json_option(*command, console);
  command->callback([options, &console] { run_hops(*options, console); });
}

}  // namespace boon::cli
