// Layouts as people write them, to and from text: "(4,3):(1,8)", "12:1", "(2,(2,3)):(1,(4,8))", "(4,3):(E0,2E1)".
//
// "<3:1,(2,4):(1,8)>" and "<2,_>" are tilers. A shape alone is a layout without gaps, leftmost mode fastest. "_" in a
// coordinate is all of a mode. What CuTe prints is understood too: "(_4,_3):(_1,_8)" and "2@1" for 2E1.
#pragma once

#include <string>
#include <string_view>

#include "boon/layout/layout.h"
#include "boon/layout/tiler.h"

namespace boon::layout {

std::string to_string(const Tuple& t);
std::string to_string(const Layout& l);
std::string to_string(const Tiler& t);
// "mode 0, 6:1: 6 is not a multiple of 4, …": the sentence without the operation and its operands.
std::string to_string(const Refusal& refusal);
// The name of the rule: "rhs_extent_not_a_multiple_of_lhs_chunk".
std::string_view name(Rule rule) noexcept;

// Throws Error{invalid_argument}: "\"(4,3\", position 5: …". Bytes count from 1, positions in the message in
// characters.
[[noreturn]] void throw_unreadable(std::string_view text, std::size_t byte, const char* expected);
// Where the byte at this index stands, in characters of UTF-8 from 1.
std::size_t position_of(std::string_view text, std::size_t at) noexcept;

// A place in a text from which tuples and layouts are read, one after the other; spaces are skipped.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  constexpr char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    return at < text.size() ? text[at] : '\0';
  }
  constexpr bool take(char c) {
    if (peek() != c || at >= text.size()) return false;
    ++at;
    return true;
  }
  constexpr void expect(char c, const char* what) {
    if (!take(c)) fail(what);
  }
  constexpr void expect_end() {
    peek();
    if (at != text.size()) fail("nothing more");
  }
  // In a constant expression the compiler's message shows the text and what was expected, clang's the position too.
  constexpr void fail(const char* expected) const { unreadable(text, at + 1, expected); }
  static constexpr void unreadable(std::string_view whole, std::size_t position, const char* expected) {
    if (position != 0) throw_unreadable(whole, position, expected);
  }

  constexpr std::int64_t read_integer();
  constexpr Tuple read_tuple();
  constexpr Layout read_layout();
  constexpr Tiler read_tiler();

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  constexpr bool digit_at(std::size_t place) const { return place < text.size() && is_digit(text[place]); }
  constexpr Tuple read_leaf();
  constexpr Tuple read_axis(std::int64_t value);
};

constexpr std::int64_t Reader::read_integer() {
  const bool negative = take('-');
  if (!digit_at(at)) fail("a number");
  std::int64_t value = 0;
  for (; digit_at(at); ++at) {
    // Kept negative, as there is one more of them; that one means "_" inside.
    const bool held = multiply(value, 10, value) && add(value, '0' - text[at], value) && value != kAll;
    if (!held) fail("a number of at most 63 bits");
  }
  return negative ? value : -value;
}

constexpr Tuple Reader::read_axis(std::int64_t value) {
  if (!digit_at(at)) fail("the number of a coordinate, as in E0");
  const std::int64_t axis = read_integer();
  if (axis >= kLeavesMax) fail("the number of a coordinate, at most 31");
  return basis(static_cast<int>(axis), value);
}

constexpr Tuple Reader::read_leaf() {
  const bool underscore = peek() == '_';
  const char after = at + 1 < text.size() ? text[at + 1] : '\0';
  if (underscore && !is_digit(after) && after != '-') {
    ++at;
    return kAll;
  }
  take('_');  // as CuTe marks what the compiler knows
  for (const std::int64_t sign : {1, -1}) {
    const std::size_t e = sign == 1 ? at : at + 1;
    if ((sign == 1 || peek() == '-') && e < text.size() && text[e] == 'E') {
      at = e + 1;
      return read_axis(sign);
    }
  }
  const std::int64_t value = read_integer();
  if (at < text.size() && (text[at] == '@' || text[at] == 'E')) {
    ++at;
    return read_axis(value);
  }
  return value;
}

constexpr Tuple Reader::read_tuple() {
  Tuple result;
  int open = 0;
  for (;;) {
    int opening = 0;
    for (; take('('); ++opening) {
      if (open + opening == kDepthMax) fail("at most 32 parentheses inside each other");
    }
    if (result.count == kLeavesMax) fail("at most 32 numbers");
    const Tuple leaf = read_leaf();
    open += opening;
    int closing = 0;
    for (; closing < open && take(')'); ++closing) {
    }
    result.append_leaf(leaf, 0, opening, closing);
    open -= closing;
    if (open == 0) return result;
    expect(',', "',' or ')'");
  }
}

constexpr Layout Reader::read_layout() {
  const Tuple shape = read_tuple();
  return take(':') ? Layout(shape, read_tuple()) : col_major(shape);
}

constexpr Tiler Reader::read_tiler() {
  Modes tiles;
  expect('<', "'<'");
  do {
    const Tuple shape = read_tuple();
    if (shape == Tuple(kAll)) {
      tiles.append_leaf(kAll, 1);
      continue;
    }
    // Without strides (2,4) could be a tile by mode as well as one of 8 in a row, so both are asked to be written out.
    if (!shape.is_leaf() && peek() != ':') fail("':' and the strides of the tile");
    tiles.append(take(':') ? Layout(shape, read_tuple()) : Layout(shape, 1));
  } while (take(','));
  expect('>', "',' or '>'");
  return {tiles.shape.grouped(), tiles.stride.grouped()};
}

constexpr Tuple parse_tuple(std::string_view text) {
  Reader reader{text};
  const Tuple result = reader.read_tuple();
  reader.expect_end();
  return result;
}

constexpr Layout parse_layout(std::string_view text) {
  Reader reader{text};
  const Layout result = reader.read_layout();
  reader.expect_end();
  return result;
}

constexpr Tiler parse_tiler(std::string_view text) {
  Reader reader{text};
  const Tiler result = reader.read_tiler();
  reader.expect_end();
  return result;
}

inline namespace literals {
// "(4,3):(1,8)"_layout and "(4,(2,3))"_tuple, read by the compiler.
consteval Layout operator""_layout(const char* text, std::size_t length) {
  return parse_layout(std::string_view(text, length));
}
consteval Tuple operator""_tuple(const char* text, std::size_t length) {
  return parse_tuple(std::string_view(text, length));
}
}  // namespace literals

}  // namespace boon::layout
