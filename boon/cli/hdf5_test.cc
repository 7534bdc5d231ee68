#include <hdf5.h>

#include <algorithm>
#include <cmath>

#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/temporary_folder.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

// Makes HDF5 files in a folder of its own.
class Hdf5 : public testing::Test {
 protected:
  Hdf5() : path_(folder_ / "set.hdf5"), file_(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5() override { close(); }

  template <class T>
  void put(const char* name, hid_t type, std::vector<hsize_t> extent, const std::vector<T>& values) {
    const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) {
      ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    H5Dclose(set);
    H5Sclose(space);
  }

  void put_words(const std::vector<const char*>& words) {
    const hid_t type = string_type(H5T_VARIABLE);
    put("words", type, {words.size()}, words);
    H5Tclose(type);
  }

  void put_metric(const char* metric, bool variable = true) {
    const hid_t type = string_type(variable ? H5T_VARIABLE : std::char_traits<char>::length(metric));
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file_, "distance", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, variable ? static_cast<const void*>(&metric) : metric);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

  void put_truth(std::vector<std::int32_t> neighbours = {2, 0}) {
    put_metric("angular");
    put<float>("train", H5T_NATIVE_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
    put<float>("test", H5T_NATIVE_FLOAT, {1, 2}, {7, 8});
    put("neighbors", H5T_NATIVE_INT32, {1, 2}, neighbours);
    put<float>("distances", H5T_NATIVE_FLOAT, {1, 2}, {0.25F, 0.5F});
  }

  VectorTable read(const ReadOptions& options = {}) {
    close();
    return read_vectors(path_, options);
  }

  auto error(const ReadOptions& options = {}) {
    return error_of([&] { read(options); });
  }

  BenchmarkSet read_benchmark() {
    close();
    return read_benchmark_set(path_);
  }

  auto benchmark_error() {
    return error_of([&] { read_benchmark(); });
  }

  std::string bytes() {
    close();
    return folder_.get("set.hdf5");
  }

  void close() {
    if (file_ >= 0) H5Fclose(file_);
    file_ = -1;
  }

  static hid_t string_type(std::size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }

  TemporaryFolder folder_;
  Path path_;
  hid_t file_;
};

TEST_F(Hdf5, ABenchmarkSet) {
  put_truth();
  put_words({"eins", "zwei", "dreißig"});
  const BenchmarkSet set = read_benchmark();
  EXPECT_EQ(set.metric, "angular");
  EXPECT_EQ(set.train.dim, 2U);
  EXPECT_THAT(set.train.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(set.train.names, ElementsAre("eins", "zwei", "dreißig"));
  EXPECT_THAT(set.test.values, ElementsAre(7, 8));
  EXPECT_TRUE(set.test.names.empty());
  EXPECT_EQ(set.truth_k, 2U);
  EXPECT_THAT(set.neighbours, ElementsAre(2, 0));
  EXPECT_THAT(set.distances, ElementsAre(0.25F, 0.5F));
}

TEST_F(Hdf5, EachTypeOfNumber) {
  put<double>("f8", H5T_NATIVE_DOUBLE, {1, 2}, {0.1, -1e-300});
  put<std::int8_t>("i1", H5T_NATIVE_INT8, {1, 2}, {-128, 127});
  put<std::uint8_t>("u1", H5T_NATIVE_UINT8, {1, 2}, {0, 255});
  put<std::int64_t>("i8", H5T_NATIVE_INT64, {1, 2}, {-3, 4});
  EXPECT_THAT(read({.dataset = "f8"}).values, ElementsAre(0.1F, 0));
  EXPECT_THAT(read({.dataset = "i1"}).values, ElementsAre(-128, 127));
  EXPECT_THAT(read({.dataset = "u1"}).values, ElementsAre(0, 255));
  EXPECT_THAT(read({.dataset = "i8"}).values, ElementsAre(-3, 4));
}

TEST_F(Hdf5, DoublesOfManyBlocksArriveInOrder) {
  constexpr std::size_t kRows = 3000, kDim = 700;
  std::vector<double> values(kRows * kDim);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  put("train", H5T_NATIVE_DOUBLE, {kRows, kDim}, values);
  const VectorTable table = read();
  ASSERT_EQ(table.rows(), kRows);
  EXPECT_TRUE(std::equal(table.values.begin(), table.values.end(), values.begin()));
}

TEST_F(Hdf5, ValuesThatNoFloatHoldsNameRowAndComponent) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 2}, {1, 2, 3, NAN});
  put<double>("wide", H5T_NATIVE_DOUBLE, {2, 2}, {1, 2, 1e300, 4});
  EXPECT_THAT(error(), IsError(ErrorCode::invalid_argument, "set \"train\" row 1, component 1 is NaN"));
  EXPECT_THAT(error({.dataset = "wide"}),
              IsError(ErrorCode::invalid_argument, "row 1, component 0 is 1e+300, more than"));
}

TEST_F(Hdf5, MissingSetsListThoseThatExist) {
  put<float>("base", H5T_NATIVE_FLOAT, {1, 1}, {1});
  put<float>("queries", H5T_NATIVE_FLOAT, {1, 1}, {1});
  EXPECT_THAT(error(), IsError(ErrorCode::invalid_argument, "no set \"train\"; it has: \"base\", \"queries\""));
  EXPECT_THAT(benchmark_error(), IsError(ErrorCode::invalid_argument, "the attribute \"distance\" is missing"));
}

TEST_F(Hdf5, AnEmptyFileHasNoSets) {
  EXPECT_THAT(error(), IsError(ErrorCode::invalid_argument, "it has: none"));
}

