// Walks over codes: what they find, that distances stay exact, and that all an index does works with them.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <thread>

#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kDim = 24;

IndexOptions options_for(const std::string& codes, Metric metric = Metric::l2, std::size_t dim = kDim) {
  return {.dim = dim, .metric = metric, .graph = {.neighbours = 12, .build_beam = 60}, .codes = codes};
}

// Rows around a few centres, as embeddings lie.
std::vector<float> clustered_rows(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values = random_rows(rows, dim, seed + 1);
  const std::vector<float> centres = random_rows(20, dim, 7);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t centre = random.below(20);
    for (std::size_t i = 0; i < dim; ++i) {
      values[row * dim + i] = .6F * values[row * dim + i] + centres[centre * dim + i];
    }
  }
  return values;
}

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
  EXPECT_EQ(index.statistics().component, "f32");
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

// A file of an index with codes, for its sections to be tampered with.
class CodesStored : public ::testing::Test {
 protected:
  CodesStored() {
    Index index(options_for("int8", Metric::cosine));
    index.add(clustered_rows(100, kDim, 17));
    index.save(path_);
    std::ifstream in(path_, std::ios::binary);
    file_.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    container_ = read_container(as_bytes(file_.data(), file_.size()), "whole");
  }
  Section& section(std::string_view name) {
    return *std::find_if(container_.sections.begin(), container_.sections.end(),
                         [&](const Section& s) { return s.name == name; });
  }
  // What opening the sections as they are now says.
  Thrown opening(bool view) {
    write_container(path_, 4, container_.sections);
    return thrown_by([&] { view ? Index::view(path_) : Index::load(path_); });
  }
  void expect_damaged(std::string_view why) {
    for (const bool view : {false, true}) {
      const Thrown thrown = opening(view);
      EXPECT_EQ(thrown.code, ErrorCode::corrupted) << thrown.message;
      EXPECT_THAT(thrown.message, HasSubstr(std::string(why)));
    }
  }

  TemporaryFolder folder_;
  Path path_ = folder_.path() / "index.boon";
  std::string file_;
  Container container_;
};

TEST_F(CodesStored, UnknownCodecsAreRefused) {
  const std::string name = "int3";
  section("codec").bytes = as_bytes(name.data(), name.size());
  expect_damaged("coded in an unknown way");
  section("codec").bytes = {};
  expect_damaged("coded in an unknown way");
}

TEST_F(CodesStored, MissingAndShortCodesAreRefused) {
  section("codes").bytes = section("codes").bytes.first(99 * 32);
  expect_damaged("not a code for each place");
  std::erase_if(container_.sections, [](const Section& s) { return s.name == "codes"; });
  expect_damaged("no section \"codes\"");
}

TEST_F(CodesStored, CodesWithoutAGraphAreRefused) {
  std::erase_if(container_.sections, [](const Section& s) { return s.name == "floor" || s.name.starts_with("level"); });
  expect_damaged("no graph");
}

TEST_F(CodesStored, OlderFormatsHaveNone) {
  write_container(path_, 3, container_.sections);
  EXPECT_THAT(thrown_by([&] { Index::load(path_); }).message, HasSubstr("no codes and says which"));
}

TEST_F(CodesStored, RecordsThatCannotBeScoredAreRefused) {
  const Bytes codes = section("codes").bytes;
  std::vector<std::byte> broken(codes.begin(), codes.end());
  std::fill_n(broken.begin() + 7 * 32 + 4, 4, std::byte{255});  // the scale of row 7 is NaN
  section("codes").bytes = broken;
  expect_damaged("row 7");
}

TEST_F(CodesStored, AFileOfTheFirstFormatWithCodesOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/format4.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    EXPECT_EQ(index.size(), 199U);
    EXPECT_EQ(index.codes(), "nvfp4");
    EXPECT_EQ(index.metric(), Metric::l2);
    EXPECT_EQ(index.get(3), (std::vector<float>{3.5F, 21.5F, 147.5F, 5.5F, 35.5F}));  // i * 7^j mod 256, and a half
    expect_all_find_themselves(index);
  }
}

class CodesChosen : public ::testing::Test {
 protected:
  static Index made(const std::vector<float>& rows, Metric metric = Metric::l2) {
    Index index(options_for("auto", metric));
    index.add(rows);
    return index;
  }
};

TEST_F(CodesChosen, OnceThereAreEnoughVectors) {
  const auto rows = clustered_rows(1100, kDim, 18);
  const auto few = [&](std::size_t first, std::size_t count) {
    return std::span(rows).subspan(first * kDim, count * kDim);
  };
  Index index(options_for("auto"));
  EXPECT_EQ(index.codes(), "none");
  index.add(few(0, 1000));
  EXPECT_EQ(index.codes(), "none");
  EXPECT_EQ(index.statistics().code_bytes, 0U);
  index.add(few(1000, 24));
  EXPECT_EQ(index.codes(), "nvfp4");
  EXPECT_GT(index.statistics().code_bytes, 0U);
  expect_all_find_themselves(index);
  index.add(few(1024, 76));
  expect_all_find_themselves(index);
}

