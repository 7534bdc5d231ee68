#include "boon/geometry/sample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "boon/geometry/estimate.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using testing::ElementsAre;

TEST(Sample, IsSortedDistinctAndTheSameForASeed) {
  const auto rows = sample_rows(1000, 100, 1);
  ASSERT_EQ(rows.size(), 100U);
  EXPECT_TRUE(std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end());
  EXPECT_LT(rows.back(), 1000U);
  EXPECT_EQ(rows, sample_rows(1000, 100, 1));
  EXPECT_NE(rows, sample_rows(1000, 100, 2));
  EXPECT_THAT(sample_rows(3, 9, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(sample_rows(0, 9, 1), ElementsAre());
}

TEST(Sample, EveryRowIsAsLikelyAsAnyOther) {
  std::vector<int> counts(10);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    for (const std::uint32_t row : sample_rows(10, 3, seed)) ++counts[row];
  }
  for (const int count : counts) EXPECT_NEAR(count, 900, 110);
}

TEST(Sample, PairsAreOfDifferentRows) {
  std::map<Pair, int> counts;
  for (const Pair& pair : sample_pairs(4, 12'000, 1)) {
    EXPECT_NE(pair.first, pair.second);
    ++counts[pair];
  }
  EXPECT_EQ(counts.size(), 12U);
  for (const auto& [pair, count] : counts) EXPECT_NEAR(count, 1000, 130);
  EXPECT_TRUE(sample_pairs(1, 10, 1).empty());
}

TEST(Sample, DistinctRowsAreTheFirstOfTheirKind) {
  const std::vector<float> values{1, 2, 0, 0, 1, 2, -0.0F, 0, 2, 1};
  EXPECT_THAT(distinct_rows({.data = values.data(), .count = 5, .dim = 2}), ElementsAre(0, 1, 4));
}

TEST(Bootstrap, CoversTheMeanAsOftenAsItSays) {
  int covered = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    const Cloud cloud = normal_cloud(100, 1, static_cast<std::uint64_t>(run) + 1);
    const Estimate mean = bootstrap(100, 7, [&](Weights weights) {
      double sum = 0;
      for (std::size_t i = 0; i < 100; ++i) sum += weights[i] * static_cast<double>(cloud.values[i]);
      return sum / 100;
    });
    covered += mean.low <= 0 && 0 <= mean.high ? 1 : 0;
  }
  EXPECT_NEAR(covered, 0.94 * kRuns, 10);
}

TEST(Estimate, OfFewValues) {
  EXPECT_EQ(spread_of({}).sd, 0);
  const std::vector<double> one{3}, three{1, 2, 6};
  EXPECT_EQ(spread_of(one).mean, 3);
  EXPECT_EQ(spread_of(one).sd, 0);
  EXPECT_DOUBLE_EQ(spread_of(three).sd, std::sqrt(7));
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile(three, 0.5), 2);
  EXPECT_EQ(quantile(three, 0.75), 4);
  EXPECT_EQ(quantile(three, 1), 6);
  EXPECT_NEAR(mean_estimate(1, 2, 400).high, 1.196, 1e-3);
}

}  // namespace
}  // namespace boon::geometry
