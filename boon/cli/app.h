// The command line as a function: arguments in, text on two streams and an exit code out. One file a command registers
// its options and what it does.
#pragma once

#include <iosfwd>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace boon::cli {

// What every command is given: where it speaks, and how.
struct Console {
  std::ostream& out;             // results: tables for people, JSON for programs
  std::ostream& err;             // notices
  std::string program = "boon";  // as the user called it, for commands to try next
  bool json = false;             // results as one JSON object; errors too
  int exit_code = 0;             // set by a command that found something wrong without failing
};

// Runs one command. Never throws; an error is one line on `err` and, with --json, an object on `out`. Vectors from "-"
// come from descriptor 0. Commands that have something to save or to clear away catch SIGINT from where they look for
// it.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// Each adds a subcommand whose callback does the work. Errors are thrown as boon::Error; the console outlives the app.
void register_build(CLI::App& app, Console& console);
void register_add(CLI::App& app, Console& console);
void register_delete(CLI::App& app, Console& console);
void register_search(CLI::App& app, Console& console);
void register_calibrate(CLI::App& app, Console& console);
void register_exact(CLI::App& app, Console& console);
void register_truth(CLI::App& app, Console& console);
void register_info(CLI::App& app, Console& console);
void register_export(CLI::App& app, Console& console);
void register_doctor(CLI::App& app, Console& console);
void register_analyze(CLI::App& app, Console& console);
void register_layout(CLI::App& app, Console& console);
void register_demo(CLI::App& app, Console& console);
void register_bench(CLI::App& app, Console& console);

}  // namespace boon::cli