TEST_F(Hdf5, SetsOfAnotherShapeOrTypeAreRefused) {
  put<float>("line", H5T_NATIVE_FLOAT, {3}, {1, 2, 3});
  put<float>("cube", H5T_NATIVE_FLOAT, {1, 1, 1}, {1});
  put<float>("flat", H5T_NATIVE_FLOAT, {3, 0}, {});
  put<float>("none", H5T_NATIVE_FLOAT, {0, 3}, {});
  put_words({"a"});
  H5Gclose(H5Gcreate2(file_, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(error({.dataset = "line"}), IsError(ErrorCode::invalid_argument, "\"line\" has 1 axes"));
  EXPECT_THAT(error({.dataset = "cube"}), IsError(ErrorCode::invalid_argument, "\"cube\" has 3 axes"));
  EXPECT_THAT(error({.dataset = "flat"}), IsError(ErrorCode::invalid_argument, "dimension 0"));
  EXPECT_THAT(error({.dataset = "none"}), IsError(ErrorCode::invalid_argument, "holds no vectors"));
  EXPECT_THAT(error({.dataset = "words"}), IsError(ErrorCode::invalid_argument, "does not hold numbers"));
  EXPECT_THAT(error({.dataset = "group"}), IsError(ErrorCode::corrupted, "\"group\""));
}

TEST_F(Hdf5, ExtentsWithoutBytesAreRefusedBeforeAnyAllocation) {
  put<float>("train", H5T_NATIVE_FLOAT, {1'000'000'000'000, 100}, {});
  EXPECT_THAT(error(), IsError(ErrorCode::corrupted, "claims 400000000000000 bytes of values, and 0 are stored"));
}

TEST_F(Hdf5, CutShortAnywhereIsCorrupted) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 2}, {1, 2, 3, 4});
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const Exact cut(whole.substr(0, size));
    EXPECT_THAT(error_of([&] { parse_hdf5(cut.bytes(), "cut.hdf5", {}); }), IsError(ErrorCode::corrupted, "cut.hdf5"))
        << size;
  }
}

TEST_F(Hdf5, OtherFilesAreCorrupted) {
  close();
  folder_.put("set.hdf5", "king 1 2\n");
  EXPECT_THAT(error(), IsError(ErrorCode::corrupted, "is not a whole HDF5 file"));
}

TEST_F(Hdf5, ReadsFromMemoryToo) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 2}, {1, 2, 3, 4});
  const Exact image(bytes());
  EXPECT_THAT(parse_hdf5(image.bytes(), "standard input", {}).values, ElementsAre(1, 2, 3, 4));
}

TEST_F(Hdf5, ReadsNoMoreRowsThanAsked) {
  put<float>("train", H5T_NATIVE_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
  put_words({"a", "b", "c"});
  const VectorTable table = read({.max_rows = 2});
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(table.names, ElementsAre("a", "b"));
}

TEST_F(Hdf5, WordsMustNameEachRow) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 1}, {1, 2});
  put_words({"a", "b", "c"});
  EXPECT_THAT(error(), IsError(ErrorCode::invalid_argument, "\"words\" names 3 rows, and there are 2"));
}

TEST_F(Hdf5, WordsMustBeUtf8) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 1}, {1, 2});
  put_words({"a", "\xFF"});
  EXPECT_THAT(error(), IsError(ErrorCode::corrupted, "\"words\" row 1: \"\\xff\" is not UTF-8"));
}

TEST_F(Hdf5, WordsOfFixedLength) {
  put<float>("train", H5T_NATIVE_FLOAT, {2, 1}, {1, 2});
  const hid_t type = string_type(3);
  put<char>("words", type, {2}, {'a', '\0', '\0', 'b', 'c', 'd'});
  H5Tclose(type);
  EXPECT_THAT(read().names, ElementsAre("a", "bcd"));
}

TEST_F(Hdf5, TheMetricMayHaveAFixedLength) {
  put_metric("euclidean", false);
  put<float>("train", H5T_NATIVE_FLOAT, {1, 1}, {1});
  put<float>("test", H5T_NATIVE_FLOAT, {1, 1}, {1});
  put<std::int32_t>("neighbors", H5T_NATIVE_INT32, {1, 1}, {0});
  put<float>("distances", H5T_NATIVE_FLOAT, {1, 1}, {0});
  EXPECT_EQ(read_benchmark().metric, "euclidean");
}

TEST_F(Hdf5, TruthMustPointIntoTheTrainingSet) {
  put_truth({2, 3});
  EXPECT_THAT(benchmark_error(), IsError(ErrorCode::invalid_argument, "row 0 names row 3 of \"train\", which has 3"));
}

TEST_F(Hdf5, TruthMustHaveARowForEachQuery) {
  put_metric("angular");
  put<float>("train", H5T_NATIVE_FLOAT, {1, 1}, {1});
  put<float>("test", H5T_NATIVE_FLOAT, {2, 1}, {1, 2});
  put<std::int32_t>("neighbors", H5T_NATIVE_INT32, {1, 1}, {0});
  put<float>("distances", H5T_NATIVE_FLOAT, {1, 1}, {0});
  EXPECT_THAT(benchmark_error(), IsError(ErrorCode::invalid_argument, "\"neighbors\" has 1 rows, and \"test\" has 2"));
}

TEST_F(Hdf5, TheCallersErrorReportingIsLeftAsItWas) {
  const auto none = [](hid_t, void*) -> herr_t { return 0; };
  H5E_auto2_t before = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, none, nullptr);
  EXPECT_TRUE(error());
  H5E_auto2_t after = nullptr;
  void* unused = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &after, &unused);
  EXPECT_EQ(after, static_cast<H5E_auto2_t>(none));
  H5Eset_auto2(H5E_DEFAULT, before, data);
}

}  // namespace
}  // namespace boon::cli
