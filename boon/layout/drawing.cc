#include "boon/layout/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "boon/layout/coordinates.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

constexpr const char* kEllipsis = "…";

struct Drawn {
  std::string text;
  std::int64_t colour = -1;
  std::int64_t number = 0;  // what shades the cell
};
using DrawnAt = std::function<Drawn(const Tuple& coordinate)>;

// One axis of the grid: a mode, or 1 where the shape has none.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t drawn = 1;
  std::size_t block = 0;

  Axis() = default;
  Axis(const Tuple& mode, std::int64_t limit) : extent(size(mode)), drawn(std::min(extent, limit)) {
    block = static_cast<std::size_t>(std::min(first_part(mode), drawn));
  }

  // The size of the first of several parts; 0 where there is but one. Parts of extent 1 are none.
  static std::int64_t first_part(const Tuple& mode) {
    if (mode.is_leaf()) return 0;
    for (int i = 0; i < rank(mode); ++i) {
      const Tuple part = boon::layout::mode(mode, i);
      if (size(part) > 1) return size(part) < size(mode) ? size(part) : first_part(part);
    }
    return 0;
  }

  bool cut() const { return drawn < extent; }
  std::vector<std::string> labels() const {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < drawn; ++i) result.push_back(std::to_string(i));
    if (cut()) result.emplace_back(kEllipsis);
    return result;
  }
};

// The modes after the first two as a tuple; 1 where there are none.
Tuple further_modes(const Tuple& shape) {
  Tuple result;
  for (int i = 2; i < rank(shape); ++i) result.append(size(mode(shape, i)));
  return result.count == 0 ? Tuple(1) : result.grouped();
}

// (row, column, further…), or the column alone.
Tuple coordinate_of(const Tuple& shape, std::int64_t row, std::int64_t column, const Tuple& further) {
  if (rank(shape) == 1) return column;
  Tuple result;
  result.append(row);
  result.append(column);
  if (rank(shape) == 2) return result.grouped();
  for (int i = 0; i < further.count; ++i) result.append(further.value[i]);
  return result.grouped();
}

std::string panel_title(const Tuple& shape, const Tuple& further) {
  if (rank(shape) <= 2) return "";
  std::string title = "(_,_";
  for (int i = 0; i < further.count; ++i) title += fmt::format(",{}", further.value[i]);
  return title + ")";
}

std::string what_is_left_out(const Axis& rows, const Axis& columns, const Axis& panels) {
  std::string text;
  const auto add = [&](const Axis& axis, const char* what) {
    if (axis.cut()) text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", axis.drawn, axis.extent, what);
  };
  add(rows, "rows");
  add(columns, "columns");
  add(panels, "slices");
  return text.empty() ? text : "drawn: " + text;
}

void shade(Picture& picture, const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  const auto [low, high] = std::ranges::minmax(numbers);
  const double range = static_cast<double>(high) - static_cast<double>(low);
  std::size_t next = 0;
  for (Panel& panel : picture.panels) {
    for (Cell& cell : panel.cells) {
      if (cell.text == kEllipsis) continue;
      const double above = static_cast<double>(numbers[next++]) - static_cast<double>(low);
      cell.shade = range > 0 ? above / range : 0;
    }
  }
}

Picture draw_grid(const Tuple& shape, std::string title, const DrawingOptions& options, const DrawnAt& drawn_at) {
  const bool flat = rank(shape) == 1;
  const Axis rows = flat ? Axis() : Axis(mode(shape, 0), options.rows);
  const Axis columns(mode(shape, flat ? 0 : 1), options.columns);
  const Tuple further = further_modes(shape);
  const Axis panels(size(further), options.panels);
  Picture picture{.title = std::move(title), .panels = {}, .left_out = what_is_left_out(rows, columns, panels)};
  std::vector<std::int64_t> numbers;
  for (std::int64_t p = 0; p < panels.drawn; ++p) {
    const Tuple at = idx2crd(p, further);
    Panel panel{.title = panel_title(shape, at),
                .columns = columns.labels(),
                .rows = flat ? std::vector<std::string>() : rows.labels(),
                .cells = {},
                .column_block = columns.block,
                .row_block = rows.block};
    for (std::int64_t i = 0; i < rows.drawn; ++i) {
      for (std::int64_t j = 0; j < columns.drawn; ++j) {
        Drawn drawn = drawn_at(coordinate_of(shape, i, j, at));
        panel.cells.push_back({.text = std::move(drawn.text), .colour = drawn.colour});
        numbers.push_back(drawn.number);
      }
      if (columns.cut()) panel.cells.push_back({.text = kEllipsis});
    }
    if (rows.cut()) panel.cells.resize(panel.rows.size() * panel.columns.size(), {.text = kEllipsis});
    picture.panels.push_back(std::move(panel));
  }
  shade(picture, numbers);
  return picture;
}

Drawn drawn_offset(std::int64_t offset, const DrawingOptions& options) {
  const std::int64_t banks = options.banks;
  return {
      .text = std::to_string(offset), .colour = banks > 0 ? (offset % banks + banks) % banks : -1, .number = offset};
}

}  // namespace

Picture draw(const Layout& layout, std::string title, const DrawingOptions& options) {
  return draw(Slice{layout, 0}, std::move(title), options);
}

Picture draw(const Slice& slice, std::string title, const DrawingOptions& options) {
  return draw_grid(slice.layout.shape, std::move(title), options, [&](const Tuple& coordinate) -> Drawn {
    const Tuple value = evaluate(slice, coordinate);
    if (value.is_leaf()) return drawn_offset(value.value[0], options);
    return {.text = to_string(value)};
  });
}

Picture draw(const ComposedLayout<Swizzle>& composed, std::string title, const DrawingOptions& options) {
  const Slice inside{composed.layout, composed.offset};
  return draw_grid(inside.layout.shape, std::move(title), options, [&](const Tuple& coordinate) -> Drawn {
    return drawn_offset(composed.function(evaluate(inside, coordinate).value[0]), options);
  });
}

Picture draw(const ThreadValue& tv, std::string title, const DrawingOptions& options) {
  const std::int64_t threads = size(mode(tv.tv, 0));
  return draw_grid(tv.tile.shape, std::move(title), options, [&](const Tuple& coordinate) -> Drawn {
    const std::int64_t holder = tv.tile(coordinate);
    return {.text = fmt::format("T{}V{}", holder % threads, holder / threads), .colour = holder % threads};
  });
}

}  // namespace boon::layout
