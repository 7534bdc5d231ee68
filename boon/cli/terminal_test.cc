#include "boon/cli/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "boon/core/progress.h"

namespace boon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Format, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(331'479), "331,479");
  EXPECT_EQ(format_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Format, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(203'456'789), "203 MB");
  EXPECT_EQ(format_bytes(999'999), "1.00 MB");
  EXPECT_EQ(format_bytes(12'340'000'000), "12.3 GB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "18.4 EB");
}

TEST(Format, Durations) {
  EXPECT_EQ(format_duration(92e-6), "92.0 µs");
  EXPECT_EQ(format_duration(0.85), "850 ms");
  EXPECT_EQ(format_duration(0.9999), "1.00 s");
  EXPECT_EQ(format_duration(1.25), "1.25 s");
  EXPECT_EQ(format_duration(59.99), "1 min");
  EXPECT_EQ(format_duration(119.6), "2 min");
  EXPECT_EQ(format_duration(125), "2 min 5 s");
  EXPECT_EQ(format_duration(3599.9), "1 h");
  EXPECT_EQ(format_duration(3780), "1 h 3 min");
  EXPECT_EQ(format_duration(86400 * 2 + 3600 * 5), "2 d 5 h");
  EXPECT_EQ(format_duration(-1), "?");
}

TEST(Printable, ControlsAndBrokenBytesAreEscaped) {
  EXPECT_EQ(printable("Füße 日本 👍"), "Füße 日本 👍");
  EXPECT_EQ(printable("\x1b[2J\n\x7f"), "\\x1b[2J\\x0a\\x7f");
  EXPECT_EQ(printable("a\xFF\xE6\x97"), "a\\xff\\xe6\\x97");
  EXPECT_EQ(printable("\xC2\x85"), "\\xc2\\x85");           // a control character of C1
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xC0\xAF\xED\xA0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80");
}

TEST(DisplayWidth, WideCharactersTakeTwoAndMarksNone) {
  EXPECT_EQ(display_width("king"), 4U);
  EXPECT_EQ(display_width("Füße"), 4U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("👍"), 2U);
}

TEST(Table, ColumnsAlign) {
  Table table({{"word"}, {"distance", Align::right}, {"note"}});
  table.add({"king", "0.5", "x"});
  table.add({"日本国", "12.25", ""});
  table.add({"a\x1b", "1", "y"});
  EXPECT_EQ(table.text(),
            "word    distance  note\n"
            "king         0.5  x\n"
            "日本国     12.25\n"
            "a\\x1b          1  y\n");
}

TEST(ProgressLine, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("Building", 50'000, 200'000, 5, 80),
            "Building  [=====>              ]   25%  50,000 of 200,000  10,000/s  15.0 s left");
  EXPECT_EQ(progress_line("Building", 200'000, 200'000, 20, 58),
            "Building  [==========]  100%  200,000 of 200,000  10,000/s");
}

TEST(ProgressLine, FitsTheTerminal) {
  for (std::size_t width = 1; width < 120; ++width) {
    EXPECT_LE(display_width(progress_line("Größe 日本", 123'456, 999'999, 3, width)), width);
  }
}

TEST(ProgressLine, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(progress_line("Reading", 1234, 0, 0, 80), "Reading  1,234");
  EXPECT_THAT(progress_line("Reading", 0, 10, 5, 80), Not(HasSubstr("left")));
}

// A screen that keeps what is drawn, with a clock that the test moves.
struct FakeScreen {
  std::vector<std::string> drawn;
  double now_s = 100;

  Screen screen(bool interactive = true) {
    return {.write = [this](std::string_view text) { drawn.emplace_back(text); },
            .width = [] { return std::size_t{80}; },
            .now_s = [this] { return now_s; },
            .interactive = interactive};
  }
};

TEST(ProgressBar, DrawsAtMostTenTimesASecondAndErasesItself) {
  FakeScreen fake;
  {
    ProgressBar bar("Building", fake.screen());
    const Progress progress = std::ref(bar);
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_TRUE(progress(i, 1000));
      fake.now_s += 0.001;
    }
    EXPECT_GE(fake.drawn.size(), 9U);
    EXPECT_LE(fake.drawn.size(), 11U);
    EXPECT_THAT(fake.drawn.back(), HasSubstr("1,000/s"));
  }
  EXPECT_EQ(fake.drawn.back(), "\r\x1b[K");
}

TEST(ProgressBar, ANewStageHasItsOwnRate) {
  FakeScreen fake;
  ProgressBar bar("Building", fake.screen());
  bar(0, 100);
  fake.now_s += 100;
  bar(100, 100);
  bar(0, 100);
  fake.now_s += 1;
  bar(50, 100);
  EXPECT_THAT(fake.drawn.back(), HasSubstr("50/s"));
}

TEST(ProgressBar, IsSilentWithoutATerminal) {
  FakeScreen fake;
  {
    ProgressBar bar("Building", fake.screen(false));
    EXPECT_TRUE(bar(1, 2));
  }
  EXPECT_TRUE(fake.drawn.empty());
}

// In a process of its own, since the flag stays set.
TEST(InterruptDeathTest, TheFirstSetsAFlagAndStopsProgress) {
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        FakeScreen fake;
        ProgressBar bar("Building", fake.screen());
        const bool before = !interrupted() && bar(1, 2);
        std::raise(SIGINT);
        std::_Exit(before && interrupted() && !bar(2, 2) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::_Exit(1);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace boon::cli
