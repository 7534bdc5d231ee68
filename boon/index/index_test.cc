// Adding and searching: answers against brute force, what is refused, and what stays as it was then.
#include "boon/index/index.h"

#include <gmock/gmock.h>

#include <array>
#include <set>

#include "boon/index/testing.h"
#include "boon/kernels/isa_skip.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kDim = 20;

Index filled(Metric metric, const std::vector<float>& rows, std::size_t dim = kDim) {
  Index index({.dim = dim, .metric = metric});
  index.add(rows);
  return index;
}

class EachMetric : public ::testing::TestWithParam<Metric> {};
INSTANTIATE_TEST_SUITE_P(All, EachMetric, ::testing::Values(Metric::l2, Metric::cosine, Metric::inner_product),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(EachMetric, ExactSearchAgreesWithBruteForce) {
  const auto rows = random_rows(700, kDim, 1);
  const Index index = filled(GetParam(), rows);
  const auto queries = random_rows(20, kDim, 2);
  for (std::size_t q = 0; q < 20; ++q) {
    const auto query = row_of(queries, q, kDim);
    const auto truth = true_nearest(GetParam(), rows, kDim, query, 10);
    const auto matches = index.search(query, 10, {.exact = true});
    ASSERT_EQ(matches.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(matches[i].distance, truth[i], 1e-4);
      EXPECT_NEAR(matches[i].distance, true_distance(GetParam(), query, row_of(rows, matches[i].id, kDim)), 1e-4);
    }
  }
}

TEST_P(EachMetric, WalkingTheGraphFindsTheNearest) {
  const auto rows = random_rows(4000, kDim, 3);
  const Index index = filled(GetParam(), rows);
  const auto queries = random_rows(100, kDim, 4);
  double sum = 0;
  graph::SearchStatistics statistics;
  for (std::size_t q = 0; q < 100; ++q) {
    const auto query = row_of(queries, q, kDim);
    sum += recall(index.search(query, 10, {.beam = 100}, &statistics), true_nearest(GetParam(), rows, kDim, query, 10));
    EXPECT_GT(statistics.hops, 0U);
    EXPECT_LT(statistics.distances, 4000U);
  }
  EXPECT_GE(sum / 100, 0.95);
}

TEST_P(EachMetric, EveryVectorFindsItself) {
  expect_all_find_themselves(filled(GetParam(), random_rows(3000, 8, 5), 8));
}

TEST_P(EachMetric, ManyQueriesGetWhatEachAloneGets) {
  const auto rows = random_rows(2500, kDim, 6);
  const Index index = filled(GetParam(), rows);
  const auto queries = random_rows(600, kDim, 7);
  const Matches many = index.search_many(queries, 7, {.threads = 3});
  ASSERT_EQ(many.counts.size(), 600U);
  for (std::size_t q = 0; q < 600; ++q) {
    const auto one = index.search(row_of(queries, q, kDim), 7);
    ASSERT_EQ(many.counts[q], one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many.ids[q * 7 + i], one[i].id);
      EXPECT_EQ(many.distances[q * 7 + i], one[i].distance);
    }
  }
}

TEST(Index, ManyQueriesReportThemselvesAndStop) {
  const Index index = filled(Metric::l2, random_rows(300, kDim, 30));
  constexpr std::size_t kCount = 2500;
  const auto queries = random_rows(kCount, kDim, 31);
  for (const bool exact : {false, true}) {
    SearchOptions options{.beam = 16, .exact = exact, .threads = 2};
    const Matches silent = index.search_many(queries, 3, options);
    std::vector<std::size_t> reports;
    options.progress = [&](std::size_t done, std::size_t total) {
      EXPECT_EQ(total, kCount);
      reports.push_back(done);
      return true;
    };
    EXPECT_EQ(index.search_many(queries, 3, options).ids, silent.ids);
    EXPECT_GE(reports.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(reports));
    EXPECT_EQ(reports.back(), kCount);
    options.progress = [](std::size_t, std::size_t) { return false; };
    EXPECT_EQ(thrown_by([&] { index.search_many(queries, 3, options); }).code, ErrorCode::cancelled);
  }
}

