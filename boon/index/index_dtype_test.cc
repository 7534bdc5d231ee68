// Vectors held as fp16 and bf16: rounded once, and all an index does goes by what is held.
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"
#include "boon/index/index.h"
#include "boon/index/rows.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kDim = 24;
constexpr Metric kMetrics[] = {Metric::l2, Metric::cosine, Metric::inner_product};

float rounded(std::string_view dtype, float x) {
  return kernels::with_type(
      element_of(dtype), [x]<class T>(std::type_identity<T>) { return kernels::to_float(kernels::from_float<T>(x)); });
}

// Rows as they are held: under cosine of length 1 before they are rounded.
std::vector<float> held_as(std::string_view dtype, Metric metric, std::vector<float> rows) {
  for (std::size_t first = 0; first < rows.size(); first += kDim) {
    double squares = 0;
    for (std::size_t i = 0; i < kDim; ++i) squares += double{rows[first + i]} * rows[first + i];
    const double scale = metric == Metric::cosine ? 1 / std::sqrt(squares) : 1;
    for (std::size_t i = 0; i < kDim; ++i) {
      rows[first + i] = rounded(dtype, static_cast<float>(rows[first + i] * scale)) + 0.0F;
    }
  }
  return rows;
}

// The k least distances to rows as they are held, in double; under cosine half the squared one.
std::vector<double> nearest_held(Metric metric, const std::vector<float>& held, std::span<const float> query,
                                 std::size_t k) {
  if (metric != Metric::cosine) return true_nearest(metric, held, kDim, query, k);
  std::vector<float> scaled(query.begin(), query.end());
  double squares = 0;
  for (const float x : query) squares += double{x} * x;
  for (float& x : scaled) x = static_cast<float>(x / std::sqrt(squares));
  std::vector<double> nearest = true_nearest(Metric::l2, held, kDim, scaled, k);
  for (double& distance : nearest) distance /= 2;
  return nearest;
}

