#include "boon/cli/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace boon::cli {
namespace {

using testing::ElementsAre;

SweepPoint point(double recall, double qps) {
  return {.beam = 0, .recall = recall, .qps = qps, .qps_median = qps / 2};
}

std::vector<double> recalls(const std::vector<SweepPoint>& points) {
  std::vector<double> result;
  for (const SweepPoint& each : points) result.push_back(each.recall);
  return result;
}

std::vector<std::size_t> beams(const std::vector<SweepPoint>& points) {
  std::vector<std::size_t> result;
  for (const SweepPoint& each : points) result.push_back(each.beam);
  return result;
}

TEST(Frontier, KeepsWhatNoOtherBeats) {
  const std::vector<SweepPoint> points = {point(0.9, 100), point(0.8, 200), point(0.85, 90), point(0.95, 50)};
  EXPECT_THAT(recalls(frontier(points)), ElementsAre(0.8, 0.9, 0.95));
}

TEST(Frontier, KeepsTheFasterOfEqualRecall) {
  const auto best = frontier(std::vector<SweepPoint>{point(0.9, 100), point(0.9, 120), point(0.9, 110)});
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].qps, 120);
}

TEST(SpeedAtRecall, LiesOnTheLineOfTheLogarithm) {
  const std::vector<SweepPoint> points = {point(0.8, 400), point(1.0, 100)};
  EXPECT_NEAR(*speed_at(points, 0.9), 200, 1e-9);
  EXPECT_NEAR(*speed_at(points, 0.9, &SweepPoint::qps_median), 100, 1e-9);
}

TEST(SpeedAtRecall, IsThatOfTheFastestPointWhereAllHaveMore) {
  EXPECT_EQ(speed_at(std::vector<SweepPoint>{point(0.95, 300), point(0.99, 100)}, 0.9), 300);
}

TEST(SpeedAtRecall, IsUnknownWhereNoneComesThatFar) {
  EXPECT_EQ(speed_at(std::vector<SweepPoint>{point(0.8, 300)}, 0.9), std::nullopt);
  EXPECT_EQ(speed_at({}, 0.9), std::nullopt);
}

// A line of ten points, asked at 0. A runner answers rightly from the beam `good_from` on.
class SweepTest : public testing::Test {
 protected:
  Runner runner(const std::string& name, std::size_t good_from) {
    return {.name = name,
            .search =
                [=, this](std::span<const float>, std::size_t beam, std::span<Id> answers) {
                  log_ += name[0];
                  answers[0] = beam >= good_from ? 0 : 9;
                },
            .work =
                [](std::span<const float> queries, std::size_t beam) {
                  return graph::SearchStatistics{.hops = queries.size() * beam,
                                                 .distances = queries.size() * beam * 10};
                }};
  }
  std::vector<std::vector<SweepPoint>> sweep_all(const std::vector<Runner>& runners, const SweepOptions& options) {
    const Judge judge(Metric::l2, 1, query_, nearest_, 1, rows_of(line_, 1));
    return sweep(runners, judge, options, [this](std::string_view) { ++notices_; });
  }

  std::vector<float> line_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> query_ = {0};
  std::vector<Id> nearest_ = {0};
  std::string log_;
  int notices_ = 0;
};

TEST_F(SweepTest, TheSystemsTakeTurns) {
  sweep_all({runner("a", 0), runner("b", 0)}, {.beams = {1}, .repeat = 3});
  EXPECT_EQ(log_, "abababab");
}

TEST_F(SweepTest, ASystemStopsOnceItsRecallIsEnough) {
  const auto curves = sweep_all({runner("a", 2), runner("b", 3)}, {.beams = {1, 2, 3, 4}, .repeat = 1});
  EXPECT_THAT(beams(curves[0]), ElementsAre(1U, 2U));
  EXPECT_THAT(beams(curves[1]), ElementsAre(1U, 2U, 3U));
  EXPECT_EQ(notices_, 5);
}

TEST_F(SweepTest, WorkIsPerQuery) {
  query_ = {0, 0, 0};
  nearest_ = {0, 0, 0};
  const auto curves = sweep_all({runner("a", 0)}, {.beams = {7}, .repeat = 1});
  EXPECT_EQ(curves[0][0].hops, 7);
  EXPECT_EQ(curves[0][0].distances, 70);
}

TEST_F(SweepTest, BoonItselfIsARunner) {
  Index index({.dim = 1, .metric = Metric::l2, .graph = {}});
  index.add(line_);
  const auto curves = sweep_all({runner_of(index, 1)}, {.beams = {5}, .repeat = 1});
  EXPECT_EQ(curves[0][0].recall, 1.0);
  EXPECT_GT(curves[0][0].qps, 0);
  EXPECT_LE(curves[0][0].qps_median, curves[0][0].qps);
}

TEST_F(SweepTest, AnIndexWithTooFewAnswersPadsThem) {
  Index index({.dim = 1, .metric = Metric::l2, .graph = {}});
  index.add(line_);
  std::vector<Id> answers(12);
  runner_of(index, 12).search(query_, 20, answers);
  EXPECT_EQ(answers[9], 9U);
  EXPECT_EQ(answers[10], kNoId);
}

}  // namespace
}  // namespace boon::cli