TEST(Index, KAboveTheCountGivesEachOnceAndPadsTables) {
  const auto rows = random_rows(30, kDim, 8);
  const Index index = filled(Metric::l2, rows);
  for (const std::size_t k : {std::size_t{30}, std::size_t{31}, std::size_t{1000000}}) {
    const auto matches = index.search(row_of(rows, 0, kDim), k);
    std::set<Id> ids;
    for (const Match& match : matches) ids.insert(match.id);
    EXPECT_EQ(matches.size(), 30U);
    EXPECT_EQ(ids.size(), 30U);
  }
  const Matches table = index.search_many(row_of(rows, 0, kDim), 32);
  EXPECT_EQ(table.counts[0], 30U);
  EXPECT_EQ(table.ids[31], kNoId);
  EXPECT_TRUE(std::isinf(table.distances[31]));
}

TEST(Index, EmptyGivesNothing) {
  const Index index({.dim = 3, .metric = Metric::l2});
  const std::vector<float> queries(20 * 3, 1.0F);
  const Matches matches = index.search_many(queries, 1);
  EXPECT_EQ(matches.counts, std::vector<std::size_t>(20, 0));
  EXPECT_EQ(matches.ids, std::vector<Id>(20, kNoId));
  EXPECT_TRUE(index.search({queries.data(), 3}, 5).empty());
  EXPECT_TRUE(index.search({queries.data(), 3}, 5, {.exact = true}).empty());
  EXPECT_TRUE(index.search_range({queries.data(), 3}, {.max_distance = 1}).empty());
}

TEST(Index, KZeroGivesNothing) {
  const auto rows = random_rows(100, kDim, 9);
  EXPECT_TRUE(filled(Metric::l2, rows).search(row_of(rows, 0, kDim), 0).empty());
}

TEST(Index, RowWithNanOrInfinityRefusesTheBatchAndNamesIt) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    auto rows = random_rows(100, kDim, 10);
    Index index = filled(Metric::l2, rows);
    rows[17 * kDim + 3] = bad;
    const Thrown thrown = thrown_by([&] { index.add(rows); });
    EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
    EXPECT_THAT(thrown.message, HasSubstr("row 17, component 3"));
    EXPECT_EQ(index.size(), 100U);
    const Thrown query = thrown_by([&] { index.search(row_of(rows, 17, kDim), 1); });
    EXPECT_THAT(query.message, HasSubstr("the query, component 3"));
    const Thrown queries = thrown_by([&] { index.search_many(rows, 1); });
    EXPECT_THAT(queries.message, HasSubstr("query 17"));
    expect_all_find_themselves(index);
  }
}

TEST(Index, VectorsWhoseDistancesWouldOverflowAreRefused) {
  Index index({.dim = 2, .metric = Metric::l2});
  const std::vector<float> rows{1, 2, 1e20F, 0};
  EXPECT_THAT(thrown_by([&] { index.add(rows); }).message, HasSubstr("row 1 is too long"));
  EXPECT_EQ(index.size(), 0U);
  index.add(std::vector<float>{8.2e18F, 0, -8.2e18F, 0});
  EXPECT_TRUE(std::isfinite(index.search(std::vector<float>{8.2e18F, 0}, 2)[1].distance));
}

TEST(Index, WrongDimensionNamesBoth) {
  Index index({.dim = 384, .metric = Metric::cosine});
  const std::vector<float> short_query(4, 1.0F);
  EXPECT_THAT(thrown_by([&] { index.search(short_query, 1); }).message,
              ::testing::AllOf(HasSubstr("dimension 4"), HasSubstr("384")));
  EXPECT_THAT(thrown_by([&] { index.add(short_query); }).message, HasSubstr("384"));
}

TEST(Index, ZeroVectorUnderCosineIsRefused) {
  Index index({.dim = 3, .metric = Metric::cosine});
  const std::vector<float> rows{1, 0, 0, 0, 0, 0};
  EXPECT_THAT(thrown_by([&] { index.add(rows); }).message, HasSubstr("row 1 is a vector of zeros"));
  EXPECT_EQ(index.size(), 0U);
  index.add(std::vector<float>{1, 0, 0});
  EXPECT_THAT(thrown_by([&] { index.search(std::vector<float>{0, 0, 0}, 1); }).message, HasSubstr("zeros"));
  Index l2({.dim = 3, .metric = Metric::l2});
  l2.add(rows);
  EXPECT_EQ(l2.search(std::vector<float>{0, 0, 0}, 1)[0], (Match{1, 0}));
}

