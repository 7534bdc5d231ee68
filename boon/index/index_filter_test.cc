// Filters and distance limits: answers are full, allowed, and those brute force gives.
#include <gmock/gmock.h>

#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

constexpr std::size_t kDim = 10;
constexpr std::size_t kRows = 6000;

class Filtered : public ::testing::Test {
 protected:
  Filtered() { index_.add(rows_); }

  // Searches under the filter, once by each kind of it, and compares with brute force.
  void expect_full(const std::function<bool(std::size_t)>& allowed, double recall_min) {
    std::vector<Id> ids;
    std::vector<std::uint64_t> words(kRows / 64 + 1, 0);
    for (std::size_t row = 0; row < kRows; ++row) {
      if (!allowed(row)) continue;
      ids.push_back(row);
      words[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    const Filter filters[] = {Filter::where(allowed), Filter::only(ids), Filter::bitmap(words)};
    for (const Filter& filter : filters) {
      double sum = 0;
      for (std::size_t q = 0; q < 40; ++q) {
        const auto query = row_of(queries_, q, kDim);
        const auto matches = index_.search(query, 10, {.beam = 64, .filter = filter});
        EXPECT_EQ(matches.size(), std::min<std::size_t>(10, ids.size()));
        for (const Match& match : matches) EXPECT_TRUE(allowed(match.id));
        sum += recall(matches, true_nearest(Metric::l2, rows_, kDim, query, 10, allowed));
      }
      EXPECT_GE(sum / 40, recall_min);
    }
  }

  std::vector<float> rows_ = random_rows(kRows, kDim, 1);
  std::vector<float> queries_ = random_rows(40, kDim, 2);
  Index index_{{.dim = kDim, .metric = Metric::l2}};
};

TEST_F(Filtered, HalfAllowed) {
  expect_full([](std::size_t row) { return row % 2 == 0; }, 0.97);
}
TEST_F(Filtered, OneInTwenty) {
  expect_full([](std::size_t row) { return row % 20 == 3; }, 0.97);
}
TEST_F(Filtered, FewAllowedAreSearchedExactly) {
  expect_full([](std::size_t row) { return row % 400 == 3; }, 1);
}
TEST_F(Filtered, FewerThanAskedForAreAllGiven) {
  expect_full([](std::size_t row) { return row == 5 || row == 77 || row == 5999; }, 1);
}
TEST_F(Filtered, NoneAllowed) {
  expect_full([](std::size_t) { return false; }, 1);
}
// The allowed lie in one far corner, away from where most queries begin.
TEST_F(Filtered, AllowedAndNearAreDifferentPlaces) {
  expect_full([this](std::size_t row) { return rows_[row * kDim] > 1.3F; }, 0.97);
}

TEST_F(Filtered, IdsNotInTheIndexDoNoHarm) {
  const std::vector<Id> ids{3, 3, 123456789, 4};
  EXPECT_EQ(index_.search(row_of(queries_, 0, kDim), 10, {.filter = Filter::only(ids)}).size(), 2U);
  const std::vector<Id> none;
  EXPECT_TRUE(index_.search(row_of(queries_, 0, kDim), 10, {.filter = Filter::only(none)}).empty());
}

TEST_F(Filtered, VectorsAddedLaterDoNotPassAFilterThatMatchesNothing) {
  index_.add(random_rows(100, kDim, 3));
  const auto matches =
      index_.search(row_of(queries_, 0, kDim), 10, {.filter = Filter::where([](Id id) { return id > 1000000; })});
  EXPECT_TRUE(matches.empty());
}

TEST_F(Filtered, BruteExampleOfTwoAllowedOfThree) {
  Index index({.dim = 1, .metric = Metric::l2});
  index.add(std::vector<float>{0, 1, 2});
  const std::vector<Id> allowed{0, 2};
  for (const bool exact : {false, true}) {
    const auto matches = index.search(std::vector<float>{0}, 2, {.exact = exact, .filter = Filter::only(allowed)});
    EXPECT_EQ(matches, (std::vector<Match>{{0, 0}, {2, 4}}));
  }
}

TEST_F(Filtered, RangeGivesAllThatIsNear) {
  std::size_t given = 0;
  std::size_t wanted = 0;
  for (std::size_t q = 0; q < 40; ++q) {
    const auto query = row_of(queries_, q, kDim);
    const auto all = true_nearest(Metric::l2, rows_, kDim, query, kRows);
    const auto limit = static_cast<float>(all[q * 20] + 1e-4);
    const auto matches = index_.search_range(query, {.max_distance = limit});
    for (std::size_t i = 0; i < matches.size(); ++i) {
      EXPECT_LE(matches[i].distance, limit);
      if (i > 0) {
        EXPECT_LE(matches[i - 1].distance, matches[i].distance);
      }
    }
    given += matches.size();
    wanted += static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), limit) - all.begin());
  }
  EXPECT_GE(static_cast<double>(given), 0.98 * static_cast<double>(wanted));
  EXPECT_EQ(index_.search_range(row_of(queries_, 0, kDim), {.max_distance = 1e30F}).size(), kRows);
  EXPECT_TRUE(index_.search_range(row_of(queries_, 0, kDim), {.max_distance = -1}).empty());
}

TEST_F(Filtered, ThresholdCutsTheAnswer) {
  const auto query = row_of(queries_, 0, kDim);
  const auto all = index_.search(query, 10);
  const auto some = index_.search(query, 10, {.max_distance = all[4].distance});
  EXPECT_EQ(some.size(), 5U);
}

}  // namespace
}  // namespace boon::index
