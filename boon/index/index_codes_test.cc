// Walks over codes: what they find, that distances stay exact, and that all an index does works with them.
#include <gmock/gmock.h>

#include <limits>
#include <thread>

#include "boon/core/temporary_folder.h"
#include "boon/index/codes_testing.h"
#include "boon/index/index.h"

namespace boon::index {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Codes : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::string codes() { return std::string(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(All, Codes, ::testing::ValuesIn(code_names().begin() + 2, code_names().end()),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(Codes, FindWhatWalksOfTheVectorsFind) {
  const auto rows = clustered_rows(5000, kDim, 1);
  const auto queries = clustered_rows(200, kDim, 2);
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    Index coded(options_for(codes(), metric));
    coded.add(rows);
    Index plain(options_for("none", metric));
    plain.add(rows);
    double with_codes = 0, without = 0;
    for (std::size_t q = 0; q < 200; ++q) {
      const auto query = row_of(queries, q, kDim);
      const auto truth = true_nearest(metric, rows, kDim, query, 10);
      with_codes += recall(coded.search(query, 10, {.beam = 100}), truth) / 200;
      without += recall(plain.search(query, 10, {.beam = 100}), truth) / 200;
    }
    EXPECT_GT(without, .98) << name(metric);
    EXPECT_GT(with_codes, without - .01) << name(metric);
  }
}

TEST_P(Codes, DistancesAreThoseOfTheVectors) {
  const auto rows = clustered_rows(1000, kDim, 3);
  const auto queries = clustered_rows(20, kDim, 4);
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    Index index(options_for(codes(), metric));
    index.add(rows);
    for (std::size_t q = 0; q < 20; ++q) {
      const auto query = row_of(queries, q, kDim);
      const auto walked = index.search(query, 20, {.beam = 200});
      const auto exact = index.search(query, 1000, {.exact = true});
      for (const Match& match : walked) {
        const auto same = std::find_if(exact.begin(), exact.end(), [&](const Match& m) { return m.id == match.id; });
        ASSERT_NE(same, exact.end());
        EXPECT_EQ(match.distance, same->distance) << name(metric);
      }
      EXPECT_TRUE(std::is_sorted(walked.begin(), walked.end(),
                                 [](const Match& a, const Match& b) { return a.distance < b.distance; }));
    }
  }
}

TEST_P(Codes, AllFindThemselvesThroughEveryChange) {
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    Index index(options_for(codes(), metric));
    index.add(clustered_rows(800, kDim, 5));
    expect_all_find_themselves(index);
    std::vector<Id> half;
    for (Id id = 0; id < 800; id += 2) half.push_back(id);
    index.remove(half);
    expect_all_find_themselves(index);
    index.add(clustered_rows(300, kDim, 6));
    const std::vector<Id> replaced{1, 3, 5};
    index.add(clustered_rows(3, kDim, 8), replaced, {.replace = true});
    expect_all_find_themselves(index);
    index.compact();
    expect_all_find_themselves(index);
    EXPECT_EQ(index.size(), 700U);
    for (const Id id : replaced) EXPECT_EQ(index.search(index.get(id), 700).size(), 700U);
    if (metric == Metric::inner_product) continue;
    // A vector is its own nearest, and its distance to itself is none.
    for (const Id id : index.ids()) {
      const auto matches = index.search(index.get(id), 1);
      ASSERT_EQ(matches.size(), 1U);
      EXPECT_EQ(matches[0].id, id);
      EXPECT_EQ(matches[0].distance, 0.F);
    }
  }
}

TEST_P(Codes, FiltersFillAndRangesEnd) {
  const auto rows = clustered_rows(3000, kDim, 9);
  Index index(options_for(codes()));
  index.add(rows);
  const auto query = clustered_rows(1, kDim, 10);
  for (const std::size_t every : {2, 50, 1000}) {
    const Filter filter = Filter::where([every](Id id) { return id % every == 0; });
    const auto matches = index.search(query, 10, {.beam = 60, .filter = filter});
    EXPECT_EQ(matches.size(), std::min<std::size_t>(10, 3000 / every));
    for (const Match& match : matches) EXPECT_EQ(match.id % every, 0U);
    const auto truth =
        true_nearest(Metric::l2, rows, kDim, query, 10, [every](std::size_t i) { return i % every == 0; });
    EXPECT_GE(recall(matches, truth), .9) << every;
  }
  const auto exact = index.search(query, 100, {.exact = true});
  const float limit = exact.back().distance;
  const auto ranged = index.search_range(query, {.max_distance = limit});
  EXPECT_GE(ranged.size(), 97U);
  for (const Match& match : ranged) EXPECT_LE(match.distance, limit);
  EXPECT_EQ(index.search(query, 5000).size(), 3000U);  // more than there are: all of them
}

TEST_P(Codes, FiltersFillUnderEveryMetric) {
  const auto rows = clustered_rows(2000, kDim, 27);
  const auto queries = clustered_rows(20, kDim, 28);
  const auto third = [](std::size_t i) { return i % 3 == 0; };
  for (const Metric metric : {Metric::cosine, Metric::inner_product}) {
    Index index(options_for(codes(), metric));
    index.add(rows);
    double found = 0;
    for (std::size_t q = 0; q < 20; ++q) {
      const auto query = row_of(queries, q, kDim);
      const auto matches = index.search(query, 10, {.beam = 60, .filter = Filter::where(third)});
      EXPECT_EQ(matches.size(), 10U);
      found += recall(matches, true_nearest(metric, rows, kDim, query, 10, third)) / 20;
    }
    EXPECT_GT(found, .95) << name(metric);
  }
}

// Vectors on a plane through few directions: much nearer to each other than codes can tell.
TEST_P(Codes, AsManyAnswersAsTheBeamHoldsAreFoundToo) {
  constexpr std::size_t kRows = 5000, kWide = 96, kDirections = 10;
  const auto directions = random_rows(kDirections, kWide, 29);
  const auto spread = [&](std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> rows(count * kWide);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t d = 0; d < kDirections; ++d) {
        const auto by = static_cast<float>(random.normal());
        for (std::size_t i = 0; i < kWide; ++i) rows[row * kWide + i] += by * directions[d * kWide + i];
      }
    }
    return rows;
  };
  const auto rows = spread(kRows, 30);
  const auto queries = spread(50, 31);
  Index index(options_for(codes(), Metric::l2, kWide));
  index.add(rows);
  double found = 0;
  for (std::size_t q = 0; q < 50; ++q) {
    const auto query = row_of(queries, q, kWide);
    found += recall(index.search(query, 100, {.beam = 64}), true_nearest(Metric::l2, rows, kWide, query, 100)) / 50;
  }
  EXPECT_GT(found, .985);
}

