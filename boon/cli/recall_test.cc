#include "boon/cli/recall.h"

#include <gtest/gtest.h>

#include <vector>

namespace boon::cli {
namespace {

// Points 0, 1, 2, 2 and 9 on a line, asked from -1.
class RecallTest : public testing::Test {
 protected:
  double recall(const std::vector<Id>& answers, Id kth_nearest) const {
    const Judge judge(Metric::l2, 1, query_, std::vector<Id>{kth_nearest}, answers.size(), rows_of(line_, 1));
    return judge.recall(answers);
  }

  std::vector<float> line_ = {0, 1, 2, 2, 9};
  std::vector<float> query_ = {-1};
};

TEST_F(RecallTest, TheNearestAreAllRight) {
  EXPECT_EQ(recall({0, 1}, 1), 1.0);
}

TEST_F(RecallTest, AFartherOneIsWrong) {
  EXPECT_EQ(recall({0, 4}, 1), 0.5);
}

TEST_F(RecallTest, EitherOfATieIsRight) {
  EXPECT_EQ(recall({0, 1, 2}, 3), 1.0);
  EXPECT_EQ(recall({0, 1, 3}, 2), 1.0);
}

TEST_F(RecallTest, AnIdGivenTwiceCountsOnce) {
  EXPECT_EQ(recall({0, 0}, 1), 0.5);
}

TEST_F(RecallTest, NoAnswerIsNoRightAnswer) {
  EXPECT_EQ(recall({kNoId, 5}, 1), 0.0);
}

TEST(Recall, IsTheMeanOverTheQueries) {
  const std::vector<float> base = {1, 0, 0, 1};
  const std::vector<float> queries = {5, 1, 1, 5};
  const Judge judge(Metric::cosine, 2, queries, std::vector<Id>{0, 1}, 1, rows_of(base, 2));
  EXPECT_EQ(judge.recall(std::vector<Id>{0, 1}), 1.0);
  EXPECT_EQ(judge.recall(std::vector<Id>{0, 0}), 0.5);
  EXPECT_EQ(judge.recall(std::vector<Id>{1, 0}), 0.0);
}

TEST(Recall, DistancesAreThoseOfTheMetric) {
  const std::vector<float> a = {3, 4};
  const std::vector<float> b = {4, 3};
  EXPECT_DOUBLE_EQ(exact_distance(Metric::l2, a, b), 2);
  EXPECT_DOUBLE_EQ(exact_distance(Metric::inner_product, a, b), -23);
  EXPECT_DOUBLE_EQ(exact_distance(Metric::cosine, a, b), 1 - 24.0 / 25.0);
}

TEST(Recall, AnEqualDirectionIsRightWhateverItsLength) {
  const std::vector<float> base = {0.1F, 0.7F, 0.3F, 2.1F};
  const std::vector<float> query = {0.3F, 2.1F};
  const Judge judge(Metric::cosine, 2, query, std::vector<Id>{1}, 1, rows_of(base, 2));
  EXPECT_EQ(judge.recall(std::vector<Id>{0}), 1.0);
}

}  // namespace
}  // namespace boon::cli
