// The exact index: nothing built, nothing missed, and everything else as any index does it.
#include <gmock/gmock.h>

#include <numeric>

#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kDim = 9;
constexpr Metric kMetrics[] = {Metric::l2, Metric::cosine, Metric::inner_product};

Index exact_index(Metric metric) {
  return Index({.dim = kDim, .metric = metric, .kind = IndexKind::exact});
}

void expect_nearest(
    const Index& index, const std::vector<float>& rows, std::size_t k,
    const std::function<bool(std::size_t)>& allowed = [](std::size_t) { return true; }) {
  const std::vector<float> queries = random_rows(40, kDim, 77);
  const Matches table = index.search_many(queries, k);
  for (std::size_t q = 0; q < 40; ++q) {
    const auto query = row_of(queries, q, kDim);
    const auto truth = true_nearest(index.metric(), rows, kDim, query, k, allowed);
    const std::vector<Match> matches = index.search(query, k);
    ASSERT_EQ(matches.size(), truth.size());
    ASSERT_EQ(table.counts[q], truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      EXPECT_NEAR(matches[i].distance, truth[i], 1e-5 * std::max(1.0, std::abs(truth[i])));
      EXPECT_EQ(table.ids[q * k + i], matches[i].id);
      EXPECT_EQ(table.distances[q * k + i], matches[i].distance);
    }
  }
}

TEST(ExactIndex, AnswersWithTheNearest) {
  for (const Metric metric : kMetrics) {
    const auto rows = random_rows(1500, kDim, 1);
    Index index = exact_index(metric);
    index.add(rows);
    EXPECT_EQ(index.kind(), IndexKind::exact);
    expect_nearest(index, rows, 10);
    expect_nearest(index, rows, 2000);
    expect_all_find_themselves(index);
  }
}

TEST(ExactIndex, KeepsUpWithEachChange) {
  for (const Metric metric : kMetrics) {
    auto rows = random_rows(400, kDim, 2);
    Index index = exact_index(metric);
    index.add(rows);
    expect_nearest(index, rows, 5);

    const auto fresh = random_rows(2, kDim, 3);
    index.add(fresh, std::vector<Id>{7, 399}, {.replace = true});
    std::copy_n(fresh.begin(), kDim, rows.begin() + 7 * kDim);
    std::copy_n(fresh.begin() + kDim, kDim, rows.begin() + 399 * kDim);
    expect_nearest(index, rows, 5);

    std::vector<Id> odd;
    for (Id id = 1; id < 400; id += 2) odd.push_back(id);
    EXPECT_EQ(index.remove(odd), 200U);
    const auto even = [](std::size_t row) { return row % 2 == 0; };
    expect_nearest(index, rows, 5, even);
    expect_nearest(index, rows, 300, even);
    index.compact();
    EXPECT_EQ(index.statistics().free, 0U);
    expect_nearest(index, rows, 5, even);
    index.add(std::vector<float>(rows.begin() + kDim, rows.begin() + 2 * kDim), std::vector<Id>{1});
    expect_nearest(index, rows, 5, [&](std::size_t row) { return row == 1 || even(row); });
    expect_all_find_themselves(index);
  }
}