// Copies of a vector, and one very near to them: their estimates must not take the place of what is nearer.
TEST_P(Codes, CopiesDoNotHideTheirNeighbours) {
  const auto centres = random_rows(20, kDim, 32);
  const auto noise = random_rows(20, kDim, 33);
  std::vector<float> rows, near;
  for (std::size_t c = 0; c < 20; ++c) {
    for (std::size_t copy = 0; copy < 150; ++copy) {
      rows.insert(rows.end(), centres.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                  centres.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    }
    for (std::size_t i = 0; i < kDim; ++i) near.push_back(centres[c * kDim + i] + .02F * noise[c * kDim + i]);
  }
  rows.insert(rows.end(), near.begin(), near.end());
  Index index(options_for(codes()));
  index.add(rows);
  for (const std::size_t k : {1, 10}) {
    for (std::size_t c = 0; c < 20; ++c) {
      EXPECT_EQ(index.search(row_of(near, c, kDim), k)[0].id, 3000 + c) << k;
      // Copies fill what there is to fill, each once, also where a filter lets the first of them not through.
      const auto odd = [](Id id) { return id % 2 == 1; };
      const auto matches = index.search(row_of(centres, c, kDim), 60, {.filter = Filter::where(odd)});
      ASSERT_EQ(matches.size(), 60U);
      for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_EQ(matches[i].distance, 0.F);
        EXPECT_TRUE(i == 0 || matches[i].id != matches[i - 1].id);
      }
    }
  }
  expect_all_find_themselves(index);
}

