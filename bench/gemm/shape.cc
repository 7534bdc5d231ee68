#include "bench/gemm/shape.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "boon/core/error.h"

namespace boon::bench::gemm {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}' is no product; write 512, 128x1536x384 (rows and columns of C, then the depth) or 512:tn "
                  "(t for a transposed matrix, n for one that is not), each number from 1 to {}",
                  text, kDimensionMax));
}

// Takes a number and what follows it, a letter or the end.
std::size_t take_number(std::string_view& rest, std::string_view whole) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number == 0 || number > kDimensionMax) refuse(whole);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

bool parse_transposed(char letter, std::string_view whole) {
  if (letter != 'n' && letter != 't') refuse(whole);
  return letter == 't';
}

}  // namespace

Shape parse_shape(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::string_view rest = text.substr(0, colon);
  std::vector<std::size_t> numbers{take_number(rest, text)};
  while (rest.starts_with('x')) {
    rest.remove_prefix(1);
    numbers.push_back(take_number(rest, text));
  }
  if (!rest.empty() || (numbers.size() != 1 && numbers.size() != 3)) refuse(text);
  Shape shape{.rows = numbers.front(), .columns = numbers[numbers.size() / 2], .depth = numbers.back()};
  if (colon == std::string_view::npos) return shape;
  const std::string_view letters = text.substr(colon + 1);
  if (letters.size() != 2) refuse(text);
  shape.a_transposed = parse_transposed(letters[0], text);
  shape.b_transposed = parse_transposed(letters[1], text);
  return shape;
}

std::string name(const Shape& shape) {
  const bool square = shape.rows == shape.columns && shape.rows == shape.depth;
  std::string text =
      square ? fmt::format("{}", shape.rows) : fmt::format("{}x{}x{}", shape.rows, shape.columns, shape.depth);
  if (shape.a_transposed || shape.b_transposed) {
    text += fmt::format(":{}{}", shape.a_transposed ? 't' : 'n', shape.b_transposed ? 't' : 'n');
  }
  return text;
}

}  // namespace boon::bench::gemm
