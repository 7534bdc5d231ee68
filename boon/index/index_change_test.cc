// Removing, replacing, compacting: what was removed is never answered, what is live always finds itself, room is
// reused.
#include <gmock/gmock.h>

#include <set>

#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

constexpr std::size_t kDim = 12;

std::vector<Id> range(Id first, Id last) {
  std::vector<Id> ids(last - first);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

double mean_recall(const Index& index, const std::vector<float>& rows, const std::vector<float>& queries) {
  double sum = 0;
  const std::size_t count = queries.size() / kDim;
  for (std::size_t q = 0; q < count; ++q) {
    const auto query = row_of(queries, q, kDim);
    sum += recall(index.search(query, 10, {.beam = 40}), true_nearest(index.metric(), rows, kDim, query, 10));
  }
  return sum / static_cast<double>(count);
}

class EachMetricChange : public ::testing::TestWithParam<Metric> {};
INSTANTIATE_TEST_SUITE_P(All, EachMetricChange, ::testing::Values(Metric::l2, Metric::cosine, Metric::inner_product),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(EachMetricChange, RemovedVectorsAreNeverAnswered) {
  const auto rows = random_rows(2500, kDim, 1);
  Index index({.dim = kDim, .metric = GetParam()});
  index.add(rows);
  std::set<Id> gone;
  for (Id id = 0; id < 2500; id += 2) {
    EXPECT_EQ(index.remove({&id, 1}), 1U);
    gone.insert(id);
    if (id % 250 != 0) continue;
    for (const auto& match : index.search(row_of(rows, id, kDim), 20)) EXPECT_FALSE(gone.contains(match.id));
    EXPECT_EQ(index.search(row_of(rows, id, kDim), 20).size(), 20U);
  }
  EXPECT_EQ(index.size(), 1250U);
  expect_all_find_themselves(index);
  EXPECT_EQ(index.remove(std::vector<Id>{0, 2, 4}), 0U);
}

TEST(IndexChange, RemovingTheFirstOfTwoLeavesTheOther) {
  Index index({.dim = 2, .metric = Metric::l2});
  index.add(std::vector<float>{1, 0, 0, 1});
  index.remove(std::vector<Id>{0});
  const auto matches = index.search(std::vector<float>{1, 0}, 2);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].id, 1U);
}

TEST(IndexChange, FilterAndRemovalLeaveOneHit) {
  Index index({.dim = 1, .metric = Metric::l2});
  index.add(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  index.remove(std::vector<Id>{3});
  const std::vector<Id> allowed{3, 8};
  const auto matches = index.search(std::vector<float>{0}, 2, {.filter = Filter::only(allowed)});
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].id, 8U);
}

TEST(IndexChange, ReplacedVectorIsFoundOnceAndNew) {
  const auto rows = random_rows(2000, kDim, 2);
  Index index({.dim = kDim, .metric = Metric::l2});
  index.add(rows);
  const auto moved = random_rows(300, kDim, 3);
  const auto ids = range(100, 400);
  index.add(moved, ids, {.replace = true});
  EXPECT_EQ(index.size(), 2000U);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto matches = index.search(row_of(moved, i, kDim), 1);
    EXPECT_EQ(matches[0].id, ids[i]);
    EXPECT_EQ(matches[0].distance, 0);
  }
  std::set<Id> seen;
  for (const auto& match : index.search(row_of(moved, 0, kDim), 2000)) EXPECT_TRUE(seen.insert(match.id).second);
  EXPECT_EQ(seen.size(), 2000U);
  expect_all_find_themselves(index);
}

TEST(IndexChange, AddRemoveAddAgainKeepsOne) {
  Index index({.dim = 1, .metric = Metric::l2});
  index.add(std::vector<float>{1, 2}, std::vector<Id>{10, 11});
  index.remove(std::vector<Id>{11});
  index.add(std::vector<float>{5}, std::vector<Id>{10}, {.replace = true});
  index.add(std::vector<float>{7}, std::vector<Id>{11});
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.get(10), std::vector<float>{5});
  EXPECT_EQ(index.get(11), std::vector<float>{7});
}

