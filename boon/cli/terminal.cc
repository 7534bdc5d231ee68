#include "boon/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "boon/core/check.h"

namespace boon::cli {
namespace {

// Three digits that count: 1.25, 12.5, 125.
std::string three_digits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

constexpr char32_t kNotUtf8 = 0xFFFF'FFFF;

// One code point from the front of `text` and the bytes it takes; kNotUtf8 and one byte where there is none.
struct Decoded {
  char32_t code;
  std::size_t bytes;
};

Decoded decode(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {kNotUtf8, 1};
  char32_t code = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kNotUtf8, 1};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  // Longer than needed, half of a UTF-16 pair, or past the last plane.
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[bytes] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {kNotUtf8, 1};
  return {code, bytes};
}

struct Range {
  char32_t first, last;
};

bool within(char32_t code, const auto& ranges) noexcept {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return r.first <= code && code <= r.last; });
}

// Unicode's East Asian Width W and F, in blocks.
constexpr std::array<Range, 12> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x4DBF},
                                       {0x4E00, 0xA4CF},
                                       {0xA960, 0xA97F},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1F9FF},
                                       {0x20000, 0x3FFFD}}};
// Combining marks, joiners and direction marks.
constexpr std::array<Range, 11> kZeroWidth{{{0x0300, 0x036F},
                                            {0x0483, 0x0489},
                                            {0x0591, 0x05BD},
                                            {0x0610, 0x061A},
                                            {0x064B, 0x065F},
                                            {0x200B, 0x200F},
                                            {0x202A, 0x202E},
                                            {0x2060, 0x2069},
                                            {0x20D0, 0x20FF},
                                            {0xFE00, 0xFE0F},
                                            {0xFE20, 0xFE2F}}};

// The text cut to so many columns.
std::string_view fit(std::string_view text, std::size_t columns) noexcept {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    const std::size_t bytes = decode(text.substr(end)).bytes;
    used += display_width(text.substr(end, bytes));
    if (used > columns) break;
    end += bytes;
  }
  return text.substr(0, end);
}

void append_cell(std::string& line, const std::string& cell, Align align, std::size_t width) {
  const std::string blanks(width - display_width(cell), ' ');
  line += align == Align::right ? blanks + cell : cell + blanks;
}

std::atomic<bool> interrupt_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

}  // namespace

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 would be shown as 1000.
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 999.5e-6) return fmt::format("{} µs", three_digits(seconds * 1e6));
  if (seconds < 999.5e-3) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds < 59.95) return fmt::format("{} s", three_digits(seconds));
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits{{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  std::size_t large = 0;
  // Rounded to the smaller of the two units first, or 119.6 s would become 1 min 60 s.
  while (large + 2 < kUnits.size() &&
         std::round(seconds / kUnits[large + 1].seconds) * kUnits[large + 1].seconds < kUnits[large].seconds) {
    ++large;
  }
  const double rounded = std::round(seconds / kUnits[large + 1].seconds) * kUnits[large + 1].seconds;
  const double whole = std::floor(rounded / kUnits[large].seconds);
  const double rest = (rounded - whole * kUnits[large].seconds) / kUnits[large + 1].seconds;
  const std::string text = fmt::format("{:.0f} {}", whole, kUnits[large].name);
  return rest == 0 ? text : fmt::format("{} {:.0f} {}", text, rest, kUnits[large + 1].name);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = decode(text);
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool turns_direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    if (code == kNotUtf8 || control || turns_direction) {
      for (const char byte : text.substr(0, bytes)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [code, bytes] = decode(text);
    width += within(code, kWide) ? 2 : within(code, kZeroWidth) ? 0 : 1;
    text.remove_prefix(bytes);
  }
  return width;
}

void Table::add(std::vector<std::string> cells) {
  BOON_CHECK(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(display_width(columns_[i].title));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  const auto append_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      append_cell(line, cell(i), columns_[i].align, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) append_line([&](std::size_t i) { return row[i]; });
  return text;
}

Screen standard_error() {
  const char* const kind = std::getenv("TERM");
  return {.write =
              [](std::string_view text) {
                // A bar that cannot be drawn is no reason to stop the work.
                [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
              },
          .width = []() -> std::size_t {
            winsize size{};
            return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
          },
          .now_s =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .interactive = ::isatty(STDERR_FILENO) == 1 && kind != nullptr&& std::string_view(kind) != "dumb"};
}

ProgressBar::ProgressBar(std::string label, Screen screen) : label_(std::move(label)), screen_(std::move(screen)) {}

bool ProgressBar::operator()(std::size_t done, std::size_t total) {
  constexpr double kRedrawSeconds = 0.1;
  if (!screen_.interactive) return !interrupted();
  const double now_s = screen_.now_s();
  // Less done than before: another stage of the work has begun, with its own rate.
  if (!started_ || done < last_done_) start_s_ = now_s;
  last_done_ = done;
  if (!started_ || now_s - drawn_s_ >= kRedrawSeconds) {
    // The last column stays empty, because a cursor past it would wrap.
    const std::size_t width = std::max<std::size_t>(screen_.width(), 2) - 1;
    screen_.write("\r" + progress_line(label_, done, total, now_s - start_s_, width) + "\x1b[K");
    drawn_s_ = now_s;
    visible_ = true;
  }
  started_ = true;
  return !interrupted();
}

void ProgressBar::finish() {
  if (visible_) screen_.write("\r\x1b[K");
  visible_ = false;
}

std::string progress_line(std::string_view label, std::size_t done, std::size_t total, double elapsed_s,
                          std::size_t width) {
  constexpr std::size_t kBarMin = 10, kBarMax = 40;
  const double rate = elapsed_s > 0 ? static_cast<double>(done) / elapsed_s : 0;
  std::string figures;
  if (total > 0) {
    done = std::min(done, total);
    figures =
        fmt::format("{:3.0f}%  {} of {}", std::floor(100.0 * static_cast<double>(done) / static_cast<double>(total)),
                    format_count(done), format_count(total));
  } else {
    figures = format_count(done);
  }
  if (rate > 0) figures += fmt::format("  {}/s", format_count(static_cast<std::uint64_t>(std::llround(rate))));
  if (rate > 0 && total > done) {
    figures += fmt::format("  {} left", format_duration(static_cast<double>(total - done) / rate));
  }

  std::string line = fmt::format("{}  ", label);
  const std::size_t taken = display_width(line) + display_width(figures) + std::string_view("[]  ").size();
  if (total > 0 && taken + kBarMin <= width) {
    const std::size_t cells = std::min(kBarMax, width - taken);
    const std::size_t full =
        static_cast<std::size_t>(static_cast<double>(done) / static_cast<double>(total) * static_cast<double>(cells));
    std::string bar = std::string(full, '=') + std::string(cells - full, ' ');
    if (full < cells) bar[full] = '>';
    line += fmt::format("[{}]  ", bar);
  }
  line += figures;
  return std::string(fit(line, width));
}

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupt_flag.store(true); };
  sigemptyset(&action.sa_mask);
  // RESETHAND gives the second Ctrl-C its default; no RESTART, so that a read of a pipe wakes up.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() noexcept {
  return interrupt_flag.load();
}

}  // namespace boon::cli