TEST(Index, TinyAndHugeVectorsKeepTheirDirection) {
  Index index({.dim = 2, .metric = Metric::cosine});
  index.add(std::vector<float>{1e-6F, 0, 0, 1e-30F, -3e38F, 3e38F});
  EXPECT_NEAR(index.search(std::vector<float>{1, 0}, 1)[0].distance, 0, 1e-6);
  EXPECT_EQ(index.search(std::vector<float>{0, 5}, 1)[0].id, 1U);
  EXPECT_EQ(index.search(std::vector<float>{-1e-38F, 1e-38F}, 1)[0].id, 2U);
}

TEST(Index, LargeComponentKeepsDistancesNonNegativeAndTheSameInBatches) {
  auto rows = random_rows(64, kDim, 11);
  for (std::size_t row = 0; row < 64; ++row) rows[row * kDim] = 1e5F;
  const Index index = filled(Metric::l2, rows);
  const Matches batch = index.search_many(rows, 3, {.threads = 2});
  for (std::size_t row = 0; row < 64; ++row) {
    const auto one = index.search(row_of(rows, row, kDim), 3);
    EXPECT_EQ(one[0], (Match{row, 0.0F}));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one[i].distance, batch.distances[row * 3 + i]);
  }
}

// The graph for the inner product is built by distances in which one long vector must not drown the others.
TEST(Index, InnerProductBearsVectorsOfAllLengths) {
  constexpr std::size_t kWide = 16;
  auto rows = random_rows(2000, kWide, 31);
  auto mixed = rows, huge = rows, outlier = rows;
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] *= std::array{1.0F, 10.0F, 100.0F}[i / kWide % 3];
  for (float& x : huge) x *= 1e17F;
  outlier.insert(outlier.end(), kWide, 1e4F);
  for (const auto* values : {&rows, &mixed, &huge, &outlier}) {
    Index index({.dim = kWide, .metric = Metric::inner_product});
    index.add(*values);
    expect_all_find_themselves(index);
    double found = 0;
    const auto queries = random_rows(50, kWide, 32);
    for (std::size_t q = 0; q < 50; ++q) {
      const auto query = row_of(queries, q, kWide);
      found += recall(index.search(query, 10, {.beam = 100}),
                      true_nearest(Metric::inner_product, *values, kWide, query, 10));
    }
    EXPECT_GE(found / 50, 0.9);
  }
}

