// boon add and boon delete: changes to an index that is there. One writer at a time, from reading the file to renaming
// the new one into its place; whoever searches meanwhile sees the old one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/input.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr const char* kAddFooter =
    R"(Ctrl-C: rows with names or ids that are linked so far are saved, and --resume adds the rest; rows without are
not begun, and the file is kept as it was.

Examples:
  boon add words.boon more.txt
  boon add words.boon corrected.jsonl --replace)";

constexpr const char* kDeleteFooter = R"(Examples:
  boon delete words.boon king queen
  boon delete sift.boon 17 --compact)";

struct AddCommand {
  std::string file;
  InputOptions input;
  std::size_t threads = 0;
  bool replace = false;
  bool resume = false;
};

struct DeleteCommand {
  std::string file;
  std::vector<std::string> ids;
  bool compact = false;
};

void stop(NamedIndex& target, const AddCommand& command, const VectorTable& table, const Added& added) {
  const bool repeatable = !table.names.empty() || !table.ids.empty() || command.resume;
  if (!repeatable) throw Error(ErrorCode::cancelled, fmt::format("interrupted; {} is as it was", command.file));
  target.save();
  throw Error(ErrorCode::cancelled,
              fmt::format("interrupted: {} holds {} vectors, {} of them new; the same command with {} does the rest",
                          command.file, format_count(target.index.size()), format_count(added.added),
                          command.replace ? "--replace" : "--resume"));
}

void add(const AddCommand& command, Console& console) {
  require_file(command.file);
  const WriterLock lock(command.file);
  NamedIndex target = NamedIndex::load(command.file);
  install_interrupt_handler();
  const VectorTable table = read_vectors(command.input.path, command.input.reading);
  const Existing existing = command.replace  ? Existing::replace
                            : command.resume ? Existing::pass_over
                                             : Existing::refuse;
  ProgressBar bar("Adding");
  const Added added = add_rows(target, table, display_name(command.input.path), existing,
                               {.threads = command.threads, .progress = std::ref(bar)});
  bar.finish();
  if (added.interrupted) stop(target, command, table, added);
  target.save();

  console.err << fmt::format("{}: {} added, {} replaced, {} passed over; {} vectors\n", printable(command.file),
                             format_count(added.added), format_count(added.replaced), format_count(added.passed_over),
                             format_count(target.index.size()));
  warn_if_unreachable(console, target.path, target.index);
  if (!console.json) return;
  print(console.out, {{"file", command.file},
                      {"added", added.added},
                      {"replaced", added.replaced},
                      {"passed_over", added.passed_over},
                      {"vectors", target.index.size()}});
}

void remove(const DeleteCommand& command, Console& console) {
  require_file(command.file);
  const WriterLock lock(command.file);
  NamedIndex target = NamedIndex::load(command.file);
  std::vector<Id> ids;
  for (const std::string& text : command.ids) ids.push_back(target.find(text));
  const std::size_t removed = target.index.remove(ids);
  if (target.names) {
    for (const Id id : ids) target.names->erase(id);
  }
  if (command.compact) target.index.compact();
  target.save();

  console.err << fmt::format("{}: {} deleted; {} vectors\n", printable(command.file), format_count(removed),
                             format_count(target.index.size()));
  if (!console.json) return;
  print(console.out, {{"file", command.file}, {"deleted", removed}, {"vectors", target.index.size()}});
}

}  // namespace

void register_add(CLI::App& app, Console& console) {
  const auto options = std::make_shared<AddCommand>();
  CLI::App* command = app.add_subcommand("add", "Add vectors to an index");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  add_input_options(*command, options->input);
  CLI::Option* replace =
      command->add_flag("--replace", options->replace, "Give names and ids already there the new vectors");
  command->add_flag("--resume", options->resume, "Pass over rows already there; rows without ids count from 0")
      ->excludes(replace);
  add_threads_option(*command, options->threads);
  add_json_option(*command, console);
  command->footer(kAddFooter);
  command->callback([&console, options] { add(*options, console); });
}

void register_delete(CLI::App& app, Console& console) {
  const auto options = std::make_shared<DeleteCommand>();
  CLI::App* command = app.add_subcommand("delete", "Remove vectors from an index");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  command->add_option("ID", options->ids, "Names, or numbers where there are no names")->required()->type_name("");
  command->add_flag("--compact", options->compact, "Give back the space of all that was ever removed");
  add_json_option(*command, console);
  command->footer(kDeleteFooter);
  command->callback([&console, options] { remove(*options, console); });
}

}  // namespace boon::cli
