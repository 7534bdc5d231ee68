#include "boon/cli/output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/terminal.h"
#include "boon/index/index.h"

namespace boon::cli {

void print(std::ostream& out, const Json& json) {
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

double shortest(float value) {
  const std::string text = fmt::format("{}", value);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc() ? result : static_cast<double>(value);
}

std::string_view code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::already_exists:
      return "already_exists";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::read_only:
      return "read_only";
    case ErrorCode::corrupted:
      return "corrupted";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::io:
      return "io";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      break;
  }
  return "internal";
}

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+=:,@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) return std::string(argument);
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string display_name(const Path& path) {
  return path == "-" ? "standard input" : path.native();
}

void warn_if_unreachable(Console& console, const Path& path, const Index& index) {
  const std::size_t unreachable = index.statistics().unreachable;
  if (unreachable == 0) return;
  console.err << fmt::format(
      "{}: no path of links leads to {} of the vectors; a build with a larger -M or --build-beam makes a better "
      "graph\n",
      printable(path.native()), format_count(unreachable));
}

CLI::Option* add_json_option(CLI::App& command, Console& console) {
  return command.add_flag("--json", console.json, "Answer with one JSON object on a line");
}

}  // namespace boon::cli
