// Lines of a text: ends of LF or CR LF, a byte order mark skipped, the last line with or without an end.
#pragma once

#include <cstddef>
#include <string_view>

namespace boon::cli {

inline bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

class LineReader {
 public:
  explicit LineReader(std::string_view text) noexcept : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  // The next line that holds more than blanks; blanks at its end are cut. False after the last.
  bool next(std::string_view& line) noexcept {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
      if (!line.empty()) return true;
    }
    return false;
  }

  // Of the line that next() gave, counted from 1.
  std::size_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace boon::cli
