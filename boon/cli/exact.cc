// boon exact: the nearest rows of one file to each row of another, with nothing built.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/exact_search.h"
#include "boon/cli/input.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kExactFooter =
    R"(Every row is compared with every query, and ties are settled in double precision: the answer is exact. Rows are
called by their names or ids, where the file has any, else by number from 0. For the ground truth of a benchmark see
boon help truth; for an index, boon search --exact.

Examples:
  boon exact base.npy queries.npy -k 5 --metric l2
  boon exact glove.txt new.txt --jsonl                        a line an answer
  boon exact sift.hdf5 sift.hdf5 --query-dataset test)";

struct ExactCommand {
  InputOptions base;
  std::string queries;
  std::string query_dataset = "test";
  std::string metric;  // empty: the file's own, else cosine
  std::size_t k = 10;
  std::size_t threads = 0;
  bool jsonl = false;
};

struct Tables {
  VectorTable base;
  VectorTable queries;
  Metric metric;
};

std::string label(const VectorTable& table, std::size_t row) {
  if (!table.names.empty()) return table.names[row];
  return std::to_string(table.ids.empty() ? row : table.ids[row]);
}

Json to_json(const Tables& tables, const ExactAnswers& answers, std::size_t query, std::size_t rank) {
  const std::size_t place = query * answers.k + rank;
  const std::size_t row = answers.rows[place];
  Json json{{"rank", rank + 1}, {"id", tables.base.ids.empty() ? row : tables.base.ids[row]}};
  if (!tables.base.names.empty()) json["name"] = tables.base.names[row];
  json["distance"] = answers.distances[place];
  if (tables.metric == Metric::cosine) json["similarity"] = 1 - answers.distances[place];
  return json;
}

void print_json(Console& console, const Tables& tables, const ExactAnswers& answers, double seconds) {
  Json json{{"metric", name(tables.metric)}, {"k", answers.k}, {"queries", Json::array()}};
  for (std::size_t query = 0; query < tables.queries.rows(); ++query) {
    Json results = Json::array();
    for (std::size_t rank = 0; rank < answers.k; ++rank) results.push_back(to_json(tables, answers, query, rank));
    json["queries"].push_back({{"query", label(tables.queries, query)}, {"results", results}});
  }
  json["seconds"] = seconds;
  print(console.out, json);
}

void print_lines(Console& console, const Tables& tables, const ExactAnswers& answers) {
  for (std::size_t query = 0; query < tables.queries.rows(); ++query) {
    for (std::size_t rank = 0; rank < answers.k; ++rank) {
      Json json = to_json(tables, answers, query, rank);
      json["query"] = label(tables.queries, query);
      print(console.out, json);
    }
  }
}

void print_table(Console& console, const Tables& tables, const ExactAnswers& answers) {
  const bool named = !tables.base.names.empty();
  Table table({{"query"},
               {"rank", Align::right},
               {named ? "name" : "id", named ? Align::left : Align::right},
               {"distance", Align::right}});
  for (std::size_t place = 0; place < answers.rows.size(); ++place) {
    table.add({label(tables.queries, place / answers.k), std::to_string(place % answers.k + 1),
               label(tables.base, answers.rows[place]), fmt::format("{:.4f}", answers.distances[place])});
  }
  console.out << table.text();
}

Tables read_tables(const ExactCommand& command) {
  ReadOptions reading = command.base.reading;
  Tables tables{.base = read_vectors(command.base.path, reading), .queries = {}, .metric = Metric::cosine};
  reading.dataset = command.query_dataset;
  tables.queries = read_vectors(command.queries, reading);
  if (!command.metric.empty()) {
    tables.metric = parse_metric(command.metric);
  } else if (!tables.base.metric.empty()) {
    tables.metric = parse_metric(tables.base.metric);
  }
  return tables;
}

void exact(const ExactCommand& command, Console& console) {
  if (!command.metric.empty()) parse_metric(command.metric);
  if (command.base.path == "-" && command.queries == "-") {
    throw Error(ErrorCode::invalid_argument, "standard input can be the vectors or the queries, not both");
  }
  const Tables tables = read_tables(command);
  install_interrupt_handler();
  ProgressBar bar("Comparing");
  const Stopwatch watch;
  const ExactAnswers answers =
      find_exact(tables.base, tables.queries, tables.metric, command.k, command.threads,
                 display_name(command.base.path), display_name(command.queries), std::ref(bar));
  bar.finish();
  if (command.jsonl) return print_lines(console, tables, answers);
  if (console.json) return print_json(console, tables, answers, watch.seconds());
  print_table(console, tables, answers);
}

}  // namespace

void register_exact(CLI::App& app, Console& console) {
  const auto options = std::make_shared<ExactCommand>();
  CLI::App* command = app.add_subcommand("exact", "Compare every vector of a file with every query, and build nothing");
  add_input_options(*command, options->base);
  command->add_option("QUERIES", options->queries, "Vectors to search for; - reads standard input")
      ->required()
      ->type_name("");
  command->add_option("--query-dataset", options->query_dataset, "Which set of an HDF5 file the queries are")
      ->type_name("NAME")
      ->capture_default_str();
  add_count_option(*command, "-k,-n,--top-k", options->k, "Answers to each query");
  command->add_option("--metric", options->metric, "cosine, l2 or ip; default: what an HDF5 file says, else cosine")
      ->type_name("METRIC");
  add_threads_option(*command, options->threads);
  CLI::Option* json = add_json_option(*command, console);
  command->add_flag("--jsonl", options->jsonl, "Answer with one JSON object a line for each answer")->excludes(json);
  command->footer(kExactFooter);
  command->callback([&console, options] { exact(*options, console); });
}

}  // namespace boon::cli