TEST_F(CodesChosen, AfterAFileTooWhereTheyWereNotYet) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "index.boon";
  made(clustered_rows(1000, kDim, 18)).save(path);
  Index loaded = Index::load(path);
  EXPECT_EQ(loaded.codes(), "none");
  loaded.add(clustered_rows(100, kDim, 19));
  EXPECT_EQ(loaded.codes(), "nvfp4");
  loaded.save(path);
  EXPECT_EQ(Index::load(path).codes(), "nvfp4");
  EXPECT_EQ(Index::view(path).codes(), "nvfp4");
  expect_all_find_themselves(loaded);
}

TEST_F(CodesChosen, ByTheVectors) {
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    EXPECT_EQ(made(clustered_rows(2000, kDim, 20), metric).codes(), "nvfp4") << name(metric);
  }
  // Far from the origin, next to how far they are from each other, roundings hide all differences.
  auto far = clustered_rows(2000, kDim, 21);
  for (float& value : far) value += 10;
  EXPECT_EQ(made(far).codes(), "int8");
  for (float& value : far) value += 100000;
  EXPECT_EQ(made(far).codes(), "none");
  // What a few components hold has no shorter form.
  Index narrow({.dim = 2, .metric = Metric::l2});
  narrow.add(random_rows(2000, 2, 22));
  EXPECT_EQ(narrow.codes(), "none");
}

TEST_F(CodesChosen, ForTheLongestVectorsToo) {
  for (const Metric metric : {Metric::l2, Metric::inner_product}) {
    auto rows = clustered_rows(1500, kDim, 26);
    const float longest = std::sqrt(6.79e37F);
    for (std::size_t row = 0; row < 1500; ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < kDim; ++i) squares += double{rows[row * kDim + i]} * rows[row * kDim + i];
      for (std::size_t i = 0; i < kDim; ++i) rows[row * kDim + i] *= longest / static_cast<float>(std::sqrt(squares));
    }
    const Index index = made(rows, metric);
    EXPECT_EQ(index.codes(), "nvfp4");
    for (const Match& match : index.search(row_of(rows, 9, kDim), 1500)) EXPECT_TRUE(std::isfinite(match.distance));
    expect_all_find_themselves(index);
  }
}

// A stream that drifts away from where the first vectors were.
TEST_F(CodesChosen, AnewAsTheIndexGrows) {
  const TemporaryFolder folder;
  Index index = made(clustered_rows(1100, kDim, 34));
  EXPECT_EQ(index.codes(), "nvfp4");
  index.save(folder.path() / "index.boon");
  Index loaded = Index::load(folder.path() / "index.boon");
  auto far = clustered_rows(4000, kDim, 35);
  for (float& value : far) value += 1000;
  for (Index* drifting : {&index, &loaded}) {
    drifting->add(far);
    EXPECT_EQ(drifting->codes(), "none");
    EXPECT_EQ(drifting->statistics().code_bytes, 0U);
    for (std::size_t row = 0; row < 100; ++row) {
      EXPECT_EQ(drifting->search(row_of(far, row, kDim), 1)[0].distance, 0.F);
    }
    expect_all_find_themselves(*drifting);
  }
}

TEST_F(CodesChosen, AmongCopiesToo) {
  auto rows = clustered_rows(20, kDim, 36);
  std::vector<float> copies;
  for (int i = 0; i < 200; ++i) copies.insert(copies.end(), rows.begin(), rows.end());
  EXPECT_EQ(made(copies).codes(), "nvfp4");
}

TEST_F(CodesChosen, BytesNeedNone) {
  Random random(23);
  std::vector<float> whole(2000 * kDim);
  for (float& value : whole) value = static_cast<float>(random.below(256));
  Index index = made(whole);
  EXPECT_EQ(index.statistics().component, "u8");
  EXPECT_EQ(index.codes(), "none");
  index.add(clustered_rows(10, kDim, 24));  // floats from here on
  EXPECT_EQ(index.statistics().component, "f32");
  EXPECT_NE(index.codes(), "none");
  expect_all_find_themselves(index);
}

TEST_F(CodesChosen, AnExactIndexHasNone) {
  Index index({.dim = kDim, .metric = Metric::l2, .kind = IndexKind::exact});
  index.add(clustered_rows(2000, kDim, 25));
  EXPECT_EQ(index.codes(), "none");
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
