// Codes in files, and codes that an index chooses.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "boon/core/temporary_folder.h"
#include "boon/index/codes_testing.h"
#include "boon/index/container.h"
#include "boon/index/index.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_EQ(index.statistics().component, "fp32");
  EXPECT_NE(index.codes(), "none");
  expect_all_find_themselves(index);
}

TEST_F(CodesChosen, AnExactIndexHasNone) {
  Index index({.dim = kDim, .metric = Metric::l2, .kind = IndexKind::exact});
  index.add(clustered_rows(2000, kDim, 25));
  EXPECT_EQ(index.codes(), "none");
}

}  // namespace
}  // namespace boon::index
