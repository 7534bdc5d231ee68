// Bounds of a measured recall, the beam that a recall takes, and tables as they are stored.
#include "boon/index/recall_tables.h"

#include <gmock/gmock.h>

#include <cstring>

#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

Calibration table_of(std::size_t k, std::vector<CalibrationPoint> points, std::size_t live = 1000) {
  return {.k = k, .queries = 100, .own_rows = true, .live = live, .changed = 0, .points = std::move(points)};
}
Calibration usual(std::size_t k = 10) {
  return table_of(k, {{10, .8, .78}, {20, .9, .89}, {40, .96, .95}});
}

// Agresti & Coull's interval, computed by hand: 90 of 100 and 2.7 more of which half are found.
TEST(RecallTables, BoundsAreThoseOfAgrestiAndCoull) {
  std::vector<double> recalls(100, 1);
  std::fill_n(recalls.begin(), 10, 0);
  const CalibrationPoint point = point_of(7, recalls);
  EXPECT_EQ(point.beam, 7U);
  EXPECT_DOUBLE_EQ(point.recall, .9);
  const double n = 100 + 2.705543, p = (90 + 2.705543 / 2) / n;
  EXPECT_NEAR(point.recall_min, p - 1.644854 * std::sqrt(p * (1 - p) / n), 1e-6);
}

TEST(RecallTables, ABoundLeavesRoomWhereAllWasFound) {
  EXPECT_NEAR(point_of(10, std::vector<double>(1000, 1)).recall_min, .9967, .0002);
  EXPECT_LT(point_of(10, std::vector<double>(10, 1)).recall_min, .8);
  EXPECT_EQ(point_of(10, std::vector<double>(10, 0)).recall_min, 0);
}

// Of samples of queries, nearly all put the bound below the true mean: if each finds all or nothing, and if what they
// find is spread out.
TEST(RecallTables, BoundsHoldForNearlyAllSamples) {
  Random random(5);
  for (const double mean : {.9, .99}) {
    for (const std::size_t answers : {1, 10}) {
      int held = 0;
      for (int trial = 0; trial < 1000; ++trial) {
        std::vector<double> recalls(300);
        for (double& recall : recalls) {
          for (std::size_t i = 0; i < answers; ++i) {
            recall += random.uniform() < mean ? 1 / static_cast<double>(answers) : 0;
          }
        }
        held += point_of(1, recalls).recall_min <= mean ? 1 : 0;
      }
      EXPECT_GE(held, 930) << mean << ", " << answers;
    }
  }
}

TEST(RecallTables, TheLeastBeamWhoseBoundReachesTheRecallIsTaken) {
  RecallTables tables;
  tables.put(usual());
  EXPECT_EQ(tables.beam_for(10, .5), 10U);
  EXPECT_EQ(tables.beam_for(10, .79), 20U);
  EXPECT_EQ(tables.beam_for(10, .9), 40U);
  EXPECT_EQ(tables.beam_for(10, .955), std::nullopt);
}

TEST(RecallTables, AnotherKTakesALargerTableOrGrowsASmallerInProportion) {
  RecallTables tables;
  tables.put(usual(100));
  tables.put(table_of(10, {{15, .85, .85}}));
  EXPECT_EQ(tables.beam_for(1, .85), 15U);
  EXPECT_EQ(tables.beam_for(10, .85), 15U);
  EXPECT_EQ(tables.beam_for(11, .85), 17U);
  EXPECT_EQ(tables.beam_for(14, .85), 20U);
  EXPECT_EQ(tables.beam_for(11, .9), 40U) << "where the smaller one does not say";
  EXPECT_EQ(tables.beam_for(100, .85), 20U);
  EXPECT_EQ(tables.beam_for(101, .85), 21U);
  EXPECT_EQ(tables.beam_for(250, .85), 50U);
}

TEST(RecallTables, ChangesMakeATableStale) {
  RecallTables tables;
  tables.put(usual());
  tables.count_changed(100);
  EXPECT_EQ(tables.beam_for(10, .5), 10U);
  tables.put(usual(50));
  tables.count_changed(1);
  EXPECT_EQ(tables.all()[0].changed, 101U);
  EXPECT_TRUE(tables.all()[0].stale());
  EXPECT_EQ(tables.all()[1].changed, 1U);
  // The stale one is passed over, and gone with the next.
  EXPECT_EQ(tables.beam_for(10, .5), 10U);
  tables.put(usual(60));
  ASSERT_EQ(tables.all().size(), 2U);
  EXPECT_EQ(tables.all()[0].k, 50U);
  tables.count_changed(101);
  EXPECT_THAT(thrown_by([&] { tables.beam_for(10, .5); }).message, HasSubstr("1000 vectors and 101 have changed"));
}

TEST(RecallTables, WithoutAnyTheErrorSaysWhatToDo) {
  const Thrown thrown = thrown_by([] { RecallTables().beam_for(10, .9); });
  EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
  EXPECT_THAT(thrown.message, HasSubstr("boon calibrate FILE"));
}

TEST(RecallTables, AreStoredWithWhatHasChanged) {
  RecallTables tables;
  EXPECT_TRUE(tables.stored().empty());
  tables.put(usual());
  tables.put(table_of(100, {{100, .9, .9}}));
  tables.count_changed(7);
  RecallTables again;
  again.adopt(tables.stored());
  EXPECT_EQ(again.all(), tables.all());
  EXPECT_EQ(again.all()[0].changed, 7U);
  again.adopt({});
  EXPECT_TRUE(again.all().empty());
}

TEST(RecallTables, TablesThatCannotHaveBeenMeasuredAreRefused) {
  RecallTables tables;
  tables.put(usual());
  tables.put(usual(20));
  const std::vector<std::byte> whole = tables.stored();
  ASSERT_EQ(whole.size(), 2 * (40U + 3 * 24U));
  const auto refused = [](std::vector<std::byte> bytes) {
    RecallTables adopting;
    return thrown_by([&] { adopting.adopt(bytes); }).code == ErrorCode::corrupted;
  };
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (size == whole.size() / 2) continue;  // one table
    EXPECT_TRUE(refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
  const auto with = [&](std::size_t at, auto value) {
    std::vector<std::byte> bytes = whole;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
  };
  const std::uint64_t none = 0, ten = 10;
  EXPECT_TRUE(refused(with(0, none))) << "k";
  EXPECT_TRUE(refused(with(8, none))) << "queries";
  EXPECT_TRUE(refused(with(16, none))) << "live";
  EXPECT_TRUE(refused(with(32, std::uint32_t{2}))) << "kind of queries";
  EXPECT_TRUE(refused(with(36, std::uint32_t{0}))) << "points";
  EXPECT_TRUE(refused(with(36, ~std::uint32_t{0}))) << "points";
  EXPECT_TRUE(refused(with(40, none))) << "beam";
  EXPECT_TRUE(refused(with(40 + 24, ten))) << "beam";
  EXPECT_TRUE(refused(with(40 + 48, std::uint64_t{1} << 31))) << "beam";
  for (const double wrong : {std::nan(""), -.1, 1.1, std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(refused(with(40 + 8, wrong))) << wrong;
    EXPECT_TRUE(refused(with(40 + 16, wrong))) << wrong;
  }
  EXPECT_TRUE(refused(with(40 + 24 + 8, .7))) << "recall falls";
  EXPECT_TRUE(refused(with(whole.size() / 2, ten))) << "k twice";
}

}  // namespace
}  // namespace boon::index
