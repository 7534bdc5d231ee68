#include "boon/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/output.h"
#include "boon/cli/spelling.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kAppFooter = R"(Start here:
  boon demo                                        try it on 20,000 words
  boon build glove.txt -o words.boon               make an index
  boon search words.boon --like king -k 5          ask it
  boon help search                                 more about a command

Exit codes:
  0 done                    5 busy: another writer        10 read only
  1 internal error          6 damaged file or index      130 stopped by Ctrl-C
  2 wrong argument or data  7 unsupported
  3 not found               8 input or output failed
  4 exists already          9 out of memory)";

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

[[noreturn]] void refuse_command(const CLI::App& app, std::string_view name) {
  const std::string meant = did_you_mean(close_spellings(name, command_names(app)));
  throw Error(ErrorCode::invalid_argument, fmt::format("there is no command {}{}", in_quotes(name),
                                                       meant.empty() ? "; boon --help lists them" : meant));
}

// CLI::App::help() would show the help of the command "help", which is the one chosen.
std::string help_of(const CLI::App& app, std::string called) {
  return app.get_formatter()->make_help(&app, std::move(called), CLI::AppFormatMode::Normal);
}

void register_help(CLI::App& app, Console& console) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Show how a command is used");
  command->add_option("COMMAND", *name, "The command")->type_name("");
  command->footer("Examples:\n  boon help search");
  command->callback([&app, &console, name] {
    if (name->empty()) {
      console.out << help_of(app, "boon");
      return;
    }
    const std::vector<std::string> names = command_names(app);
    if (std::ranges::find(names, *name) == names.end()) refuse_command(app, *name);
    console.out << help_of(*app.get_subcommand(*name), "boon " + *name);
  });
}

// Where to read about what was wrong: the command that was given, or all of them.
std::string help_call(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return fmt::format("boon help {}", command->get_name());
  return "boon --help";
}

void parse(CLI::App& app, Console& console, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    console.out << version.what() << '\n';
    return;
  } catch (const CLI::Success&) {
    const auto chosen = app.get_subcommands();
    console.out << (chosen.empty() ? app.help() : chosen.front()->help("boon"));
    return;
  } catch (const CLI::ParseError& error) {
    const bool no_command = app.get_subcommands().empty();
    const std::vector<std::string> rest = app.remaining();
    if (no_command && !rest.empty() && !rest.front().starts_with('-')) refuse_command(app, rest.front());
    throw Error(ErrorCode::invalid_argument, fmt::format("{}; see {}", error.what(), help_call(app)));
  }
  if (app.get_subcommands().empty()) {
    throw Error(ErrorCode::invalid_argument,
                "give a command: boon --help lists them, boon demo shows what it is about");
  }
}

int report(Console& console, ErrorCode code, std::string_view message) {
  console.out.flush();
  if (console.json) print(console.out, {{"error", {{"code", code_name(code)}, {"message", message}}}});
  console.err << "boon: " << printable(message) << std::endl;
  return exit_code(code);
}

int run_command(CLI::App& app, Console& console, int argc, const char* const* argv) {
  try {
    parse(app, console, argc, argv);
    return console.exit_code;
  } catch (const Error& error) {
    return report(console, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(console, ErrorCode::out_of_memory, "there is not enough memory");
  } catch (const std::exception& error) {
    return report(console, ErrorCode::internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  // Found by hand, since what is wrong may come before it.
  const bool json = std::any_of(
      argv, argv + argc, [](std::string_view argument) { return argument == "--json" || argument == "--jsonl"; });
  Console console{.out = out, .err = err, .program = argc > 0 ? argv[0] : "boon", .json = json};
  CLI::App app("boon finds things by nearness: an index of vectors, from one file to answers.", "boon");
  app.set_version_flag("--version", "boon " BOON_VERSION);
  app.require_subcommand(0, 1);
  app.footer(kAppFooter);
  app.get_formatter()->column_width(34);
  for (const auto add : {register_build, register_add, register_delete, register_search, register_calibrate,
                         register_exact, register_truth, register_info, register_export, register_doctor,
                         register_analyze, register_layout, register_bench, register_demo, register_help}) {
    add(app, console);
  }
  const int code = run_command(app, console, argc, argv);
  // Answers that did not arrive are no success.
  if (!out.flush() && code == 0) {
    err << "boon: cannot write to standard output" << std::endl;
    return exit_code(ErrorCode::io);
  }
  return code;
}

}  // namespace boon::cli
