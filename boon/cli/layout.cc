// boon layout: evaluates expressions of the layout algebra, one from the command line with a picture, or one a line
// from standard input, where each line is answered by one line so that a program can talk to it.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "boon/cli/input.h"
#include "boon/cli/output.h"
#include "boon/cli/svg_file.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"
#include "boon/layout/drawing.h"
#include "boon/layout/expression.h"

namespace boon::cli {
namespace {

using layout::Value;

constexpr const char* kNotation = R"(Notation:
  (4,3):(1,8)           a layout, shape:stride; (4,3) alone fills its shape, leftmost mode fastest
  (A, B)  <A, B>        the layout with modes A and B; a tiler, which takes each mode by itself: <2,3> or <3:1,_>
  A o B   A / B  A * B  composition, logical_divide, logical_product; also ∘ ⊘ ⊗; they bind alike, from the left
  L(7)  L(1,2)  L(2,_)  the value at a coordinate; with _ the slice along that mode
  Swizzle<B,M,S> o L    a composed layout; with an offset: Swizzle<B,M,S> o 8 o L
  E0  2E1               strides that give coordinates

Functions:
)";

constexpr const char* kLines = R"help(
Without EXPRESSION, or with -, each line of standard input is answered by one line, at once and in order: with --json
{"layout": "2:4"}, {"value": 39} or {"error": "…"}, the last also for a line that is blank or begins with #; without
--json such a line is answered by an empty one. Errors are answers there and the exit code is 0.

Examples:
  boon layout "(4,3):(1,8) o 6:2"
  boon layout "zipped_divide((4,6):(1,4), <2,3>)" --svg tiles.svg
  boon layout "make_tv_layout((2,3):(3,1), (2,2):(2,1))"
  echo "complement(4:1, 24)" | boon layout --json)help";

// More values than this are no longer listed in JSON.
constexpr std::int64_t kListedMax = 4096;

struct LayoutCommand {
  std::string expression = "-";
  std::string svg;
  std::size_t limit = 32;
  std::size_t banks = 0;
};

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

Json to_json(const layout::Tuple& tuple) {
  if (!tuple.is_leaf()) {
    Json array = Json::array();
    for (int i = 0; i < rank(tuple); ++i) array.push_back(to_json(mode(tuple, i)));
    return array;
  }
  const bool number = tuple.axis[0] == 0 && tuple.value[0] != layout::kAll;
  return number ? Json(tuple.value[0]) : Json(to_string(tuple));
}

// {"layout": "2:4"} or {"value": 39}, and what else there is to say of such a value.
struct Answer {
  Json operator()(bool is) const { return {{"value", is}}; }
  Json operator()(const layout::Tuple& tuple) const { return {{"value", to_json(tuple)}}; }
  Json operator()(const layout::Tiler& tiler) const { return {{"value", to_string(tiler)}}; }
  Json operator()(const layout::OffsetSwizzle& swizzle) const { return {{"value", layout::to_string(Value(swizzle))}}; }
  Json operator()(const layout::Layout& l) const { return {{"layout", to_string(l)}}; }
  Json operator()(const layout::ComposedSwizzle& composed) const { return {{"layout", to_string(composed)}}; }
  Json operator()(const layout::Slice& slice) const {
    return {{"layout", to_string(slice.layout)}, {"offset", to_json(slice.origin)}};
  }
  Json operator()(const layout::ThreadValue& tv) const {
    return {{"layout", to_string(tv.tv)}, {"tile", to_string(tv.tile)}, {"tiler", to_json(tv.extents)}};
  }
};

// The layout in a value, whatever stands round it.
std::optional<layout::Layout> inside(const Value& value) {
  if (const auto* whole = std::get_if<layout::Layout>(&value)) return *whole;
  if (const auto* slice = std::get_if<layout::Slice>(&value)) return slice->layout;
  if (const auto* composed = std::get_if<layout::ComposedSwizzle>(&value)) return composed->layout;
  if (const auto* tv = std::get_if<layout::ThreadValue>(&value)) return tv->tv;
  return std::nullopt;
}

bool has_cosize(const Value& value, const layout::Layout& l) {
  return !std::holds_alternative<layout::ComposedSwizzle>(value) && !has_basis_strides(l);
}

Json full_answer(const Value& value) {
  Json json = std::visit(Answer(), value);
  const std::optional<layout::Layout> l = inside(value);
  if (!l) return json;
  json["size"] = size(*l);
  if (has_cosize(value, *l)) json["cosize"] = cosize(*l);
  json["rank"] = rank(*l);
  json["depth"] = depth(*l);
  if (size(*l) > kListedMax) return json;
  Json offsets = Json::array();
  const auto* tv = std::get_if<layout::ThreadValue>(&value);
  const Value function = tv == nullptr ? value : Value(tv->tv);
  for (std::int64_t i = 0; i < size(*l); ++i) {
    offsets.push_back(to_json(std::get<layout::Tuple>(layout::at_coordinate(function, i))));
  }
  json["offsets"] = std::move(offsets);
  return json;
}

