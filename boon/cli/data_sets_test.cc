#include "boon/cli/data_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/temporary_folder.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Environment variables of this process, put back at the end.
class DataFolder : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, value] : saved_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  void set(const char* name, const char* value) {
    const char* before = std::getenv(name);
    saved_.emplace_back(name, before == nullptr ? std::nullopt : std::optional<std::string>(before));
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> saved_;
};

TEST_F(DataFolder, IsWhereTheEnvironmentSays) {
  set("BOON_DATA", "/big/disk");
  EXPECT_EQ(data_folder(), "/big/disk");
}

TEST_F(DataFolder, IsInTheCacheOtherwise) {
  set("BOON_DATA", nullptr);
  set("XDG_CACHE_HOME", "/cache");
  EXPECT_EQ(data_folder(), "/cache/boon/data");
}

TEST_F(DataFolder, IsInTheHomeFolderLast) {
  set("BOON_DATA", nullptr);
  set("XDG_CACHE_HOME", "relative, so to be ignored");
  set("HOME", "/home/ada");
  EXPECT_EQ(data_folder(), "/home/ada/.cache/boon/data");
}

std::string refusal(std::string_view name, const Path& folder) {
  try {
    find_data_set(name, folder);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    return error.what();
  }
  return "";
}

TEST(FindDataSet, ByNameInTheFolder) {
  const TemporaryFolder folder;
  folder.put("glove100.hdf5", "");
  EXPECT_EQ(find_data_set("glove100", folder.path()), folder / "glove100.hdf5");
}

TEST(FindDataSet, ByPath) {
  const TemporaryFolder folder;
  folder.put("mine.h5", "");
  EXPECT_EQ(find_data_set((folder / "mine.h5").native(), "/nowhere"), folder / "mine.h5");
}

TEST(FindDataSet, AMissingOneSaysHowToMakeIt) {
  EXPECT_THAT(refusal("glove100", "/nowhere"), HasSubstr("./dev data glove100"));
  EXPECT_THAT(refusal("no/file.hdf5", "/nowhere"), HasSubstr("no/file.hdf5"));
}

// 20 queries of one component, whose value is their row; the two nearest of query i are rows i and 100 + i.
BenchmarkSet twenty_queries() {
  BenchmarkSet set;
  set.test.dim = 1;
  set.truth_k = 2;
  for (int row = 0; row < 20; ++row) {
    set.test.values.push_back(static_cast<float>(row));
    set.neighbours.insert(set.neighbours.end(), {row, 100 + row});
  }
  return set;
}

TEST(TakeQueries, EveryTenthIsForTuning) {
  const Queries tuning = take_queries(twenty_queries(), QueryShare::tuning, 2);
  EXPECT_THAT(tuning.values, ElementsAre(0, 10));
  EXPECT_THAT(tuning.kth_nearest, ElementsAre(100U, 110U));
}

TEST(TakeQueries, TheOthersAreForReporting) {
  const Queries reporting = take_queries(twenty_queries(), QueryShare::reporting, 1);
  ASSERT_EQ(reporting.values.size(), 18U);
  EXPECT_EQ(reporting.values[0], 1);
  EXPECT_EQ(reporting.values[9], 11);
  EXPECT_EQ(reporting.kth_nearest[9], 11U);
}

TEST(TakeQueries, OrAllOfThem) {
  EXPECT_EQ(take_queries(twenty_queries(), QueryShare::all, 1).values.size(), 20U);
}

TEST(TakeQueries, MoreThanTheTruthKnowsIsRefused) {
  EXPECT_THROW(take_queries(twenty_queries(), QueryShare::all, 3), Error);
  EXPECT_THROW(take_queries(twenty_queries(), QueryShare::all, 0), Error);
}

}  // namespace
}  // namespace boon::cli