// 1 - product rounds small products away; the order is that of the products.
TEST(Index, SmallInnerProductsAreRanked) {
  Index index({.dim = 2, .metric = Metric::inner_product});
  std::vector<float> rows;
  for (std::size_t i = 0; i < 50; ++i) rows.insert(rows.end(), {1e-5F * static_cast<float>(i * 7 % 50), 1e-5F});
  index.add(rows);
  for (const bool exact : {false, true}) {
    const auto matches = index.search(std::vector<float>{1e-4F, 0}, 5, {.exact = exact});
    ASSERT_EQ(matches.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(matches[i].id * 7 % 50, 49 - i);
  }
}

TEST(Index, TableMuchWiderThanTheIndexIsRefused) {
  Index index({.dim = 2, .metric = Metric::l2});
  index.add(std::vector<float>{1, 2, 3, 4});
  const std::vector<float> queries(20, 1);
  for (const std::size_t k : {std::size_t{1} << 31, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(thrown_by([&] { index.search_many(queries, k); }).code, ErrorCode::invalid_argument);
    EXPECT_EQ(index.search(std::vector<float>{1, 2}, k).size(), 2U);
  }
}

TEST(Index, IdsTwiceInABatchOrThereAlreadyAreRefused) {
  Index index({.dim = 1, .metric = Metric::l2});
  const std::vector<float> three{1, 2, 3};
  EXPECT_THAT(thrown_by([&] { index.add(three, std::vector<Id>{7, 8, 7}); }).message, HasSubstr("rows 0 and 2"));
  index.add(three, std::vector<Id>{7, 8, 9});
  const Thrown thrown = thrown_by([&] { index.add(three, std::vector<Id>{1, 8, 2}); });
  EXPECT_EQ(thrown.code, ErrorCode::already_exists);
  EXPECT_THAT(thrown.message, HasSubstr("row 1 has the id 8"));
  EXPECT_EQ(index.size(), 3U);
  EXPECT_FALSE(index.contains(1));
  EXPECT_EQ(thrown_by([&] { index.add({three.data(), 1}, std::vector<Id>{kNoId}); }).code, ErrorCode::invalid_argument);
  EXPECT_EQ(thrown_by([&] { index.add(three, std::vector<Id>{1}); }).code, ErrorCode::invalid_argument);
}

TEST(Index, IdsCountOnFromTheLargest) {
  Index index({.dim = 1, .metric = Metric::l2});
  index.add(std::vector<float>{1}, std::vector<Id>{41});
  index.add(std::vector<float>{2, 3});
  EXPECT_TRUE(index.contains(42));
  EXPECT_TRUE(index.contains(43));
  EXPECT_EQ(index.get(43), std::vector<float>{3});
  EXPECT_EQ(thrown_by([&] { index.get(44); }).code, ErrorCode::not_found);
}

TEST(Index, TheGraphIsTheSameOnAnyNumberOfThreads) {
  const auto rows = random_rows(3000, 8, 12);
  const auto queries = random_rows(200, 8, 13);
  std::optional<Matches> first;
  for (const std::size_t threads : {1, 2, 8}) {
    Index index({.dim = 8, .metric = Metric::l2});
    index.add(rows, {}, {.threads = threads});
    const Matches matches = index.search_many(queries, 10, {.beam = 10});
    if (!first) first = matches;
    EXPECT_EQ(matches.ids, first->ids);
    EXPECT_EQ(matches.statistics.distances, first->statistics.distances);
  }
}

TEST(Index, CancellingKeepsWhatIsLinked) {
  const auto rows = random_rows(3000, kDim, 14);
  Index index({.dim = kDim, .metric = Metric::l2});
  AddOptions options;
  options.progress = [](std::size_t done, std::size_t) { return done < 1000; };
  EXPECT_EQ(thrown_by([&] { index.add(rows, {}, options); }).code, ErrorCode::cancelled);
  EXPECT_GE(index.size(), 1000U);
  EXPECT_LT(index.size(), 3000U);
  expect_all_find_themselves(index);
  for (const Id id : index.ids()) EXPECT_EQ(index.get(id).front(), rows[id * kDim]);
  std::vector<float> rest;
  std::vector<Id> ids;
  for (Id id = 0; id < 3000; ++id) {
    if (index.contains(id)) continue;
    ids.push_back(id);
    rest.insert(rest.end(), rows.begin() + static_cast<std::ptrdiff_t>(id * kDim),
                rows.begin() + static_cast<std::ptrdiff_t>((id + 1) * kDim));
  }
  index.add(rest, ids);
  EXPECT_EQ(index.size(), 3000U);
  expect_all_find_themselves(index);
}

TEST(Index, OneLargeAddIsAccepted) {
  Index index({.dim = 2, .metric = Metric::l2, .graph = {.neighbours = 4, .build_beam = 8}});
  index.add(random_rows(98843, 2, 15));
  EXPECT_EQ(index.size(), 98843U);
}

TEST(Index, OptionsOutOfRangeAreNamed) {
  EXPECT_THAT(thrown_by([] { Index({.dim = 0}); }).message, HasSubstr("dim"));
  EXPECT_THAT(thrown_by([] { Index({.dim = 1000000}); }).message, HasSubstr("dim"));
  EXPECT_THAT(thrown_by([] { Index({.dim = 4, .graph = {.neighbours = 1}}); }).message, HasSubstr("neighbours"));
  EXPECT_THAT(thrown_by([] { Index({.dim = 4, .graph = {.level_mult = 1}}); }).message, HasSubstr("level_mult"));
}

}  // namespace
}  // namespace boon::index
