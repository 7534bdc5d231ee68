#include "boon/layout/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "boon/core/error.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string drawn(std::string_view layout, const DrawingOptions& options = {}) {
  return to_text(draw(parse_layout(layout), "", options));
}

TEST(Drawing, TwoModesAreAGridOfOffsets) {
  EXPECT_EQ(drawn("(4,3):(1,8)"),
            "   │  0   1   2\n"
            "───┼────────────\n"
            " 0 │  0   8  16\n"
            " 1 │  1   9  17\n"
            " 2 │  2  10  18\n"
            " 3 │  3  11  19\n");
}

TEST(Drawing, OneModeIsARow) {
  EXPECT_EQ(drawn("4:3"),
            " 0  1  2  3\n"
            "────────────\n"
            " 0  3  6  9\n");
  EXPECT_EQ(drawn("1:0"), " 0\n───\n 0\n");
  EXPECT_EQ(drawn("(4):(3)"), drawn("4:3"));
}

TEST(Drawing, RulesStandBetweenTiles) {
  EXPECT_EQ(drawn("((2,2),(3,2)):((1,2),(4,12))"),
            "   │  0   1   2 │  3   4   5\n"
            "───┼────────────┼────────────\n"
            " 0 │  0   4   8 │ 12  16  20\n"
            " 1 │  1   5   9 │ 13  17  21\n"
            "───┼────────────┼────────────\n"
            " 2 │  2   6  10 │ 14  18  22\n"
            " 3 │  3   7  11 │ 15  19  23\n");
  EXPECT_EQ(drawn("(2,2):(1,2)"), drawn("((2,1),(1,2)):((1,0),(0,2))")) << "a tile of one is no tile";
  EXPECT_EQ(drawn("(2,((2,2),1)):(4,((1,8),0))"), drawn("(2,(2,2)):(4,(1,8))")) << "nor is the whole one";
}

TEST(Drawing, FurtherModesAreSlices) {
  EXPECT_EQ(drawn("(2,1,(2,1)):(1,0,(2,0))"),
            "(_,_,0)\n"
            "   │ 0\n"
            "───┼───\n"
            " 0 │ 0\n"
            " 1 │ 1\n"
            "\n"
            "(_,_,1)\n"
            "   │ 0\n"
            "───┼───\n"
            " 0 │ 2\n"
            " 1 │ 3\n");
  EXPECT_THAT(drawn("(1,1,2,2)"), HasSubstr("(_,_,1,1)\n"));
}

TEST(Drawing, WhatDoesNotFitIsLeftOutAndSaid) {
  EXPECT_EQ(drawn("(3,4,5)", {.rows = 2, .columns = 3, .panels = 1}),
            "(_,_,0)\n"
            "   │ 0  1  2  …\n"
            "───┼────────────\n"
            " 0 │ 0  3  6  …\n"
            " 1 │ 1  4  7  …\n"
            " … │ …  …  …  …\n"
            "drawn: 2 of 3 rows, 3 of 4 columns, 1 of 5 slices\n");
  EXPECT_LT(drawn("(2305843009213693952,2):(1,0)").size(), 10000U);
}

TEST(Drawing, NegativeOffsetsAndCoordinatesFit) {
  EXPECT_EQ(drawn("3:-10"), "   0    1    2\n───────────────\n   0  -10  -20\n");
  EXPECT_THAT(drawn("(2,2):(E0,E1)"), HasSubstr(" 1 │ (1,0)  (1,1)\n"));
}

TEST(Drawing, SlicesBeginAtTheirOrigin) {
  const Picture picture = draw(slice(parse_layout("(4,3):(1,8)"), parse_tuple("(2,_)")), "");
  EXPECT_THAT(to_text(picture), HasSubstr("  2  10  18\n"));
}

TEST(Drawing, SwizzlesAreDrawnAsTheyLie) {
  const Picture picture = draw(composition(Swizzle(1, 0, 2), parse_layout("(4,2):(1,4)")), "");
  EXPECT_EQ(to_text(picture), "   │ 0  1\n───┼──────\n 0 │ 0  5\n 1 │ 1  4\n 2 │ 2  7\n 3 │ 3  6\n");
}

