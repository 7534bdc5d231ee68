#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "boon/layout/drawing.h"

namespace boon::layout {
namespace {

// Of xterm's 256 colours, light ones that neighbours do not share.
constexpr std::array<int, 12> kBackgrounds{153, 223, 151, 217, 189, 229, 159, 225, 187, 216, 115, 146};

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t result = 0;
  for (const std::string& text : texts) result = std::max(result, width(text));
  return result;
}

std::string repeated(const char* text, std::size_t times) {
  std::string result;
  while (times-- > 0) result += text;
  return result;
}

class PanelText {
 public:
  PanelText(const Panel& panel, Ink ink) : panel_(panel), ink_(ink), cell_width_(widest(panel.columns)) {
    for (const Cell& cell : panel.cells) cell_width_ = std::max(cell_width_, width(cell.text));
  }

  std::string text() const {
    std::string result = line("", panel_.columns) + rule();
    if (panel_.rows.empty()) return result + cells(0, "");
    for (std::size_t i = 0; i < panel_.rows.size(); ++i) {
      if (starts_block(i, panel_.row_block)) result += rule();
      result += cells(i, panel_.rows[i]);
    }
    return result;
  }

 private:
  static bool starts_block(std::size_t i, std::size_t block) { return block > 0 && i > 0 && i % block == 0; }

  std::string aligned(const std::string& text, std::size_t columns) const {
    return std::string(columns - width(text), ' ') + text;
  }

  std::string head(const std::string& label) const {
    return panel_.rows.empty() ? "" : ' ' + aligned(label, widest(panel_.rows)) + " │";
  }

  std::string between(std::size_t column, const char* sign) const {
    return starts_block(column, panel_.column_block) ? sign : "";
  }

  std::string line(const std::string& label, const std::vector<std::string>& texts) const {
    std::string result = head(label);
    for (std::size_t j = 0; j < texts.size(); ++j) {
      result += between(j, "│") + ' ' + aligned(texts[j], cell_width_) + ' ';
    }
    while (result.ends_with(' ')) result.pop_back();
    return result + '\n';
  }

  std::string cells(std::size_t row, const std::string& label) const {
    std::vector<std::string> texts;
    if (ink_ == Ink::plain) {
      for (std::size_t j = 0; j < panel_.columns.size(); ++j) texts.push_back(cell(row, j).text);
      return line(label, texts);
    }
    std::string result = head(label);
    for (std::size_t j = 0; j < panel_.columns.size(); ++j) result += between(j, "│") + coloured(cell(row, j));
    return result + '\n';
  }

  const Cell& cell(std::size_t row, std::size_t column) const {
    return panel_.cells[row * panel_.columns.size() + column];
  }

  std::string coloured(const Cell& cell) const {
    std::string text = ' ' + aligned(cell.text, cell_width_) + ' ';
    if (cell.colour < 0) return text;
    const auto colour = static_cast<std::size_t>(cell.colour) % kBackgrounds.size();
    return fmt::format("\x1b[38;5;16;48;5;{}m{}\x1b[0m", kBackgrounds[colour], text);
  }

  std::string rule() const {
    std::string result = panel_.rows.empty() ? "" : repeated("─", widest(panel_.rows) + 2) + "┼";
    for (std::size_t j = 0; j < panel_.columns.size(); ++j) {
      result += between(j, "┼") + repeated("─", cell_width_ + 2);
    }
    return result + '\n';
  }

  const Panel& panel_;
  Ink ink_;
  std::size_t cell_width_;
};

}  // namespace

std::string to_text(const Picture& picture, Ink ink) {
  std::string result;
  for (const Panel& panel : picture.panels) {
    if (!result.empty()) result += '\n';
    if (!panel.title.empty()) result += panel.title + '\n';
    result += PanelText(panel, ink).text();
  }
  if (!picture.left_out.empty()) result += picture.left_out + '\n';
  return result;
}

}  // namespace boon::layout
