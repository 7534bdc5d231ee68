// boon search: the nearest to a word, a sum of words, a vector, or each vector of a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "boon/cli/input.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/search_query.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"
#include "boon/core/parallel.h"

namespace boon::cli {
namespace {

constexpr const char* kSearchFooter =
    R"(What stands in the question is left out of the answers. --like-plus and --like-minus may be given often; under
cosine they add and subtract vectors of length 1. Distances: cosine 1 - cos, l2 squared, ip 1 - product.

Examples:
  boon search words.boon --like king -k 5
  boon search words.boon --like king --like-minus man --like-plus woman
  boon search words.boon --like king --threshold 0.4          all that is this near
  boon search words.boon --like king --recall 0.95            as much work as that takes, by boon calibrate
  boon search sift.boon --vector "0.1, 0.2, 0.3" --json
  boon search sift.boon --queries new.npy -k 3 --jsonl        a line an answer)";

struct SearchCommand {
  std::string file;
  std::vector<std::string> plus;  // --like and --like-plus
  std::vector<std::string> like_plus;
  std::vector<std::string> minus;
  std::vector<Id> ids;
  std::string vector;
  std::string queries;
  ReadOptions reading{.dataset = "test"};
  std::optional<std::size_t> k;
  std::size_t beam = 64;
  double recall = 0;  // 0: go by the beam
  bool exact = false;
  std::optional<float> threshold;
  std::size_t threads = 0;
  bool jsonl = false;
  bool statistics = false;
};

constexpr std::size_t kUsualK = 10;

struct Answers {
  std::vector<std::string> labels;  // of the queries of a file; empty for a single question
  std::vector<std::vector<Match>> matches;
  graph::SearchStatistics statistics;
  double seconds = 0;
};

void check(const SearchCommand& command) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorCode::invalid_argument, why); };
  if (command.k == 0U) refuse("-k is 0; it must be at least 1");
  if (command.beam == 0) refuse("--beam is 0; it must be at least 1");
  if (command.threshold && std::isnan(*command.threshold)) refuse("--threshold is not a number");
  const bool words =
      !command.plus.empty() || !command.like_plus.empty() || !command.minus.empty() || !command.ids.empty();
  const int kinds = int{words} + int{!command.vector.empty()} + int{!command.queries.empty()};
  if (kinds == 0) refuse("say what to search for: --like WORD, --id N, --vector NUMBERS or --queries FILE");
  if (kinds > 1) refuse("search for words or ids, or a --vector, or --queries: one kind at a time");
  const bool only_minus = words && command.plus.empty() && command.like_plus.empty() && command.ids.empty();
  if (only_minus) refuse("--like-minus takes away from --like, --like-plus or --id; give one of them too");
}

void check_dim(const NamedIndex& opened, std::size_t dim, std::string_view what) {
  if (dim == opened.index.dim()) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("{} has {} components, the vectors of {} have {}", what, dim,
                                                       opened.path.native(), opened.index.dim()));
}

SearchOptions search_options(const SearchCommand& command) {
  return {.beam = command.beam,
          .target_recall = command.recall,
          .exact = command.exact,
          .max_distance = command.threshold.value_or(std::numeric_limits<float>::infinity()),
          .threads = command.threads};
}

// A complaint about a recall that is no share, or nothing. The text that the parser takes for 0 would turn it off.
std::string no_share(const std::string& text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && share > 0 && share < 1 ? "" : text + " is not between 0 and 1; --exact finds all";
}

// A threshold alone asks for everything within it.
bool is_range(const SearchCommand& command) {
  return command.threshold && !command.k;
}

std::size_t answers_wanted(const SearchCommand& command, const Index& index) {
  const std::size_t k = command.k.value_or(command.threshold ? index.size() : kUsualK);
  return std::min(k, std::max<std::size_t>(index.size(), 1));
}

Query single_query(const NamedIndex& opened, const SearchCommand& command) {
  if (!command.vector.empty()) {
    Query query{.vector = parse_vector(command.vector), .given = {}};
    check_dim(opened, query.vector.size(), "--vector");
    return query;
  }
  std::vector<Id> plus, minus;
  for (const auto* words : {&command.plus, &command.like_plus}) {
    for (const std::string& word : *words) plus.push_back(opened.find(word));
  }
  for (const std::string& word : command.minus) minus.push_back(opened.find(word));
  for (const Id id : command.ids) {
    if (!opened.index.contains(id)) {
      throw Error(ErrorCode::not_found, fmt::format("{} has no vector {}", opened.path.native(), id));
    }
    plus.push_back(id);
  }
  return combine(opened, plus, minus);
}

