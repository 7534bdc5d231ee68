// boon-bench-hnswlib: recall, speed, build time and memory of boon beside hnswlib, measured in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <iostream>

#include "bench/comparison.h"
#include "bench/report.h"
#include "bench/system.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::bench {
namespace {

constexpr std::string_view kDescription =
    R"(Builds boon and hnswlib on the same data sets and searches both, by turns, one query a call on one thread.

A search's answers are judged by distance, so ties count. Queries a second at a recall are read off each system's
best points, log(speed) taken as linear in recall between two of them. Of a set's held-out queries every tenth is for
tuning (--tune, --quick) and the others for figures that are published. Bytes in memory are those by which the process
grew while building. hnswlib is compiled for this very processor; boon is the ordinary program.)";

struct Arguments {
  std::vector<std::string> data = {"glove100", "mnist784"};
  ComparisonOptions comparison;
  std::string only;
  std::string json;
  std::string markdown;
  bool quick = false;
  bool tune = false;
  bool all_queries = false;
  bool article = false;
};

// Steps of about a tenth: the time at a recall is read off a beam that was really used.
std::vector<std::size_t> fine_beams() {
  std::vector<std::size_t> beams;
  for (std::size_t beam = 10; beam <= 1000; beam += std::max<std::size_t>(1, beam / 10)) beams.push_back(beam);
  return beams;
}

void add_options(CLI::App& app, Arguments& arguments) {
  ComparisonOptions& comparison = arguments.comparison;
  app.add_option("--data", arguments.data, "Data sets, by name or as HDF5 files")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("-M,--M,--neighbours", comparison.neighbours, "Links of a node (M)")->capture_default_str();
  app.add_option("--build-beam", comparison.build_beam, "ef_construction")->capture_default_str();
  app.add_option("-k", comparison.k, "Answers to a query")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--threads-build", comparison.build_threads, "Numbers of threads to build on, each measured")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--beams", comparison.sweep.beams, "Candidates kept by a search (ef), each measured")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--repeat", comparison.sweep.repeat, "Timed passes over the queries at each beam")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--enough-recall", comparison.sweep.enough_recall, "No wider beams from this recall on")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--only", arguments.only, "boon or hnswlib: leave the other out")
      ->check(CLI::IsMember({"boon", "hnswlib", "both"}));
  app.add_option("--peer-cache", comparison.peer_cache,
                 "A folder where hnswlib's graphs and build times are kept for the next run");
  app.add_option("--json", arguments.json, "Write everything to this file");
  app.add_option("--markdown", arguments.markdown, "Write the table for a README to this file");
  app.add_flag("--cpu-time", comparison.sweep.processor_time,
               "Time searches by the thread's processor time, for a machine that is busy with other things");
  auto* tune = app.add_flag("--tune", arguments.tune, "Search for the tuning queries");
  app.add_flag("--all-queries", arguments.all_queries, "Search for all queries")->excludes(tune);
  app.add_flag("--quick", arguments.quick, "To try things out: tuning queries, two passes, one build on two threads");
  app.add_flag("--article", arguments.article,
               "The run of the article: seed50, ef_construction 50, one thread; boon alone unless --only both");
}

// Fills in what a mode implies and was not given.
void apply_modes(const CLI::App& app, Arguments& arguments) {
  ComparisonOptions& comparison = arguments.comparison;
  const auto unless_given = [&](const char* option, auto& value, auto implied) {
    if (app.count(option) == 0) value = std::move(implied);
  };
  if (arguments.article) {
    unless_given("--data", arguments.data, std::vector<std::string>{"seed50"});
    unless_given("--build-beam", comparison.build_beam, std::size_t{50});
    unless_given("--threads-build", comparison.build_threads, std::vector<std::size_t>{1});
    unless_given("--beams", comparison.sweep.beams, fine_beams());
    unless_given("--enough-recall", comparison.sweep.enough_recall, 0.90);
    unless_given("--only", arguments.only, std::string("boon"));
  }
  if (arguments.quick) {
    unless_given("--threads-build", comparison.build_threads, std::vector<std::size_t>{2});
    unless_given("--repeat", comparison.sweep.repeat, std::size_t{2});
    arguments.tune = !arguments.all_queries;
  }
  if (arguments.tune) comparison.queries = cli::QueryShare::tuning;
  if (arguments.all_queries) comparison.queries = cli::QueryShare::all;
}

std::vector<System> systems_of(const Arguments& arguments) {
  if (arguments.only == "boon") return {boon_system()};
  if (arguments.only == "hnswlib") return {hnswlib_system()};
  return {boon_system(), hnswlib_system()};
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot write {}", path));
}

// Before hours of measuring, not after.
void check_writable(const std::string& path) {
  if (!path.empty() && !std::ofstream(path, std::ios::app)) {
    throw Error(ErrorCode::io, fmt::format("cannot write {}", path));
  }
}

std::string command_line(int argc, char** argv) {
  std::string line = std::filesystem::path(argv[0]).filename();
  for (int i = 1; i < argc; ++i) line += " " + cli::shell_quoted(argv[i]);
  return line;
}

void run(const Arguments& arguments, const std::string& command) {
  const auto notice = [](std::string_view line) { std::cerr << line << std::endl; };
  check_writable(arguments.json);
  check_writable(arguments.markdown);
  const auto systems = systems_of(arguments);
  Report report{.command = command, .options = arguments.comparison, .sets = {}};
  for (const std::string& data_set : arguments.data) {
    report.sets.push_back(compare(data_set, systems, arguments.comparison, notice));
    // After each set, so that a long run that is stopped leaves what it has.
    write_file(arguments.json, to_json(report));
    write_file(arguments.markdown, to_markdown(report));
  }
  std::cout << to_text(report);
  if (arguments.article) std::cout << '\n' << article_text(report);
}

}  // namespace
}  // namespace boon::bench

int main(int argc, char** argv) {
  boon::bench::Arguments arguments;
  CLI::App app{std::string(boon::bench::kDescription), "boon-bench-hnswlib"};
  boon::bench::add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  boon::cli::install_interrupt_handler();
  try {
    boon::bench::apply_modes(app, arguments);
    boon::bench::run(arguments, boon::bench::command_line(argc, argv));
    return 0;
  } catch (const boon::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return boon::exit_code(error.code());
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