TEST(Drawing, ThreadsAndValuesStandInTheirPlaces) {
  const ThreadValue tv = make_tv_layout(parse_layout("(1,2)"), parse_layout("(2,1)"));
  EXPECT_EQ(to_text(draw(tv, "")),
            "   │    0     1\n"
            "───┼────────────\n"
            " 0 │ T0V0  T1V0\n"
            " 1 │ T0V1  T1V1\n");
}

// Each cell against the layout that goes the other way: tv(thread, value) is the place in the tile.
TEST(Drawing, CellsAgreeWithTheThreadValueLayout) {
  const ThreadValue tv = make_tv_layout(parse_layout("(2,3):(3,1)"), parse_layout("(2,2):(2,1)"));
  const Panel panel = draw(tv, "").panels.at(0);
  const auto rows = static_cast<std::int64_t>(panel.rows.size());
  for (std::int64_t thread = 0; thread < 6; ++thread) {
    for (std::int64_t value = 0; value < 4; ++value) {
      const std::int64_t place = tv.tv(thread, value);
      const auto cell =
          static_cast<std::size_t>(place % rows) * panel.columns.size() + static_cast<std::size_t>(place / rows);
      EXPECT_EQ(panel.cells.at(cell).text, "T" + std::to_string(thread) + "V" + std::to_string(value));
      EXPECT_EQ(panel.cells.at(cell).colour, thread);
    }
  }
}

TEST(Drawing, ColoursAreForTerminals) {
  const Picture threads = draw(make_tv_layout(Layout(2, 1), Layout(2, 1)), "");
  EXPECT_THAT(to_text(threads), Not(HasSubstr("\x1b")));
  EXPECT_THAT(to_text(threads, Ink::ansi), HasSubstr("\x1b[38;5;16;48;5;153m T0V0 \x1b[0m"));
  const Picture offsets = draw(parse_layout("(4,3):(1,8)"), "");
  EXPECT_THAT(to_text(offsets, Ink::ansi), Not(HasSubstr("\x1b")));
}

// Down a column of rows of eight all offsets are in one bank; a swizzle spreads them.
TEST(Drawing, BanksAreColours) {
  const auto column = [](const Picture& picture) {
    std::set<std::int64_t> colours;
    for (std::size_t i = 0; i < 8; ++i) colours.insert(picture.panels.at(0).cells.at(8 * i).colour);
    return colours.size();
  };
  const Layout rows = parse_layout("(8,8):(8,1)");
  EXPECT_EQ(column(draw(rows, "", {.banks = 8})), 1U);
  EXPECT_EQ(column(draw(composition(Swizzle(3, 0, 3), rows), "", {.banks = 8})), 8U);
  EXPECT_EQ(draw(Layout(2, -3), "", {.banks = 8}).panels.at(0).cells.at(1).colour, 5);
}

TEST(Drawing, SvgHoldsEveryCellAndATitle) {
  const std::string svg = to_svg(draw(parse_layout("(4,3):(1,8)"), "<4> & \"more\""));
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;4&gt; &amp; \"more\"</title>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  for (const int offset : {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19}) {
    EXPECT_THAT(svg, HasSubstr("class=\"value\">" + std::to_string(offset) + "</text>"));
  }
}

TEST(Drawing, SvgGivesEachThreadAColourOfItsOwn) {
  const std::string svg = to_svg(draw(make_tv_layout(Layout(6, 1), Layout(2, 1)), ""));
  std::vector<std::string> colours;
  for (std::size_t at = svg.find("fill: #", svg.find("</style>")); at != std::string::npos;
       at = svg.find("fill: #", at + 1)) {
    colours.push_back(svg.substr(at + 6, 7));
  }
  ASSERT_EQ(colours.size(), 12U);
  for (std::size_t i = 0; i < colours.size(); i += 2) {
    EXPECT_EQ(colours[i], colours[i + 1]) << "two values of one thread";
    EXPECT_EQ(std::ranges::count(colours, colours[i]), 2) << colours[i];
  }
}

TEST(Drawing, ShadesFollowTheOffsets) {
  const Panel panel = draw(parse_layout("3:5"), "").panels.at(0);
  EXPECT_DOUBLE_EQ(panel.cells.at(0).shade, 0);
  EXPECT_DOUBLE_EQ(panel.cells.at(1).shade, 0.5);
  EXPECT_DOUBLE_EQ(panel.cells.at(2).shade, 1);
}

}  // namespace
}  // namespace boon::layout