Answers answer_one(const NamedIndex& opened, const SearchCommand& command) {
  const Query query = single_query(opened, command);
  Answers answers;
  const Stopwatch watch;
  if (is_range(command)) {
    answers.matches.push_back(opened.index.search_range(query.vector, search_options(command)));
    std::erase_if(answers.matches[0], [&](const Match& match) {
      return std::find(query.given.begin(), query.given.end(), match.id) != query.given.end();
    });
  } else {
    answers.matches.push_back(answer(opened.index, query, answers_wanted(command, opened.index),
                                     search_options(command), answers.statistics));
  }
  answers.seconds = watch.seconds();
  return answers;
}

Answers answer_file(const NamedIndex& opened, const SearchCommand& command) {
  const VectorTable table = read_vectors(command.queries, command.reading);
  check_dim(opened, table.dim, fmt::format("a query of {}", display_name(command.queries)));
  Answers answers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    answers.labels.push_back(!table.names.empty() ? table.names[row]
                             : !table.ids.empty() ? std::to_string(table.ids[row])
                                                  : std::to_string(row));
  }
  const Stopwatch watch;
  if (is_range(command)) {
    answers.matches.resize(table.rows());
    ThreadPool pool(table.rows() > 1 ? command.threads : 1);
    pool.for_each(table.rows(), 1, [&](std::size_t row, std::size_t) {
      const std::span<const float> query(table.values.data() + row * table.dim, table.dim);
      answers.matches[row] = opened.index.search_range(query, search_options(command));
    });
  } else {
    const Matches found =
        opened.index.search_many(table.values, answers_wanted(command, opened.index), search_options(command));
    answers.statistics = found.statistics;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto& matches = answers.matches.emplace_back();
      for (std::size_t i = row * found.k; i < row * found.k + found.counts[row]; ++i) {
        matches.push_back({found.ids[i], found.distances[i]});
      }
    }
  }
  answers.seconds = watch.seconds();
  return answers;
}

Json to_json(const NamedIndex& opened, std::size_t rank, const Match& match) {
  Json json{{"rank", rank}, {"id", match.id}};
  if (opened.names) json["name"] = opened.names->of(match.id);
  json["distance"] = shortest(match.distance);
  if (opened.index.metric() == Metric::cosine) json["similarity"] = shortest(1 - match.distance);
  return json;
}

Json to_json(const NamedIndex& opened, const std::vector<Match>& matches) {
  Json results = Json::array();
  for (const Match& match : matches) results.push_back(to_json(opened, results.size() + 1, match));
  return results;
}

void print_json(Console& console, const NamedIndex& opened, const SearchCommand& command, const Answers& answers) {
  Json json{{"metric", name(opened.index.metric())}};
  if (answers.labels.empty()) {
    json["results"] = to_json(opened, answers.matches[0]);
  } else {
    json["queries"] = Json::array();
    for (std::size_t i = 0; i < answers.labels.size(); ++i) {
      json["queries"].push_back({{"query", answers.labels[i]}, {"results", to_json(opened, answers.matches[i])}});
    }
  }
  json["exact"] = command.exact;
  json["seconds"] = answers.seconds;
  // A range search does not count what it does.
  if (!is_range(command)) {
    json["hops"] = answers.statistics.hops;
    json["distances"] = answers.statistics.distances;
  }
  print(console.out, json);
}

void print_lines(Console& console, const NamedIndex& opened, const Answers& answers) {
  for (std::size_t i = 0; i < answers.matches.size(); ++i) {
    for (std::size_t rank = 1; rank <= answers.matches[i].size(); ++rank) {
      Json json = to_json(opened, rank, answers.matches[i][rank - 1]);
      if (!answers.labels.empty()) json["query"] = answers.labels[i];
      print(console.out, json);
    }
  }
}

