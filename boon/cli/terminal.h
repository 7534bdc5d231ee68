// What the command line shows to a person: a progress bar, aligned tables, numbers with units, safe text, and whether
// Ctrl-C was pressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boon::cli {

std::string format_count(std::uint64_t count);  // "331,479"
std::string format_bytes(std::uint64_t bytes);  // "203 MB": three digits, powers of 1000
std::string format_duration(double seconds);    // "92.0 µs", "1.25 s", "2 min 5 s", "1 h 3 min"

// UTF-8 that a terminal shows and never obeys: control characters and bytes that are no UTF-8 as \x1b.
std::string printable(std::string_view text);

// Columns that UTF-8 text takes on a terminal: East Asian wide characters take 2, combining marks 0.
std::size_t display_width(std::string_view text) noexcept;

enum class Align { left, right };

// A table with aligned columns.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column; the text goes through printable().
  void add(std::vector<std::string> cells);
  // The titles, then the rows, each line with its end and without blanks at it.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Where a progress bar draws, and the clock it draws by.
struct Screen {
  std::function<void(std::string_view)> write;
  std::function<std::size_t()> width;
  std::function<double()> now_s;
  bool interactive = false;
};

// Standard error; interactive if it is a terminal that knows how to erase a line.
Screen standard_error();

// A line that shows how far work has come, at what rate, and how long it may still take. It is drawn at most ten times
// a second, only on an interactive screen, and erases itself at the end. Meets boon::Progress through std::ref; the
// answer is false after Ctrl-C.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label, Screen screen = standard_error());
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { finish(); }

  bool operator()(std::size_t done, std::size_t total);
  // Erases the line; safe to call twice.
  void finish();

 private:
  std::string label_;
  Screen screen_;
  double start_s_ = 0;
  double drawn_s_ = 0;
  std::size_t last_done_ = 0;
  bool started_ = false;
  bool visible_ = false;
};

// "Building  [=====>    ]  62%  204,000 of 331,479  41,200/s  3.10 s left", at most `width` columns; the bar goes first
// when there is no room. `total` 0 means unknown.
std::string progress_line(std::string_view label, std::size_t done, std::size_t total, double elapsed_s,
                          std::size_t width);

// From here on the first Ctrl-C (SIGINT) sets a flag, so that work ends at a safe point; the second ends the process.
// For commands that look at the flag often: in all others the first one must end the process.
void install_interrupt_handler();
bool interrupted() noexcept;

}  // namespace boon::cli