TEST(ExactIndex, FiltersAndRanges) {
  const auto rows = random_rows(600, kDim, 4);
  Index index = exact_index(Metric::l2);
  index.add(rows);
  const auto query = row_of(rows, 5, kDim);
  const std::vector<Id> few{0, 7, 14, 9999};
  const auto sevens = [](Id id) { return id % 7 == 0; };
  const auto truth_of_sevens = true_nearest(Metric::l2, rows, kDim, query, 50, sevens);
  const auto by_function = index.search(query, 50, {.filter = Filter::where(sevens)});
  ASSERT_EQ(by_function.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(by_function[i].distance, truth_of_sevens[i], 1e-4);
  const auto by_list = index.search(query, 50, {.filter = Filter::only(few)});
  ASSERT_EQ(by_list.size(), 3U);
  for (const Match& match : by_list) EXPECT_LE(match.id, 14U);

  const auto truth = true_nearest(Metric::l2, rows, kDim, query, 600);
  const auto within = static_cast<float>((truth[99] + truth[100]) / 2);
  const auto matches = index.search_range(query, {.max_distance = within});
  ASSERT_EQ(matches.size(), 100U);
  EXPECT_EQ(matches.front().id, 5U);
  EXPECT_EQ(index.search_range(query, {.max_distance = -1}).size(), 0U);
}

// Whichever way rows are compared, by the kernel for batches or one by one, the answers are the same.
TEST(ExactIndex, AsksOfAGraphGetTheSameAnswers) {
  for (const Metric metric : kMetrics) {
    const auto rows = random_rows(500, kDim, 9);
    Index exact = exact_index(metric);
    Index graph({.dim = kDim, .metric = metric});
    exact.add(rows);
    graph.add(rows);
    const auto queries = random_rows(100, kDim, 10);
    std::vector<Id> many(300);
    std::iota(many.begin(), many.end(), 50);
    for (const Filter& filter : {Filter(), Filter::only(many), Filter::where([](Id id) { return id % 3 == 0; })}) {
      const SearchOptions options{.exact = true, .filter = filter, .threads = 2};
      const Matches from_exact = exact.search_many(queries, 7, options);
      const Matches from_graph = graph.search_many(queries, 7, options);
      EXPECT_EQ(from_graph.ids, from_exact.ids);
      EXPECT_EQ(from_graph.distances, from_exact.distances);
      for (std::size_t q = 0; q < 100; q += 9) {
        const auto one = exact.search(row_of(queries, q, kDim), 7, options);
        ASSERT_EQ(one.size(), 7U);
        for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(one[i].id, from_exact.ids[q * 7 + i]);
      }
    }
    // What made them fast goes with the next change.
    EXPECT_GT(exact.statistics().exact_bytes, 0U);
    exact.add(random_rows(1, kDim, 11));
    EXPECT_EQ(exact.statistics().exact_bytes, 0U);
  }
}

TEST(ExactIndex, EmptyOneAnswersNothing) {
  const Index index = exact_index(Metric::cosine);
  EXPECT_TRUE(index.search(std::vector<float>(kDim, 1.0F), 3).empty());
  EXPECT_EQ(index.search_many(std::vector<float>(kDim * 2, 1.0F), 3).counts, (std::vector<std::size_t>{0, 0}));
  EXPECT_TRUE(index.check().healthy());
}

TEST(ExactIndex, BuildsNoGraph) {
  Index index = exact_index(Metric::l2);
  index.add(random_rows(300, kDim, 5));
  const IndexStatistics statistics = index.statistics();
  EXPECT_EQ(statistics.live, 300U);
  EXPECT_EQ(statistics.graph_bytes, 0U);
  EXPECT_TRUE(statistics.level_sizes.empty());
  EXPECT_EQ(statistics.unreachable, 0U);
}

TEST(ExactIndex, ProgressCanStopNothingHalfDone) {
  Index index = exact_index(Metric::l2);
  std::size_t calls = 0;
  index.add(random_rows(300, kDim, 6), {}, {.progress = [&](std::size_t done, std::size_t total) {
              ++calls;
              EXPECT_EQ(done, total);
              return false;
            }});
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(index.size(), 300U);
}

TEST(ExactIndex, IsStoredAndOpened) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "exact.boon";
  for (const Metric metric : kMetrics) {
    for (const bool bytes : {false, true}) {
      auto rows = random_rows(200, kDim, 7);
      if (bytes) std::ranges::transform(rows, rows.begin(), [](float x) { return std::abs(std::round(20 * x)) + 1; });
      Index index = exact_index(metric);
      index.add(rows);
      index.remove(std::vector<Id>{3});
      index.save(file);
      const auto but_one = [](std::size_t row) { return row != 3; };
      for (const bool view : {false, true}) {
        const Index opened = view ? Index::view(file) : Index::load(file);
        EXPECT_EQ(opened.kind(), IndexKind::exact);
        EXPECT_EQ(opened.size(), 199U);
        expect_nearest(opened, rows, 10, but_one);
        expect_all_find_themselves(opened);
      }
      Index loaded = Index::load(file);
      loaded.add(std::vector<float>(rows.begin() + 3 * kDim, rows.begin() + 4 * kDim), std::vector<Id>{3});
      expect_nearest(loaded, rows, 10);
    }
  }
}

// A file without a floor is an exact index where its format may have one, and damaged where it may not.
TEST(ExactIndex, FileOfAnOlderFormatNeedsItsGraph) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "exact.boon";
  Index index = exact_index(Metric::l2);
  index.add(random_rows(20, kDim, 8));
  index.save(file);
  std::vector<std::vector<std::byte>> copies;
  std::vector<Section> sections;
  {
    const MappedFile mapped(file);
    for (const Section& section : read_container(mapped.bytes(), "exact.boon").sections) {
      const auto& copy = copies.emplace_back(section.bytes.begin(), section.bytes.end());
      sections.push_back({section.name, copy});
    }
  }
  write_container(file, 2, sections);
  const Thrown thrown = thrown_by([&] { Index::load(file); });
  EXPECT_EQ(thrown.code, ErrorCode::corrupted);
  EXPECT_THAT(thrown.message, HasSubstr("floor"));
}

TEST(ExactIndex, GoldenFileOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/format3.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    EXPECT_EQ(index.kind(), IndexKind::exact);
    EXPECT_EQ(index.size(), 63U);
    EXPECT_FALSE(index.contains(9));
    EXPECT_EQ(index.get(3), (std::vector<float>{1.5, -1, 0.25}));  // i / 2, -1, 1 / (i + 1)
    EXPECT_EQ(index.search(std::vector<float>{4.4F, -1, 0.1F}, 2)[0].id, 8U);
    expect_all_find_themselves(index);
  }
}

TEST(IndexKindNames, GoThereAndBack) {
  for (const IndexKind kind : {IndexKind::hnsw, IndexKind::exact}) EXPECT_EQ(parse_kind(name(kind)), kind);
  EXPECT_EQ(parse_kind("flat"), IndexKind::exact);
  EXPECT_THAT(thrown_by([] { parse_kind("ivf"); }).message, HasSubstr("hnsw and exact"));
}

}  // namespace
}  // namespace boon::index
