// Word vectors as text: "word v1 v2 …" a line, as GloVe writes it; word2vec and fastText put "rows dim" before.
//
// A word may contain blanks (GloVe 840B has ". . ."), so numbers are taken from the right. The first token is part of
// the word whatever it looks like. A first line of two whole numbers is a header.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "boon/cli/lines.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

using Tokens = std::vector<std::string_view>;

void split(std::string_view line, Tokens& tokens) {
  tokens.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    while (at != end && is_blank(*at)) ++at;
    const char* const start = at;
    while (at != end && !is_blank(*at)) ++at;
    if (at != start) tokens.emplace_back(start, static_cast<std::size_t>(at - start));
  }
}

// A whole token as a number, or nothing. One too large for a float comes back as infinity, one too small as zero.
std::optional<float> number(std::string_view token) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  float value = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars says "out of range" for both ends and leaves the value alone; strtod tells them apart.
  if (error != std::errc()) value = static_cast<float>(std::strtod(std::string(token).c_str(), nullptr));
  return value;
}

// How many numbers stand at the end of a line, the first token left out.
std::size_t trailing_numbers(const Tokens& tokens) {
  std::size_t count = 0;
  while (count + 1 < tokens.size() && number(tokens[tokens.size() - 1 - count])) ++count;
  return count;
}

struct Header {
  std::size_t rows;
  std::size_t dim;
};

std::optional<Header> header_of(const Tokens& tokens) {
  if (tokens.size() != 2) return std::nullopt;
  const auto whole = [](std::string_view token, std::size_t& value) {
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    return error == std::errc() && stop == token.data() + token.size();
  };
  Header header{};
  if (!whole(tokens[0], header.rows) || !whole(tokens[1], header.dim)) return std::nullopt;
  return header;
}

// The dimension that most of the first lines have; the earliest of equals. One broken line then does not decide.
std::size_t usual_dim(std::string_view text) {
  constexpr int kLines = 32;
  LineReader lines(text);
  std::string_view line;
  Tokens tokens;
  std::map<std::size_t, int> votes;
  std::vector<std::size_t> seen;
  for (int i = 0; i < kLines && lines.next(line); ++i) {
    split(line, tokens);
    seen.push_back(trailing_numbers(tokens));
    ++votes[seen.back()];
  }
  const auto best = std::max_element(seen.begin(), seen.end(),
                                     [&](std::size_t a, std::size_t b) { return votes.at(a) < votes.at(b); });
  return best == seen.end() ? 0 : *best;
}

class TextParser {
 public:
  TextParser(std::string_view text, std::string_view file, std::size_t max_rows)
      : text_(text), file_(file), max_rows_(max_rows), lines_(text) {}

  VectorTable parse() {
    std::string_view line;
    if (!lines_.next(line)) throw Error(ErrorCode::invalid_argument, fmt::format("{} is empty", file_));
    split(line, tokens_);
    const std::optional<Header> header = header_of(tokens_);
    table_.dim = header ? header->dim : usual_dim(text_);
    if (table_.dim == 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} line {}: no numbers after the first word, so not a file of word vectors: {}", file_,
                              lines_.number(), in_quotes(line)));
    }
    // A guess from the first line, and never more than the text has room for: two bytes a number.
    const std::size_t guess = header ? header->rows : text_.size() / line.size() + 1;
    if (table_.dim <= text_.size() / 2) {
      table_.values.reserve(std::min(guess, text_.size() / 2 / table_.dim + 1) * table_.dim);
    }
    for (bool more = !header || lines_.next(line); more && !full(); more = lines_.next(line)) {
      add(line);
      if (table_.names.size() % kRowsBetweenLooks == 0) stop_if_interrupted(file_);
    }
    if (header && !full() && header->rows != table_.names.size()) {
      throw Error(ErrorCode::corrupted, fmt::format("{} promises {} words on its first line, and {} follow", file_,
                                                    header->rows, table_.names.size()));
    }
    return std::move(table_);
  }

 private:
  bool full() const noexcept { return max_rows_ != 0 && table_.names.size() >= max_rows_; }

  void add(std::string_view line) {
    split(line, tokens_);
    const std::string_view first = tokens_.front();
    if (tokens_.size() <= table_.dim) refuse_count(first, trailing_numbers(tokens_));
    const std::size_t word_tokens = tokens_.size() - table_.dim;
    // A word of several tokens that ends in a number is rather a line with too many numbers.
    if (word_tokens > 1 && number(tokens_[word_tokens - 1])) refuse_count(first, trailing_numbers(tokens_));

    const std::string_view last = tokens_[word_tokens - 1];
    const std::string_view word(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
    if (!simdjson::validate_utf8(word.data(), word.size())) {
      throw Error(ErrorCode::corrupted,
                  fmt::format("{} line {}: the word {} is not UTF-8", file_, lines_.number(), in_quotes(word)));
    }
    const Place place{.file = file_, .row = table_.names.size(), .line = lines_.number()};
    for (std::size_t i = 0; i < table_.dim; ++i) {
      const std::string_view token = tokens_[word_tokens + i];
      const std::optional<float> value = number(token);
      if (!value) {
        throw Error(ErrorCode::corrupted, fmt::format("{} line {} ({}): {} numbers expected, and {} is none", file_,
                                                      lines_.number(), in_quotes(first), table_.dim, in_quotes(token)));
      }
      if (!std::isfinite(*value)) refuse_value(place, i, *value, is_digits(token) ? token : std::string_view());
      table_.values.push_back(*value);
    }
    table_.names.emplace_back(word);
  }

  // False for "inf" and "nan".
  static bool is_digits(std::string_view token) { return token.find_first_of("0123456789") != std::string_view::npos; }

  [[noreturn]] void refuse_count(std::string_view word, std::size_t found) const {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} line {} ({}): {} numbers found, {} expected", file_,
                                                         lines_.number(), in_quotes(word), found, table_.dim));
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t max_rows_;
  LineReader lines_;
  Tokens tokens_;
  VectorTable table_;
};

}  // namespace

VectorTable parse_text(std::string_view text, std::string_view file, std::size_t max_rows) {
  return TextParser(text, file, max_rows).parse();
}

}  // namespace boon::cli