TEST_P(Codes, TheFileIsTheSameOnAnyNumberOfThreadsAndAnswersTheSame) {
  const TemporaryFolder folder;
  const auto rows = clustered_rows(1500, kDim, 11);
  const auto queries = clustered_rows(50, kDim, 12);
  std::vector<std::string> files;
  for (const std::size_t threads : {1, 8}) {
    Index index(options_for(codes(), Metric::cosine));
    index.add(rows, {}, {.threads = threads});
    index.remove(std::vector<Id>{4, 5});
    const Path path = folder.path() / "index.boon";
    index.save(path);
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    const Matches before = index.search_many(queries, 10);
    Index loaded = Index::load(path);
    const Index viewed = Index::view(path);
    for (const Index* opened : std::initializer_list<const Index*>{&loaded, &viewed}) {
      EXPECT_EQ(opened->codes(), codes());
      const Matches after = opened->search_many(queries, 10, {.threads = threads});
      EXPECT_EQ(after.ids, before.ids);
      EXPECT_EQ(after.distances, before.distances);
      EXPECT_EQ(opened->statistics().code_bytes, index.statistics().code_bytes);
      expect_all_find_themselves(*opened);
    }
    loaded.add(clustered_rows(100, kDim, 13));
    expect_all_find_themselves(loaded);
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST_P(Codes, BytesThatBecomeFloatsKeepTheirCodes) {
  Random random(14);
  std::vector<float> whole(400 * kDim);
  for (float& value : whole) value = static_cast<float>(random.below(256));
  Index index(options_for(codes()));
  index.add(whole);
  EXPECT_EQ(index.statistics().component, "u8");
  expect_all_find_themselves(index);
  auto fractions = whole;
  for (float& value : fractions) value += .5F;
  index.add(fractions);
  EXPECT_EQ(index.statistics().component, "fp32");
  expect_all_find_themselves(index);
}

TEST_P(Codes, OddDataIsFoundToo) {
  struct Odd {
    const char* what;
    std::size_t dim;
    std::function<float(std::size_t row, std::size_t i, Random& random)> value;
  };
  const Odd odd[] = {
      {"one component", 1, [](auto, auto, Random& r) { return static_cast<float>(r.normal()); }},
      {"no multiple of 16", 17, [](auto, auto, Random& r) { return static_cast<float>(r.normal()); }},
      {"4,096 components", 4096, [](auto, auto, Random& r) { return static_cast<float>(r.normal()); }},
      {"constant vectors", 40, [](std::size_t row, auto, auto&) { return static_cast<float>(row); }},
      {"one huge component", 40,
       [](auto, std::size_t i, Random& r) { return static_cast<float>(r.normal()) * (i == 3 ? 60000.F / 8 : 1.F); }},
      {"blocks of zeros", 64,
       [](auto, std::size_t i, Random& r) { return i < 48 ? 0.F : static_cast<float>(r.normal()); }},
      {"mostly zeros", 32,
       [](std::size_t row, auto, Random& r) { return row % 2 ? 0.F : static_cast<float>(r.normal()); }},
      {"small numbers", 32, [](auto, auto, Random& r) { return static_cast<float>(r.normal()) * 1e-15F; }},
      {"blocks of denormals", 32,
       [](auto, std::size_t i, Random& r) { return static_cast<float>(r.normal()) * (i < 16 ? 1e-40F : 1.F); }},
  };
  for (const Odd& data : odd) {
    SCOPED_TRACE(data.what);
    Random random(15);
    const std::size_t count = data.dim > 1000 ? 60 : 300;
    std::vector<float> rows;
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < data.dim; ++i) rows.push_back(data.value(row, i, random));
    }
    for (const Metric metric : {Metric::l2, Metric::inner_product}) {
      Index index(options_for(codes(), metric, data.dim));
      index.add(rows);
      expect_all_find_themselves(index);
      const auto matches = index.search(row_of(rows, 7, data.dim), 5);
      EXPECT_EQ(matches.size(), 5U);
      for (const Match& match : matches) EXPECT_TRUE(std::isfinite(match.distance));
    }
  }
}

TEST_P(Codes, SearchesGoOnWhileRowsComeAndGo) {
  Index index(options_for(codes(), Metric::cosine));
  const auto rows = clustered_rows(2000, kDim, 16);
  index.add(std::span(rows).first(1000 * kDim));
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::size_t row = 0;
    while (!done) {
      const auto matches = index.search(row_of(rows, row++ % 1000, kDim), 10);
      EXPECT_EQ(matches.size(), 10U);
      for (std::size_t i = 1; i < matches.size(); ++i) EXPECT_LE(matches[i - 1].distance, matches[i].distance);
    }
  });
  for (std::size_t first = 1000; first < 2000; first += 100) {
    index.add(std::span(rows).subspan(first * kDim, 100 * kDim));
    std::vector<Id> gone;
    for (Id id = first - 1000; id < first - 960; ++id) gone.push_back(id);
    index.remove(gone);
  }
  done = true;
  reader.join();
  expect_all_find_themselves(index);
}

TEST(CodesRefused, WhatNoCodecHolds) {
  const auto wrong = thrown_by([] { Index index({.dim = 4, .codes = "int3"}); });
  EXPECT_EQ(wrong.code, ErrorCode::invalid_argument);
  EXPECT_THAT(wrong.message, AllOf(HasSubstr("\"int3\""), HasSubstr("auto, none, int8, nvfp4")));
  const auto exact = thrown_by([] { Index index({.dim = 4, .kind = IndexKind::exact, .codes = "int8"}); });
  EXPECT_EQ(exact.code, ErrorCode::invalid_argument);
  EXPECT_THAT(exact.message, HasSubstr("exact"));

  // fp16 ends at 65,504. The batch is refused as a whole, and the index is as it was.
  for (const Metric metric : {Metric::l2, Metric::inner_product}) {
    Index index(options_for("fp16", metric, 2));
    index.add(std::vector<float>{1, 2, 3, 4});
    const auto error = thrown_by([&] { index.add(std::vector<float>{5, 6, 7, 1e5F}); });
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    EXPECT_THAT(error.message, AllOf(HasSubstr("row 1, component 1"), HasSubstr("fp16")));
    EXPECT_EQ(index.size(), 2U);
    expect_all_find_themselves(index);
    EXPECT_EQ(index.add(std::vector<float>{5, 6}), std::vector<Id>{2});
  }
  // A query is no row: it may be longer.
  Index index(options_for("fp16", Metric::l2, 2));
  index.add(std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(index.search(std::vector<float>{1e6F, 1e6F}, 1)[0].id, 1U);
}

}  // namespace
}  // namespace boon::index