std::string bytes_of_file(const Path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Dtype : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::string dtype() { return std::string(GetParam()); }
  static Index made(Metric metric = Metric::l2, const std::string& codes = "auto", IndexKind kind = IndexKind::hnsw) {
    return Index({.dim = kDim,
                  .metric = metric,
                  .graph = {.neighbours = 12, .build_beam = 60},
                  .kind = kind,
                  .codes = codes,
                  .dtype = dtype()});
  }
  static void expect_true_answers(const Index& index, const std::vector<float>& held) {
    const auto queries = clustered_rows(50, kDim, 77);
    const double unit = index.metric() == Metric::cosine ? 1 : 10;
    double found = 0;
    for (std::size_t q = 0; q < 50; ++q) {
      const auto query = row_of(queries, q, kDim);
      const auto truth = nearest_held(index.metric(), held, query, 10);
      const auto exact = index.search(query, 10, {.exact = true});
      ASSERT_EQ(exact.size(), truth.size());
      for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(exact[i].distance, truth[i], 1e-5 * unit) << q;
      const auto walked = index.search(query, 10, {.beam = 100});
      found += recall(walked, truth) / 50;
      // One distance for one row, however it is found.
      for (const Match& match : walked) {
        for (const Match& other : exact) {
          ASSERT_TRUE(other.id != match.id || other.distance == match.distance);
        }
      }
    }
    EXPECT_GT(found, .98);
  }
};
INSTANTIATE_TEST_SUITE_P(All, Dtype, ::testing::Values("fp16", "bf16"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(Dtype, VectorsAreRoundedOnceAndFoundByWhatTheyAre) {
  const auto rows = clustered_rows(2000, kDim, 1);
  for (const Metric metric : kMetrics) {
    const auto held = held_as(dtype(), metric, rows);
    for (const char* codes : {"none", "auto", "int8"}) {
      SCOPED_TRACE(std::string(name(metric)) + " " + codes);
      Index index = made(metric, codes);
      index.add(rows);
      EXPECT_EQ(index.statistics().component, dtype());
      EXPECT_EQ(index.statistics().vector_bytes, 2000 * kDim * 2);
      const auto row = row_of(held, 1999, kDim);
      EXPECT_EQ(index.get(1999), std::vector<float>(row.begin(), row.end()));
      expect_true_answers(index, held);
      expect_all_find_themselves(index);
    }
  }
}

TEST_P(Dtype, AnExactIndexRoundsToo) {
  const auto rows = clustered_rows(1500, kDim, 2);
  const auto queries = clustered_rows(60, kDim, 3);
  for (const Metric metric : kMetrics) {
    Index index = made(metric, "auto", IndexKind::exact);
    index.add(rows);
    const auto held = held_as(dtype(), metric, rows);
    expect_true_answers(index, held);
    // As many at once as make it keep a copy in 8 bits.
    const Matches many = index.search_many(queries, 10);
    for (std::size_t q = 0; q < 60; ++q) {
      const auto truth = nearest_held(metric, held, row_of(queries, q, kDim), 10);
      for (std::size_t i = 0; i < 10; ++i) ASSERT_NEAR(many.distances[q * 10 + i], truth[i], 1e-4) << q;
    }
  }
}

TEST_P(Dtype, ChangesKeepEveryRecord) {
  for (const Metric metric : kMetrics) {
    auto rows = clustered_rows(1200, kDim, 4);
    Index index = made(metric);
    index.add(rows);
    std::vector<Id> removed(300), replaced(200);
    std::iota(removed.begin(), removed.end(), 100);
    std::iota(replaced.begin(), replaced.end(), 900);
    index.remove(removed);
    expect_all_find_themselves(index);
    const auto fresh = clustered_rows(200, kDim, 5);
    index.add(fresh, replaced, {.replace = true});
    expect_all_find_themselves(index);
    index.add(clustered_rows(300, kDim, 6), removed);
    index.compact();
    EXPECT_EQ(index.size(), 1200U);
    expect_all_find_themselves(index);
    const auto held = held_as(dtype(), metric, fresh);
    const auto row = row_of(held, 199, kDim);
    EXPECT_EQ(index.get(1099), std::vector<float>(row.begin(), row.end()));
  }
}

TEST_P(Dtype, SavedAndOpenedItIsTheSame) {
  TemporaryFolder folder;
  const Path path = folder.path() / "a.boon", again = folder.path() / "b.boon";
  const auto queries = clustered_rows(20, kDim, 8);
  for (const Metric metric : kMetrics) {
    for (const IndexKind kind : {IndexKind::hnsw, IndexKind::exact}) {
      Index index = made(metric, "auto", kind);
      index.add(clustered_rows(1200, kDim, 7));
      if (kind == IndexKind::hnsw) index.calibrate();
      index.save(path);
      for (const bool view : {false, true}) {
        Index opened = view ? Index::view(path) : Index::load(path);
        EXPECT_EQ(opened.options().dtype, dtype());
        EXPECT_EQ(opened.statistics().component, dtype());
        EXPECT_EQ(opened.codes(), index.codes());
        EXPECT_EQ(opened.kind(), kind);
        EXPECT_EQ(opened.calibrations().size(), index.calibrations().size());
        for (std::size_t q = 0; q < 20; ++q) {
          EXPECT_EQ(opened.search(row_of(queries, q, kDim), 10), index.search(row_of(queries, q, kDim), 10));
        }
        expect_all_find_themselves(opened);
        if (view) continue;
        opened.save(again);
        EXPECT_EQ(bytes_of_file(again), bytes_of_file(path));
        opened.add(clustered_rows(50, kDim, 9));
        expect_all_find_themselves(opened);
      }
    }
  }
}

TEST_P(Dtype, TheSameInputGivesTheSameFileOnAnyNumberOfThreads) {
  TemporaryFolder folder;
  const auto rows = clustered_rows(1500, kDim, 10);
  std::string first;
  for (const std::size_t threads : {1, 8}) {
    Index index = made(Metric::cosine);
    index.add(rows, {}, {.threads = threads});
    index.save(folder.path() / "a.boon");
    if (threads == 1) first = bytes_of_file(folder.path() / "a.boon");
    EXPECT_TRUE(bytes_of_file(folder.path() / "a.boon") == first);
  }
}

// Whole numbers are exact in a byte, in fp16 and in bf16.
TEST_P(Dtype, WholeNumbersAreBytesUntilThereIsAFraction) {
  TemporaryFolder folder;
  Random random(11);
  std::vector<float> pixels(600 * kDim);
  for (float& value : pixels) value = static_cast<float>(random.below(256));
  Index index = made();
  index.add(pixels);
  EXPECT_EQ(index.statistics().component, "u8");
  index.save(folder.path() / "pixels.boon");
  Index opened = Index::load(folder.path() / "pixels.boon");
  EXPECT_EQ(opened.statistics().component, "u8");
  const auto query = row_of(pixels, 5, kDim);
  const auto before = opened.search(query, 20, {.exact = true});
  std::vector<float> far(kDim, 9000.5F);
  opened.add(far);
  EXPECT_EQ(opened.statistics().component, dtype());
  EXPECT_EQ(opened.search(query, 20, {.exact = true}), before);
  EXPECT_EQ(opened.get(600), held_as(dtype(), Metric::l2, far));
  expect_all_find_themselves(opened);
}

// Zeros that come of small negative numbers are zeros, so rows that round alike are copies.
TEST_P(Dtype, RowsThatRoundAlikeAreCopies) {
  std::vector<float> rows(40 * kDim, 1);
  for (std::size_t row = 0; row < 40; ++row) {
    rows[row * kDim] = row % 2 == 0 ? 0.0F : std::numeric_limits<float>::denorm_min() * -1;
    rows[row * kDim + 1] = 1 + static_cast<float>(row) * 1e-6F;
  }
  Index index = made();
  index.add(rows);
  EXPECT_EQ(index.statistics().twins, 39U);
  expect_all_find_themselves(index);
}

// A file whose sections can be exchanged.
class DtypeFile : public Dtype {
 protected:
  void SetUp() override {
    Index index = made();
    index.add(clustered_rows(20, kDim, 12));
    index.save(folder_.path() / "a.boon");
    file_ = MappedFile(folder_.path() / "a.boon");
    container_ = read_container(file_.bytes(), "a.boon");
    rows_.assign(section("vectors").bytes.begin(), section("vectors").bytes.end());
  }
  Section& section(std::string_view name) { return *std::ranges::find(container_.sections, name, &Section::name); }
  // Of a vector, component 3 is made infinite or NaN.
  std::vector<std::byte> rows_with(std::uint16_t bits) {
    std::vector<std::byte> rows = rows_;
    std::memcpy(rows.data() + 6, &bits, 2);
    return rows;
  }
  Path changed() {
    write_container(folder_.path() / "wrong.boon", container_.version, container_.sections);
    return folder_.path() / "wrong.boon";
  }
  void expect_damaged(const char* why) {
    const Thrown thrown = thrown_by([&] { Index::load(changed()); });
    EXPECT_EQ(thrown.code, ErrorCode::corrupted);
    EXPECT_THAT(thrown.message, HasSubstr(why));
  }

  TemporaryFolder folder_;
  MappedFile file_;
  Container container_;
  std::vector<std::byte> rows_;
};
INSTANTIATE_TEST_SUITE_P(All, DtypeFile, ::testing::Values("fp16", "bf16"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(DtypeFile, WhatIsNoNumberIsRefused) {
  EXPECT_EQ(container_.version, 5U);
  const std::uint16_t infinity = GetParam() == "fp16" ? 0x7c00 : 0x7f80;
  for (const int bits : {infinity + 0, infinity + 1, infinity + 0x8000, 0x7fff, 0xffff}) {
    const auto rows = rows_with(static_cast<std::uint16_t>(bits));
    section("vectors").bytes = rows;
    expect_damaged("not a number");
    // Mapped, nobody has looked at it; it is not found, and all others are.
    const Index view = Index::view(changed());
    const std::vector<float> other = view.get(7);
    EXPECT_EQ(view.search(other, 1)[0].id, 7U);
    EXPECT_EQ(view.search(other, 1, {.exact = true})[0].id, 7U);
    view.check();
  }
}

TEST_P(DtypeFile, RowsOfAnotherLengthAreRefused) {
  const auto rows = rows_with(0);
  section("vectors").bytes = Bytes(rows).first(rows.size() / 2);
  expect_damaged("do not fit together");
}

TEST_P(DtypeFile, UnknownDtypesAreRefused) {
  for (const std::string dtype : {"", "fp32", "fp8", "u8"}) {
    section("dtype").bytes = as_bytes(dtype.data(), dtype.size());
    expect_damaged("held in an unknown way");
  }
}

TEST_P(Dtype, FiltersBoundsAndRecallsGoByWhatIsHeld) {
  const auto rows = clustered_rows(3000, kDim, 16);
  const auto queries = clustered_rows(40, kDim, 17);
  for (const Metric metric : kMetrics) {
    Index index = made(metric);
    index.add(rows);
    index.calibrate();
    double found = 0;
    for (std::size_t q = 0; q < 40; ++q) {
      const auto query = row_of(queries, q, kDim);
      const SearchOptions even{.beam = 100, .filter = Filter::where([](Id id) { return id % 2 == 0; })};
      for (const Match& match : index.search(query, 10, even)) EXPECT_EQ(match.id % 2, 0U);
      const auto exact = index.search(query, 30, {.exact = true});
      const auto near = index.search_range(query, {.beam = 200, .max_distance = exact[9].distance});
      for (const Match& match : near) EXPECT_LE(match.distance, exact[9].distance);
      const auto ten = index.search(query, 10, {.target_recall = .95});
      for (const Match& match : ten) found += match.distance <= exact[9].distance ? 1. / 400 : 0;
    }
    EXPECT_GE(found, .93) << name(metric);
  }
}

// Rounding up must not lift a row over what queries and codecs take.
TEST(Dtypes, Bf16RefusesWhatItWouldLiftOverTheLimit) {
  std::vector<float> rows(2 * kDim, 0);
  rows[0] = 1;
  rows[kDim] = 8.24e18F;  // its square is 6.79e37, that of what bf16 makes of it 6.81e37
  Index index({.dim = kDim, .metric = Metric::l2, .dtype = "bf16"});
  const Thrown thrown = thrown_by([&] { index.add(rows); });
  EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
  EXPECT_THAT(thrown.message, HasSubstr("row 1 is too long"));
  EXPECT_EQ(index.size(), 0U);
}

// A code is worth its memory if it is half as long as what is held.
TEST(Dtypes, CodesAreChosenBesideWhatIsHeld) {
  const auto rows = clustered_rows(1500, 64, 18);
  for (const char* dtype : {"fp32", "fp16", "bf16"}) {
    Index index({.dim = 64, .metric = Metric::l2, .dtype = dtype});
    index.add(rows);
    EXPECT_TRUE(index.codes() == "none" || index.statistics().code_bytes * 2 <= index.statistics().vector_bytes);
    EXPECT_EQ(thrown_by([&] { Index({.dim = 64, .codes = "fp16", .dtype = "bf16"}); }).code,
              ErrorCode::invalid_argument);
  }
}

TEST(Dtypes, Fp16RefusesWhatItCannotHoldAndNothingChanges) {
  Index index({.dim = kDim, .metric = Metric::l2, .dtype = "fp16"});
  index.add(random_rows(30, kDim, 13));
  auto rows = random_rows(3, kDim, 14);
  rows[kDim + 5] = 65520;  // the least that rounds to infinity
  Thrown thrown = thrown_by([&] { index.add(rows); });
  EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
  EXPECT_EQ(thrown.message,
            "row 1, component 5 is 65520, more than fp16 holds; take the dtype fp32, or scale the data");
  for (std::size_t i = 0; i < kDim; ++i) rows[kDim + i] = 1e-8F;
  thrown = thrown_by([&] { index.add(rows); });
  EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
  EXPECT_EQ(thrown.message, "row 1 is so short that fp16 makes zeros of it; take the dtype fp32, or scale the data");
  EXPECT_EQ(index.size(), 30U);
  rows[kDim + 5] = 65519;
  index.add(rows);
  EXPECT_EQ(index.get(31)[5], 65504);
  expect_all_find_themselves(index);
}

TEST(Dtypes, OthersHoldIt) {
  auto rows = random_rows(20, kDim, 15);
  for (float& x : rows) x *= 1e9F;
  Index wide({.dim = kDim, .metric = Metric::l2, .dtype = "bf16"});
  wide.add(rows);
  expect_all_find_themselves(wide);
  Index cosine({.dim = kDim, .metric = Metric::cosine, .dtype = "fp16"});  // of length 1
  cosine.add(rows);
  for (float& x : rows) x *= 1e-30F;
  cosine.add(rows);
  EXPECT_EQ(cosine.size(), 40U);
  EXPECT_EQ(cosine.statistics().twins, 20U);
  expect_all_find_themselves(cosine);
}

TEST(Dtypes, UnknownOnesAreRefused) {
  EXPECT_EQ(thrown_by([] { Index({.dim = 4, .dtype = "fp8"}); }).message,
            "dtype is \"fp8\", but must be one of fp32, fp16, bf16");
}

TEST(Dtypes, AFileOfTheFirstFormatWithDtypesOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/format5.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    EXPECT_EQ(index.size(), 100U);
    EXPECT_EQ(index.options().dtype, "fp16");
    EXPECT_EQ(index.metric(), Metric::l2);
    EXPECT_EQ(index.get(3), (std::vector<float>{3.5F, 21.5F, 147.5F, 5.5F, 35.5F}));  // i * 7^j mod 256, and a half
    expect_all_find_themselves(index);
  }
}

}  // namespace
}  // namespace boon::index
