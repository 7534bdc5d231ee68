// boon demo: twenty thousand words indexed, searched and measured in a few seconds.
#include "boon/cli/demo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/lines.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/search_query.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

// Where the sample lies in the source tree.
#ifndef BOON_DATA_DIR
#define BOON_DATA_DIR "data"
#endif

namespace boon::cli {
namespace {

constexpr const char* kDemoFooter =
    R"(The sample is looked for in --data, $BOON_DATA_DIR and where the sources were when boon was built. The index is
written beside the program, or into the current folder where that may not be written; one that an earlier demo left
there is replaced.

Examples:
  boon demo
  boon demo --output words.boon --json)";

constexpr std::size_t kHeldOut = 1000;
constexpr std::size_t kAsked = 10;  // answers to each measured query
constexpr std::size_t kShown = 5;   // answers to each question shown
constexpr std::uint64_t kSeed = 2026;
constexpr std::array<std::size_t, 4> kBeams{16, 32, 64, 128};

struct Question {
  std::vector<std::string> plus;
  std::vector<std::string> minus;
};
const std::array<Question, 6> kQuestions{{{{"king"}, {}},
                                          {{"river"}, {}},
                                          {{"guitar"}, {}},
                                          {{"computer"}, {}},
                                          {{"king", "woman"}, {"man"}},
                                          {{"paris", "italy"}, {"france"}}}};

struct DemoCommand {
  std::string data;
  std::string output;
  bool force = false;
};

struct Sample {
  VectorTable all;
  std::vector<std::size_t> held_out;  // rows
};

// "king + woman - man"
std::string text_of(const Question& question) {
  std::string text;
  for (const std::string& word : question.plus) text += (text.empty() ? "" : " + ") + word;
  for (const std::string& word : question.minus) text += " - " + word;
  return text;
}

Path data_folder(const DemoCommand& command) {
  if (!command.data.empty()) return command.data;
  const char* const set = std::getenv("BOON_DATA_DIR");
  return set != nullptr && *set != '\0' ? set : BOON_DATA_DIR;
}

Sample read_sample(const Path& folder) {
  const Path vectors = folder / "words20k.npy", words = folder / "words20k.txt";
  for (const Path& path : {vectors, words}) {
    if (!std::filesystem::exists(path)) {
      throw Error(ErrorCode::not_found,
                  fmt::format("the sample {} is not there; --data names its folder", path.native()));
    }
  }
  Sample sample{.all = read_vectors(vectors), .held_out = {}};
  const MappedFile file(words);
  LineReader lines({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  for (std::string_view word; lines.next(word);) sample.all.names.emplace_back(word);
  if (sample.all.names.size() != sample.all.rows()) {
    throw Error(ErrorCode::corrupted, fmt::format("{} names {} vectors, and {} holds {}", words.native(),
                                                  sample.all.names.size(), vectors.native(), sample.all.rows()));
  }
  // Words in a question must be there when it is asked.
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < sample.all.rows(); ++row) {
    const std::string& word = sample.all.names[row];
    const auto asks = [&](const std::vector<std::string>& some) { return std::ranges::find(some, word) != some.end(); };
    const bool asked =
        std::ranges::any_of(kQuestions, [&](const Question& q) { return asks(q.plus) || asks(q.minus); });
    if (asked) kept.push_back(row);
  }
  sample.held_out = draw_rows(sample.all.rows(), kHeldOut, kept, kSeed);
  return sample;
}

// The rows held out, or all others.
VectorTable part(const Sample& sample, bool held_out) {
  VectorTable table{.dim = sample.all.dim, .values = {}, .names = {}, .ids = {}, .metric = {}};
  for (std::size_t row = 0; row < sample.all.rows(); ++row) {
    if (std::ranges::binary_search(sample.held_out, row) != held_out) continue;
    const auto first = sample.all.values.begin() + static_cast<std::ptrdiff_t>(row * table.dim);
    table.values.insert(table.values.end(), first, first + static_cast<std::ptrdiff_t>(table.dim));
    table.names.push_back(sample.all.names[row]);
  }
  return table;
}

void add_part(NamedIndex& made, const VectorTable& table, const char* label) {
  ProgressBar bar(label);
  const Added added = add_rows(made, table, "the sample", Existing::refuse, {.progress = std::ref(bar)});
  if (added.interrupted) throw Error(ErrorCode::cancelled, "interrupted; nothing was written");
}

struct Answer {
  const Question* question;
  std::vector<std::string> words;
};

std::vector<Answer> ask(const NamedIndex& made) {
  std::vector<Answer> answers;
  for (const Question& question : kQuestions) {
    std::vector<Id> plus, minus;
    for (const std::string& word : question.plus) plus.push_back(made.find(word));
    for (const std::string& word : question.minus) minus.push_back(made.find(word));
    graph::SearchStatistics unused;
    Answer& row = answers.emplace_back(Answer{.question = &question, .words = {}});
    for (const Match& match : answer(made.index, combine(made, plus, minus), kShown, {}, unused)) {
      row.words.push_back(made.label(match.id));
    }
  }
  return answers;
}

void show_answers(Console& console, const std::vector<Answer>& answers) {
  Table table({{"near to"}, {"words, the nearest first"}});
  for (const Answer& answer : answers) {
    std::string words;
    for (const std::string& word : answer.words) words += (words.empty() ? "" : ", ") + word;
    table.add({text_of(*answer.question), words});
  }
  console.out << table.text() << '\n';
}

void show_points(Console& console, const std::vector<DemoPoint>& points) {
  Table table({{"search"},
               {"recall@10", Align::right},
               {"a query", Align::right},
               {"queries/s", Align::right},
               {"speed-up", Align::right}});
  for (const DemoPoint& point : points) {
    table.add({point.beam == 0 ? "exact" : fmt::format("beam {}", point.beam), fmt::format("{:.4f}", point.recall),
               format_duration(point.query_s), format_count(static_cast<std::uint64_t>(1 / point.query_s)),
               fmt::format("{:.1f} x", points[0].query_s / point.query_s)});
  }
  console.out << table.text() << '\n';
}

bool is_left_by_demo(const Path& path) {
  try {
    return !Index::view(path).attachment(kDemoMark).empty();
  } catch (const Error&) {
    return false;  // no index, or one that nobody can vouch for
  }
}

void check_target(const Path& target, bool force) {
  if (force || !std::filesystem::exists(target) || is_left_by_demo(target)) return;
  throw Error(ErrorCode::already_exists,
              fmt::format("{} exists already and is not what the demo left; --force replaces it, --output FILE writes "
                          "another",
                          target.native()));
}

// Beside the program if that folder may be written, else the current one.
Path usual_output() {
  std::error_code failed;
  const Path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const bool writable = !failed && ::access(program.parent_path().c_str(), W_OK) == 0;
  const Path folder = writable ? program.parent_path() : Path(".");
  const Path near = folder.lexically_proximate(std::filesystem::current_path(failed));
  return (near.native().size() < folder.native().size() ? near : folder) / "words.boon";
}

void show_next(Console& console, const Path& file) {
  const std::string program = shell_quoted(console.program), index = shell_quoted(file.native());
  console.out << "Try next:\n";
  for (const char* rest :
       {"--like ocean -k 5", "--like king --like-minus man --like-plus woman", "--like tuesday --threshold 0.3"}) {
    console.out << fmt::format("  {} search {} {}\n", program, index, rest);
  }
  console.out << fmt::format("  {} info {}\n  {} --help\n", program, index, program);
}

Json to_json(const std::vector<Answer>& answers, const std::vector<DemoPoint>& points) {
  Json json{{"answers", Json::array()}, {"searches", Json::array()}};
  for (const Answer& answer : answers) {
    json["answers"].push_back(
        {{"like", answer.question->plus}, {"unlike", answer.question->minus}, {"words", answer.words}});
  }
  for (const DemoPoint& point : points) {
    Json row{{"exact", point.beam == 0}, {"recall_at_10", point.recall}, {"seconds", point.query_s}};
    if (point.beam > 0) row["beam"] = point.beam;
    json["searches"].push_back(std::move(row));
  }
  return json;
}

void demo(const DemoCommand& command, Console& console) {
  const Path output = command.output.empty() ? usual_output() : Path(command.output);
  const WriterLock lock(output);
  check_target(output, command.force);
  install_interrupt_handler();
  Stopwatch watch;
  const Sample sample = read_sample(data_folder(command));
  const double read_s = watch.lap();

  NamedIndex made{.index = Index({.dim = sample.all.dim, .metric = Metric::cosine, .graph = {}}),
                  .names = std::nullopt,
                  .path = output};
  add_part(made, part(sample, false), "Building");
  const double build_s = watch.lap();
  const std::size_t built = made.index.size();
  if (!console.json) {
    console.out << fmt::format("{} word vectors of {} dimensions read in {}, indexed in {} ({} words/s)\n\n",
                               format_count(built), sample.all.dim, format_duration(read_s), format_duration(build_s),
                               format_count(static_cast<std::uint64_t>(static_cast<double>(built) / build_s)));
  }
  const std::vector<Answer> answers = ask(made);
  if (!console.json) show_answers(console, answers);

  const VectorTable queries = part(sample, true);
  const std::vector<DemoPoint> points = measure(made.index, queries.values, kAsked, kBeams);
  if (!console.json) {
    console.out << fmt::format(
        "{} other words as queries, on one thread; recall is the share of the true 10 nearest found:\n\n",
        format_count(queries.rows()));
    show_points(console, points);
  }
  add_part(made, queries, "Adding");
  made.index.attach(kDemoMark, {std::byte{1}});
  made.save();
  if (console.json) {
    Json json{{"file", output.native()},
              {"vectors", made.index.size()},
              {"dim", sample.all.dim},
              {"read_s", read_s},
              {"build_s", build_s}};
    json.update(to_json(answers, points));
    print(console.out, json);
    return;
  }
  console.out << fmt::format("All {} words are in {} ({}).\n", format_count(made.index.size()),
                             printable(output.native()), format_bytes(std::filesystem::file_size(output)));
  show_next(console, output);
}

}  // namespace

void register_demo(CLI::App& app, Console& console) {
  const auto options = std::make_shared<DemoCommand>();
  CLI::App* command = app.add_subcommand("demo", "Index 20,000 words, ask for some, measure recall and speed");
  command->add_option("--data", options->data, "Folder of the sample")->type_name("FOLDER");
  command->add_option("-o,--output", options->output, "Index to write")->type_name("FILE");
  command->add_flag("--force", options->force, "Replace the file even if it is not the demo's");
  add_json_option(*command, console);
  command->footer(kDemoFooter);
  command->callback([&console, options] { demo(*options, console); });
}

}  // namespace boon::cli
