// Pictures of layouts: which offset stands at each coordinate, or which thread holds each place of a tile.
//
// Mode 0 goes down and mode 1 to the right; each coordinate of further modes has a panel of its own. Rules stand
// between the blocks that the first part of a nested mode makes, so that tiles are seen as such.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boon/layout/partition.h"
#include "boon/layout/swizzle.h"
#include "boon/layout/thread_value.h"

namespace boon::layout {

struct Cell {
  std::string text;
  std::int64_t colour = -1;  // a number for each thread, or bank; -1: none
  double shade = 0;          // from 0 for the smallest value to 1 for the largest
};

struct Panel {
  std::string title;                 // "(_,_,2)"; empty where there is but one
  std::vector<std::string> columns;  // their coordinates
  std::vector<std::string> rows;     // none where the layout has but one mode
  std::vector<Cell> cells;           // row after row
  std::size_t column_block = 0;      // columns between rules; 0: no rules
  std::size_t row_block = 0;
};

struct Picture {
  std::string title;
  std::vector<Panel> panels;
  std::string left_out;  // says what did not fit
};

struct DrawingOptions {
  // What lies beyond is left out, with an ellipsis in its place.
  std::int64_t rows = 32;
  std::int64_t columns = 32;
  std::int64_t panels = 8;
  // Colours by offset modulo so many, which shows who meets in a bank of memory; 0 shades by offset.
  std::int64_t banks = 0;
};

// The offset, or the coordinate, at each coordinate.
Picture draw(const Layout& layout, std::string title, const DrawingOptions& options = {});
Picture draw(const Slice& slice, std::string title, const DrawingOptions& options = {});
Picture draw(const ComposedLayout<Swizzle>& composed, std::string title, const DrawingOptions& options = {});
// Of each place of the tile the thread and its value: "T3V1" is value 1 of thread 3.
Picture draw(const ThreadValue& tv, std::string title, const DrawingOptions& options = {});

// Lines, each with its end, without the title.
enum class Ink { plain, ansi };  // ansi: with the colours of a terminal that has 256
std::string to_text(const Picture& picture, Ink ink = Ink::plain);

// A whole SVG file that is legible on light and on dark pages.
std::string to_svg(const Picture& picture);

}  // namespace boon::layout