std::optional<layout::Picture> draw(const Value& value, const LayoutCommand& command) {
  const auto limit = static_cast<std::int64_t>(command.limit);
  const layout::DrawingOptions options{
      .rows = limit, .columns = limit, .panels = (limit + 3) / 4, .banks = static_cast<std::int64_t>(command.banks)};
  const auto draw_it = [&](const auto& drawn) -> std::optional<layout::Picture> {
    if constexpr (requires { layout::draw(drawn, "", options); }) {
      return layout::draw(drawn, command.expression, options);
    } else {
      return std::nullopt;
    }
  };
  return std::visit(draw_it, value);
}

// Colours are for a terminal whose user did not turn them off.
layout::Ink ink_for(const Console& console) {
  const bool terminal = &console.out == &std::cout && ::isatty(STDOUT_FILENO) == 1;
  const char* const kind = std::getenv("TERM");
  const char* const off = std::getenv("NO_COLOR");
  const bool colours = terminal && kind != nullptr && std::string_view(kind) != "dumb" && (off == nullptr || *off == 0);
  return colours ? layout::Ink::ansi : layout::Ink::plain;
}

void answer_one(const LayoutCommand& command, Console& console) {
  const Value value = layout::evaluate(command.expression);
  std::optional<layout::Picture> picture;
  const bool drawn = !console.json || !command.svg.empty();
  if (drawn) picture = draw(value, command);
  if (!command.svg.empty()) {
    if (!picture) {
      fail(fmt::format("there is nothing to draw: the result is {}", layout::to_string(value)));
    }
    write_svg(command.svg, to_svg(*picture), console.out);
    if (command.svg == "-") return;
  }
  if (console.json) {
    print(console.out, full_answer(value));
    return;
  }
  console.out << layout::to_string(value) << '\n';
  if (const std::optional<layout::Layout> l = inside(value)) {
    console.out << fmt::format("size {}", size(*l));
    if (has_cosize(value, *l)) console.out << fmt::format(", cosize {}", cosize(*l));
    console.out << '\n';
  }
  if (picture && command.svg.empty()) console.out << '\n' << to_text(*picture, ink_for(console));
}

void answer_line(std::string_view line, Console& console) {
  const std::size_t begin = line.find_first_not_of(" \t");
  const bool nothing = begin == std::string_view::npos || line[begin] == '#';
  try {
    if (nothing) {
      if (console.json) fail("there is no expression on this line");
      console.out << '\n';
    } else if (const Value value = layout::evaluate(line); console.json) {
      print(console.out, std::visit(Answer(), value));
    } else {
      console.out << layout::to_string(value) << '\n';
    }
  } catch (const Error& error) {
    if (console.json) {
      print(console.out, {{"error", error.what()}});
    } else {
      console.out << "error: " << printable(error.what()) << '\n';
    }
  }
}

// The answers to what has come are out before more is waited for: whoever asks may wait for them.
void answer_lines(Console& console) {
  std::string waiting;
  std::array<char, 65536> bytes{};
  bool first = true;
  const auto answer = [&](std::string_view line) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (first && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    first = false;
    if (line.ends_with('\r')) line.remove_suffix(1);
    answer_line(line, console);
  };
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(ErrorCode::io, fmt::format("cannot read standard input: {}", std::generic_category().message(errno)));
    }
    if (count == 0) break;
    // What waited has no end of a line: of a long one each byte is looked at once.
    std::size_t end = waiting.size();
    waiting.append(bytes.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    while ((end = waiting.find('\n', end)) != std::string::npos) {
      answer(std::string_view(waiting).substr(begin, end - begin));
      begin = ++end;
    }
    waiting.erase(0, begin);
    if (!console.out.flush()) throw Error(ErrorCode::io, "cannot write to standard output");
  }
  if (!waiting.empty()) answer(waiting);
}

void run_layout(const LayoutCommand& command, Console& console) {
  if (console.json && command.svg == "-") fail("--json and --svg - both write to standard output; choose one");
  if (command.expression != "-") return answer_one(command, console);
  if (!command.svg.empty()) fail("--svg draws one EXPRESSION; none was given");
  if (::isatty(STDIN_FILENO) == 1) console.err << "one expression a line; boon help layout lists what there is\n";
  answer_lines(console);
}

std::string footer() {
  std::string text = kNotation;
  for (const layout::FunctionHelp& function : layout::function_help()) {
    text += fmt::format("  {:<26}{}\n", function.usage, function.what);
  }
  return text + kLines;
}

}  // namespace

void register_layout(CLI::App& app, Console& console) {
  constexpr std::size_t kLimitMax = 1024, kBanksMax = 1024;
  const auto options = std::make_shared<LayoutCommand>();
  CLI::App* command = app.add_subcommand("layout", "Evaluate and draw expressions of the layout algebra");
  command->add_option("EXPRESSION", options->expression, "What to evaluate; - reads lines of standard input")
      ->type_name("");
  command->add_option("--svg", options->svg, "Draw into this file instead; - writes standard output")
      ->type_name("FILE");
  add_count_option(*command, "--limit", options->limit, "Rows and columns to draw at most")
      ->check(CLI::Range(std::size_t{1}, kLimitMax).description(""));
  add_count_option(*command, "--banks", options->banks, "Colour by offset modulo N, on a terminal and in SVG; 0 shades")
      ->check(CLI::Range(std::size_t{0}, kBanksMax).description(""));
  add_json_option(*command, console);
  command->footer(footer());
  command->callback([&console, options] { run_layout(*options, console); });
}

}  // namespace boon::cli