void print_table(Console& console, const NamedIndex& opened, const Answers& answers) {
  const bool many = !answers.labels.empty();
  const bool cosine = opened.index.metric() == Metric::cosine;
  std::vector<Table::Column> columns;
  if (many) columns.push_back({"query"});
  columns.push_back({"rank", Align::right});
  columns.push_back({opened.names ? "name" : "id", opened.names ? Align::left : Align::right});
  columns.push_back({"distance", Align::right});
  if (cosine) columns.push_back({"similarity", Align::right});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < answers.matches.size(); ++i) {
    for (std::size_t rank = 1; rank <= answers.matches[i].size(); ++rank) {
      const Match& match = answers.matches[i][rank - 1];
      std::vector<std::string> row;
      if (many) row.push_back(answers.labels[i]);
      row.push_back(std::to_string(rank));
      row.push_back(opened.label(match.id));
      row.push_back(fmt::format("{:.4f}", match.distance));
      if (cosine) row.push_back(fmt::format("{:.4f}", 1 - match.distance));
      table.add(std::move(row));
    }
  }
  console.out << table.text();
}

void show_statistics(Console& console, const SearchCommand& command, const Answers& answers) {
  const std::size_t count = answers.matches.size();
  console.err << fmt::format("{} {} in {}", format_count(count), count == 1 ? "query" : "queries",
                             format_duration(answers.seconds));
  if (!is_range(command)) {
    console.err << fmt::format("; {} hops, {} distances", format_count(answers.statistics.hops),
                               format_count(answers.statistics.distances));
  }
  console.err << '\n';
}

void search(const SearchCommand& command, Console& console) {
  check(command);
  const NamedIndex opened = NamedIndex::view(command.file);
  const Answers answers = command.queries.empty() ? answer_one(opened, command) : answer_file(opened, command);
  const bool nothing = std::ranges::all_of(answers.matches, [](const auto& matches) { return matches.empty(); });
  if (nothing) {
    console.err << "no answers: " << (opened.index.size() == 0 ? "the index is empty\n" : "nothing is that near\n");
  }
  if (command.jsonl) return print_lines(console, opened, answers);
  if (console.json) return print_json(console, opened, command, answers);
  if (!nothing) print_table(console, opened, answers);
  if (command.statistics) show_statistics(console, command, answers);
}

}  // namespace

void register_search(CLI::App& app, Console& console) {
  const auto options = std::make_shared<SearchCommand>();
  CLI::App* command = app.add_subcommand("search", "Find the nearest to a word, a vector or a file of vectors");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  const auto many = [&](const char* flag, std::vector<std::string>& words, const char* help) {
    command->add_option(flag, words, help)->type_name("WORD")->expected(1)->take_all();
  };
  many("--like", options->plus, "Near to this name, or number where there are no names");
  many("--like-plus", options->like_plus, "… and near to this one");
  many("--like-minus", options->minus, "… and far from this one");
  command->add_option("--id", options->ids, "Near to the vector with this id")
      ->type_name("N")
      ->check(negative)
      ->expected(1)
      ->take_all();
  command->add_option("--vector", options->vector, "Near to this vector: numbers with commas between")
      ->type_name("NUMBERS");
  command->add_option("--queries", options->queries, "Near to each vector of a file; - reads standard input")
      ->type_name("FILE");
  command->add_option("--query-dataset", options->reading.dataset, "Which set of an HDF5 file the queries are")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("-k,-n,--top-k", options->k, "How many answers (10; with --threshold all)")
      ->type_name("K")
      ->check(negative);
  CLI::Option* beam = add_count_option(*command, "--beam,--ef", options->beam,
                                       "Candidates kept on the way; more finds more and takes longer");
  command
      ->add_option("--recall", options->recall,
                   "Share of the true nearest to find, as in 0.95, in place of a beam; boon calibrate comes first")
      ->type_name("R")
      ->check(no_share)
      ->excludes(beam);
  command->add_flag("--exact", options->exact, "Compare with every vector");
  command->add_option("--threshold", options->threshold, "Only answers at most this far away")->type_name("DISTANCE");
  add_threads_option(*command, options->threads);
  command->add_flag("--stats", options->statistics, "Say on standard error what the search did");
  CLI::Option* json = add_json_option(*command, console);
  command->add_flag("--jsonl", options->jsonl, "Answer with one JSON object a line for each answer")->excludes(json);
  command->footer(kSearchFooter);
  command->callback([&console, options] { search(*options, console); });
}

}  // namespace boon::cli
