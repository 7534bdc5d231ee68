// Vectors of whole numbers are held as bytes, and nobody can tell but by the memory they take.
#include "boon/index/rows.h"

#include "boon/core/temporary_folder.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

constexpr std::size_t kDim = 21;

std::vector<float> whole_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(rows * kDim);
  for (float& value : values) value = static_cast<float>(random.below(256));
  return values;
}

Index whole_index(std::size_t rows, std::uint64_t seed, Metric metric = Metric::l2) {
  Index index({.dim = kDim, .metric = metric, .graph = {.neighbours = 8, .build_beam = 40}});
  index.add(whole_rows(rows, seed));
  return index;
}

std::string component(const Index& index) {
  return std::string(index.statistics().component);
}

// Both kinds of query, against brute force in double precision.
void expect_true_answers(const Index& index, const std::vector<float>& rows) {
  auto queries = whole_rows(10, 77);
  const auto others = random_rows(10, kDim, 78);
  queries.insert(queries.end(), others.begin(), others.end());
  for (std::size_t q = 0; q < 20; ++q) {
    const auto query = row_of(queries, q, kDim);
    const auto truth = true_nearest(Metric::l2, rows, kDim, query, 10);
    const auto exact = index.search(query, 10, {.exact = true});
    ASSERT_EQ(exact.size(), truth.size());
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(exact[i].distance, truth[i], 1e-5 * truth[i]);
    EXPECT_GE(recall(index.search(query, 10, {.beam = 100}), truth), 0.9);
  }
}

TEST(FitsBytes, WholeNumbersFrom0To255AndNothingElse) {
  for (const std::size_t at : {0, 63, 64, 99}) {
    std::vector<float> vector(100, 7);
    for (const float good : {0.0F, -0.0F, 1.0F, 255.0F}) {
      vector[at] = good;
      EXPECT_TRUE(fits_bytes(vector)) << good << " at " << at;
    }
    for (const float bad : {-1.0F, 256.0F, 0.5F, 254.99998F, 1e30F, -1e30F, 1e-45F}) {
      vector[at] = bad;
      EXPECT_FALSE(fits_bytes(vector)) << bad << " at " << at;
    }
  }
  EXPECT_TRUE(fits_bytes({}));
}

TEST(Rows, WholeNumbersUnderL2AreHeldAsBytes) {
  const auto rows = whole_rows(800, 1);
  Index index = whole_index(800, 1);
  EXPECT_EQ(component(index), "u8");
  EXPECT_EQ(index.statistics().vector_bytes, 800U * 32);
  EXPECT_EQ(index.get(5), std::vector<float>(row_of(rows, 5, kDim).begin(), row_of(rows, 5, kDim).end()));
  expect_true_answers(index, rows);
  expect_all_find_themselves(index);
}

TEST(Rows, OtherMetricsHoldFloats) {
  EXPECT_EQ(component(whole_index(50, 2, Metric::cosine)), "fp32");
  EXPECT_EQ(component(whole_index(50, 2, Metric::inner_product)), "fp32");
}

TEST(Rows, OneFractionMakesFloatsOfAllAndChangesNoAnswer) {
  auto rows = whole_rows(600, 3);
  Index index = whole_index(600, 3);
  const auto query = whole_rows(1, 4);
  const auto before = index.search(query, 20, {.exact = true});

  auto last = whole_rows(1, 5);
  last[kDim - 1] += 0.5F;
  index.add(last);
  rows.insert(rows.end(), last.begin(), last.end());
  EXPECT_EQ(component(index), "fp32");
  EXPECT_EQ(index.get(600), last);
  auto after = index.search(query, 21, {.exact = true});
  std::erase_if(after, [](const Match& match) { return match.id == 600; });
  after.resize(20);
  EXPECT_EQ(after, before);
  expect_true_answers(index, rows);
  expect_all_find_themselves(index);

  // Whole numbers that come later are floats like the others.
  index.add(whole_rows(50, 6));
  EXPECT_EQ(component(index), "fp32");
  expect_all_find_themselves(index);
}

TEST(Rows, RefusedBatchDoesNotWiden) {
  Index index = whole_index(100, 7);
  auto more = random_rows(3, kDim, 8);
  EXPECT_EQ(thrown_by([&] { index.add(more, std::vector<Id>{200, 201, 50}); }).code, ErrorCode::already_exists);
  more[2 * kDim] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(thrown_by([&] { index.add(more); }).code, ErrorCode::invalid_argument);
  EXPECT_EQ(component(index), "u8");
  EXPECT_EQ(index.size(), 100U);
}

TEST(Rows, BytesOutliveRemovingReplacingAndCompacting) {
  Index index = whole_index(500, 9);
  std::vector<Id> removed(200), replaced(100);
  std::iota(removed.begin(), removed.end(), 100);
  std::iota(replaced.begin(), replaced.end(), 400);
  const auto fresh = whole_rows(100, 10);
  index.remove(removed);
  index.add(fresh, replaced, {.replace = true});
  expect_all_find_themselves(index);
  index.compact();
  EXPECT_EQ(component(index), "u8");
  EXPECT_EQ(index.size(), 300U);
  EXPECT_EQ(index.get(400), std::vector<float>(row_of(fresh, 0, kDim).begin(), row_of(fresh, 0, kDim).end()));
  EXPECT_EQ(index.search(row_of(fresh, 3, kDim), 1)[0], (Match{403, 0}));
  expect_all_find_themselves(index);
}

TEST(Rows, EmptiedIndexChoosesAnew) {
  Index index = whole_index(40, 11);
  index.remove(index.ids());
  index.compact();
  index.add(random_rows(40, kDim, 12));
  EXPECT_EQ(component(index), "fp32");
  expect_all_find_themselves(index);
  index.remove(index.ids());
  index.compact();
  const auto rows = whole_rows(40, 13);
  index.add(rows);
  EXPECT_EQ(component(index), "u8");
  expect_true_answers(index, rows);
}

TEST(Rows, SavedBytesOpenAsBytes) {
  TemporaryFolder folder;
  const Path path = folder.path() / "pixels.boon";
  const Index index = whole_index(500, 14);
  index.save(path);
  for (const bool view : {false, true}) {
    Index opened = view ? Index::view(path) : Index::load(path);
    EXPECT_EQ(component(opened), "u8");
    EXPECT_EQ(opened.get(499), index.get(499));
    for (const auto& query : {whole_rows(1, 15), random_rows(1, kDim, 15)}) {
      EXPECT_EQ(opened.search(query, 10), index.search(query, 10));
    }
    expect_all_find_themselves(opened);
    if (view) continue;
    opened.add(random_rows(5, kDim, 16));
    EXPECT_EQ(component(opened), "fp32");
    expect_all_find_themselves(opened);
  }
}

}  // namespace
}  // namespace boon::index
