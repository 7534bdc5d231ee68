#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "boon/layout/drawing.h"

namespace boon::layout {
namespace {

// Pixels. Letters are those of a monospaced font of 13, about 8 wide.
constexpr std::size_t kLetter = 8;
constexpr std::size_t kRow = 28;
constexpr std::size_t kBlockGap = 6;
constexpr std::size_t kMargin = 16;

// The page may be light or dark, and the picture goes with it. Coloured cells keep light colours and dark
// letters on both.
constexpr std::string_view kStyle = R"(<style>
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-anchor: middle; fill: #1f2328; }
  .page { fill: #ffffff; }
  .title { text-anchor: start; font-weight: 600; }
  .label { fill: #59636e; }
  .cell { fill: #0969da; stroke: #d1d9e0; }
  .coloured { stroke: #ffffff; }
  .on { fill: #1f2328; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .page { fill: #0d1117; }
    .label { fill: #9198a1; }
    .cell { fill: #4493f8; stroke: #3d444d; }
    .coloured { stroke: #0d1117; }
    .on { fill: #1f2328; }
  }
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Hues a golden angle apart stay far from each other, however many there are. Red, green and blue are written out, as
// some readers of SVG know no hsl().
std::string colour_of(std::int64_t number) {
  const double hue = std::fmod(static_cast<double>(number) * 137.508 + 210, 360.0) / 60;
  const double lightness = number % 2 == 0 ? 0.80 : 0.72;
  const double chroma = 0.7 * std::min(lightness, 1 - lightness);
  const auto part = [&](double from) {  // 0 for red, 4 for green, 2 for blue
    const double place = std::fmod(from + hue, 6.0);
    const double away = std::clamp(std::abs(place - 3) - 1, 0.0, 1.0);
    return static_cast<int>(std::lround(255 * (lightness + chroma * (2 * away - 1))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(4), part(2));
}

std::string text_at(std::size_t x, std::size_t y, const char* kind, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, kind, escaped(text));
}

class Page {
 public:
  explicit Page(const Picture& picture) {
    body_ += text_at(kMargin, kMargin + 14, "title", picture.title);
    width_ = 2 * kMargin + letters(picture.title) * kLetter;
    y_ = kMargin + kRow;
    for (const Panel& panel : picture.panels) add(panel);
    if (!picture.left_out.empty()) {
      body_ += text_at(kMargin, y_ + 14, "title label", picture.left_out);
      width_ = std::max(width_, 2 * kMargin + letters(picture.left_out) * kLetter);
      y_ += kRow;
    }
  }

  std::string file(const std::string& title) const {
    const std::size_t height = y_ + kMargin - 4;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"page\" width=\"{0}\" height=\"{1}\" "
        "rx=\"6\"/>\n{4}</svg>\n",
        width_, height, escaped(title), kStyle, body_);
  }

 private:
  static std::size_t gaps(std::size_t i, std::size_t block) { return block == 0 ? 0 : i / block * kBlockGap; }

  void add(const Panel& panel) {
    std::size_t cell = 34;
    for (const Cell& c : panel.cells) cell = std::max(cell, letters(c.text) * kLetter + 10);
    std::size_t label = 0;
    for (const std::string& row : panel.rows) label = std::max(label, letters(row) * kLetter + 12);
    const std::size_t left = kMargin + label;
    const auto x = [&](std::size_t j) { return left + j * cell + gaps(j, panel.column_block); };
    if (!panel.title.empty()) {
      body_ += text_at(kMargin, y_ + 14, "title label", panel.title);
      y_ += kRow - 4;
    }
    for (std::size_t j = 0; j < panel.columns.size(); ++j) {
      body_ += text_at(x(j) + cell / 2, y_ + 12, "label", panel.columns[j]);
    }
    y_ += 20;
    const std::size_t rows = std::max<std::size_t>(panel.rows.size(), 1);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t y = y_ + i * kRow + gaps(i, panel.row_block);
      if (!panel.rows.empty()) body_ += text_at(kMargin + label / 2, y + 19, "label", panel.rows[i]);
      for (std::size_t j = 0; j < panel.columns.size(); ++j) {
        add(panel.cells[i * panel.columns.size() + j], x(j), y, cell);
      }
    }
    y_ += rows * kRow + gaps(rows - 1, panel.row_block) + 12;
    width_ = std::max(width_, x(panel.columns.size() - 1) + cell + kMargin);
  }

  void add(const Cell& cell, std::size_t x, std::size_t y, std::size_t width) {
    const bool coloured = cell.colour >= 0;
    const std::string fill = coloured ? fmt::format("style=\"fill: {}\"", colour_of(cell.colour))
                                      : fmt::format("fill-opacity=\"{:.2f}\"", 0.04 + 0.46 * cell.shade);
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"cell{}\" {}/>\n", x, y, width,
                         kRow, coloured ? " coloured" : "", fill);
    body_ += text_at(x + width / 2, y + 19, coloured ? "on" : "value", cell.text);
  }

  std::string body_;
  std::size_t width_ = 0;
  std::size_t y_ = 0;
};

}  // namespace

std::string to_svg(const Picture& picture) {
  return Page(picture).file(picture.title);
}

}  // namespace boon::layout