TEST(IndexChange, TenRoundsOfRemovingHalfKeepRecall) {
  auto rows = random_rows(2000, kDim, 4);
  const auto queries = random_rows(200, kDim, 5);
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 8, .build_beam = 60}});
  index.add(rows);
  Random random(6);
  for (int round = 0; round < 10; ++round) {
    std::vector<Id> ids = range(0, 2000);
    for (std::size_t i = 0; i < 1000; ++i) std::swap(ids[i], ids[i + random.below(2000 - i)]);
    ids.resize(1000);
    EXPECT_EQ(index.remove(ids), 1000U);
    const auto fresh = random_rows(1000, kDim, 100 + static_cast<std::uint64_t>(round));
    for (std::size_t i = 0; i < 1000; ++i) {
      std::copy_n(fresh.begin() + static_cast<std::ptrdiff_t>(i * kDim), kDim,
                  rows.begin() + static_cast<std::ptrdiff_t>(ids[i] * kDim));
    }
    index.add(fresh, ids);
    expect_all_find_themselves(index);
  }
  Index built({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 8, .build_beam = 60}});
  built.add(rows);
  EXPECT_GE(mean_recall(index, rows, queries), mean_recall(built, rows, queries) - 0.01);
}

// Four thousand additions, half removed, a third replaced, again and again, with a reopening between.
TEST(IndexChange, ChurnLosesNobody) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "churn.boon";
  Index index({.dim = kDim, .metric = Metric::cosine});
  Id next = 0;
  Random random(7);
  for (int round = 0; round < 3; ++round) {
    const auto fresh = random_rows(1500, kDim, 200 + static_cast<std::uint64_t>(round));
    index.add(fresh, range(next, next + 1500));
    next += 1500;
    std::vector<Id> ids = index.ids();
    for (std::size_t i = 0; i < ids.size() / 2; ++i) std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
    const std::span<const Id> half(ids.data(), ids.size() / 2);
    index.remove(half);
    expect_all_find_themselves(index);
    const std::size_t third = (ids.size() - half.size()) / 3;
    index.add(random_rows(third, kDim, 300 + static_cast<std::uint64_t>(round)),
              std::span<const Id>(ids).subspan(half.size(), third), {.replace = true});
    expect_all_find_themselves(index);
    index.save(path);
    index = Index::load(path);
    expect_all_find_themselves(index);
  }
  std::filesystem::remove(path);
}

TEST(IndexChange, CopiesDoNotCloseThemselvesOff) {
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    Index index({.dim = kDim, .metric = metric});
    const auto one = random_rows(1, kDim, 8);
    std::vector<float> copies;
    for (int i = 0; i < 1062; ++i) copies.insert(copies.end(), one.begin(), one.end());
    index.add(copies);
    const auto others = random_rows(1000, kDim, 9);
    index.add(others);
    expect_all_find_themselves(index);
    EXPECT_EQ(index.statistics().twins, 1061U);
    if (metric == Metric::inner_product) continue;
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(index.search(row_of(others, i, kDim), 1)[0].id, 1062 + i);
    }
    const auto matches = index.search(one, 1500);
    EXPECT_EQ(matches.size(), 1500U);
    EXPECT_LT(matches[1061].id, 1062U);
  }
}

TEST(IndexChange, HundredCopiesOfFiveVectorsGiveTheRightOnes) {
  Index index({.dim = 5, .metric = Metric::cosine});
  std::vector<float> rows;
  for (std::size_t i = 0; i < 500; ++i) {
    for (std::size_t d = 0; d < 5; ++d) rows.push_back(d == i % 5 ? 1.0F : 0.0F);
  }
  index.add(rows);
  for (std::size_t axis = 0; axis < 5; ++axis) {
    const auto matches = index.search(row_of(rows, axis, 5), 100);
    ASSERT_EQ(matches.size(), 100U);
    for (const auto& match : matches) EXPECT_EQ(match.id % 5, axis);
  }
}

TEST(IndexChange, RemovingCopiesLeavesTheOthers) {
  Index index({.dim = 2, .metric = Metric::l2});
  std::vector<float> rows;
  for (int i = 0; i < 60; ++i) rows.insert(rows.end(), {1, 2});
  const auto others = random_rows(300, 2, 10);
  rows.insert(rows.end(), others.begin(), others.end());
  index.add(rows);
  for (Id id = 0; id < 59; ++id) {
    index.remove({&id, 1});
    const auto matches = index.search(std::vector<float>{1, 2}, 1);
    EXPECT_GT(matches[0].id, id);
    EXPECT_EQ(matches[0].distance, 0);
  }
  expect_all_find_themselves(index);
}

TEST(IndexChange, RemovingAllAndAddingAgainTakesNoMoreRoom) {
  Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = 12, .build_beam = 60}});
  for (int round = 0; round < 10; ++round) {
    index.add(random_rows(1000, kDim, static_cast<std::uint64_t>(round)), range(0, 1000));
    expect_all_find_themselves(index);
    index.remove(range(0, 1000));
    EXPECT_EQ(index.size(), 0U);
    EXPECT_TRUE(index.search(std::vector<float>(kDim, 1.0F), 5).empty());
  }
  EXPECT_LE(index.statistics().free, 1000U);
  index.compact();
  EXPECT_EQ(index.statistics().vector_bytes, 0U);
}

// Few rows, and fewer links than vectors need: repairing goes on as long as it helps.
TEST(IndexChange, SmallAndSparseGraphsAreRepairedToo) {
  for (const std::size_t rows : {5, 20, 60, 500, 2000}) {
    for (const std::size_t neighbours : {2, 4}) {
      Index index({.dim = kDim, .metric = Metric::l2, .graph = {.neighbours = neighbours, .build_beam = 4}});
      index.add(random_rows(rows, kDim, rows));
      EXPECT_EQ(index.check().unreachable, 0U) << rows << " rows, " << neighbours << " neighbours";
    }
  }
}

TEST(IndexChange, CompactingAnEmptyIndexDoesNothing) {
  Index index({.dim = 3, .metric = Metric::l2});
  index.compact();
  EXPECT_TRUE(index.search(std::vector<float>{1, 2, 3}, 4).empty());
  index.add(std::vector<float>{1, 2, 3});
  EXPECT_EQ(index.size(), 1U);
}

// What is free is not walked through: a search of the rest costs no more than of an index that never held more.
TEST(IndexChange, RemovedVectorsCostSearchesNothing) {
  constexpr std::size_t kRows = 4000;
  const auto rows = random_rows(kRows, kDim, 41);
  const std::vector<float> kept(rows.begin(), rows.begin() + kRows / 10 * kDim);
  Index index({.dim = kDim, .metric = Metric::l2});
  Index fresh({.dim = kDim, .metric = Metric::l2});
  index.add(rows);
  std::vector<Id> gone(kRows - kRows / 10);
  std::iota(gone.begin(), gone.end(), kRows / 10);
  index.remove(gone);
  fresh.add(kept);
  graph::SearchStatistics after, before;
  const auto query = random_rows(1, kDim, 42);
  EXPECT_EQ(index.search(query, 10, {.beam = 20}, &after).size(), 10U);
  fresh.search(query, 10, {.beam = 20}, &before);
  EXPECT_LT(after.distances, 2 * before.distances);
}

TEST(IndexChange, CompactingKeepsAnswersAndGivesRoomBack) {
  for (const Metric metric : {Metric::l2, Metric::inner_product}) {
    const auto rows = random_rows(2000, kDim, 11);
    Index index({.dim = kDim, .metric = metric});
    index.add(rows);
    index.remove(range(0, 1500));
    index.compact();
    const IndexStatistics statistics = index.statistics();
    EXPECT_EQ(statistics.live, 500U);
    EXPECT_EQ(statistics.free + statistics.deleted, 0U);
    EXPECT_EQ(statistics.vector_bytes, 500U * kDim * sizeof(float));
    expect_all_find_themselves(index);
    for (Id id = 1500; id < 2000; ++id) EXPECT_TRUE(index.contains(id));
    index.add(random_rows(500, kDim, 12));
    EXPECT_EQ(index.size(), 1000U);
    expect_all_find_themselves(index);
  }
}

}  // namespace
}  // namespace boon::index
