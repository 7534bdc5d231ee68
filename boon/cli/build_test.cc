#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <array>

#include "boon/cli/cli_testing.h"
#include "boon/cli/parser_testing.h"
#include "boon/core/file.h"
#include "boon/core/random.h"

namespace boon::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

class Build : public CommandLine {
 protected:
  // Two vectors, (3, 4) and (0, 2).
  static std::string npy() {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    header.resize(117, ' ');
    std::string text("\x93NUMPY\x01\x00", 8);
    text += raw<std::uint16_t>(118) + header + '\n';
    for (const float value : {3.0F, 4.0F, 0.0F, 2.0F}) text += raw(value);
    return text;
  }
  // The same two as the set "train".
  void put_hdf5(std::string_view name, const std::string& metric) const {
    const hid_t file = H5Fcreate(path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const std::array<hsize_t, 2> extent{2, 2};
    const std::array<float, 4> values{3, 4, 0, 2};
    const hid_t space = H5Screate_simple(2, extent.data(), nullptr);
    const hid_t set = H5Dcreate2(file, "train", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, metric.size());
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file, "distance", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, text, metric.data());
    H5Aclose(attribute);
    H5Sclose(scalar);
    H5Tclose(text);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
  }
  static std::string fvecs() {
    return raw<std::int32_t>(2) + raw(3.0F) + raw(4.0F) + raw<std::int32_t>(2) + raw(0.0F) + raw(2.0F);
  }
};

TEST_F(Build, ReadsEveryKindOfFile) {
  put("v.npy", npy());
  put("v.fvecs", fvecs());
  put("v.txt", "a 3 4\nb 0 2\n");
  put("v.jsonl", "{\"id\": 0, \"vector\": [3, 4]}\n{\"id\": 1, \"vector\": [0, 2]}\n");
  put_hdf5("v.hdf5", "euclidean");
  put("v.bvecs", raw<std::int32_t>(2) + "\x03\x04" + raw<std::int32_t>(2) + std::string("\x00\x02", 2));
  for (const char* name : {"v.npy", "v.fvecs", "v.bvecs", "v.hdf5", "v.txt", "v.jsonl"}) {
    SCOPED_TRACE(name);
    ASSERT_THAT(boon({"build", path(name), "-o", "@v.boon", "--metric", "l2", "--force"}), Worked());
    const auto results = boon({"search", "@v.boon", "--vector", "0,2.5", "--json"}).json()["results"];
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0]["id"], 1);
    EXPECT_FLOAT_EQ(results[0]["distance"].get<float>(), 0.25F);
    EXPECT_FLOAT_EQ(results[1]["distance"].get<float>(), 9 + 2.25F);
  }
}

TEST_F(Build, AFormatMayBeNamed) {
  put("v", fvecs());
  ASSERT_THAT(boon({"build", "@v", "-o", "@v.boon", "--format", "fvecs"}), Worked());
  EXPECT_EQ(vectors_in("v.boon"), 2U);
}

TEST_F(Build, TheMetricComesFromAnHdf5FileThatNamesIt) {
  put_hdf5("v.hdf5", "euclidean");
  ASSERT_THAT(boon({"build", "@v.hdf5", "-o", "@v.boon"}), Worked());
  EXPECT_EQ(boon({"info", "@v.boon", "--json"}).json()["metric"], "l2");
  ASSERT_THAT(boon({"build", "@v.hdf5", "-o", "@v.boon", "--metric", "cosine", "--force"}), Worked());
  EXPECT_EQ(boon({"info", "@v.boon", "--json"}).json()["metric"], "cosine");
  EXPECT_THAT(boon({"build", "@v.hdf5", "-o", "@v.boon", "--dataset", "test", "--force"}), Failed(2, "\"train\""));
}

TEST_F(Build, SaysWhatItMade) {
  put("words.txt", kWords);
  const Outcome made = boon({"build", "@words.txt", "-o", "@words.boon", "--json"});
  ASSERT_THAT(made, Worked());
  EXPECT_THAT(made.err, HasSubstr("8 vectors, dimension 4, cosine"));
  EXPECT_EQ(made.json()["vectors"], kWordCount);
  EXPECT_EQ(made.json()["metric"], "cosine");
  EXPECT_EQ(made.json()["named"], true);
  EXPECT_EQ(made.json()["bytes"], get("words.boon").size());
  EXPECT_THAT(files(), ElementsAre("words.boon", "words.txt"));
}

// Whether so narrow a build leaves vectors behind is the graph's affair; that they are spoken of is the command's.
TEST_F(Build, VectorsThatNothingLeadsToAreCounted) {
  Random random(1);
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += fmt::format("w{}", i);
    for (int component = 0; component < 16; ++component) text += fmt::format(" {}", random.normal());
    text += '\n';
  }
  put("w.txt", text);
  const Outcome made = boon({"build", "@w.txt", "-o", "@w.boon", "-M", "2", "--build-beam", "1"});
  ASSERT_THAT(made, Worked());
  const auto unreachable = boon({"info", "@w.boon", "--json"}).json()["unreachable"].get<int>();
  EXPECT_EQ(made.err.find(fmt::format("no path of links leads to {} of the vectors", unreachable)) != std::string::npos,
            unreachable > 0);
}

TEST_F(Build, KeepsItsOptionsInTheFile) {
  put("words.txt", kWords);
  ASSERT_THAT(boon({"build", "@words.txt", "-o", "@words.boon", "--metric", "ip", "-M", "8", "--ef-construction", "50",
                    "--level-mult", "4", "--alpha", "1", "--seed", "7"}),
              Worked());
  const auto info = boon({"info", "@words.boon", "--json"}).json();
  EXPECT_EQ(info["metric"], "ip");
  EXPECT_EQ(info["options"]["neighbours"], 8);
  EXPECT_EQ(info["options"]["build_beam"], 50);
  EXPECT_EQ(info["options"]["level_mult"], 4);
  EXPECT_EQ(info["options"]["alpha"], 1);
  EXPECT_EQ(info["options"]["seed"], 7);
}

TEST_F(Build, CodesAreKeptInTheFile) {
  put("words.txt", kWords);
  const Outcome made = boon({"build", "@words.txt", "-o", "@words.boon", "--codes", "nvfp4", "--json"});
  ASSERT_THAT(made, Worked());
  EXPECT_EQ(made.json()["codes"], "nvfp4");
  const auto info = boon({"info", "@words.boon", "--json"}).json();
  EXPECT_EQ(info["codes"], "nvfp4");
  EXPECT_EQ(info["memory"]["codes"], kWordCount * (8 + 8 + 4));  // a block: scales and codes, and what fills up to 4
  EXPECT_THAT(boon({"info", "@words.boon"}).out, HasSubstr("memory, codes"));
  EXPECT_THAT(answers({"@words.boon", "--like", "apple", "-k", "1"}), ElementsAre("pear"));
  EXPECT_THAT(boon({"doctor", "@words.boon"}), Worked());
}

TEST_F(Build, ADtypeHalvesTheVectors) {
  std::string text;
  Random random(1);
  for (int row = 0; row < 50; ++row) {
    text += fmt::format("w{}", row);
    for (int i = 0; i < 16; ++i) text += fmt::format(" {}", random.normal());
    text += '\n';
  }
  put("words.txt", text);
  const auto bytes = [&](const char* dtype) -> std::size_t {
    const Outcome made = boon({"build", "@words.txt", "-o", "@words.boon", "--dtype", dtype, "--force", "--json"});
    EXPECT_THAT(made, Worked());
    EXPECT_EQ(made.json()["dtype"], dtype);
    EXPECT_THAT(boon({"doctor", "@words.boon"}), Worked());
    const auto info = boon({"info", "@words.boon", "--json"}).json();
    EXPECT_EQ(info["component"], dtype);
    return info["memory"]["vectors"];
  };
  EXPECT_EQ(bytes("fp16") * 2, bytes("fp32"));
  EXPECT_EQ(bytes("bf16"), bytes("fp16"));
}

TEST_F(Build, WhatFp16CannotHoldIsRefusedAndTheFileStays) {
  put("some.jsonl", "{\"id\": 1, \"vector\": [1, 2, 3]}\n{\"id\": 2, \"vector\": [4, 200, 6]}\n");
  put("more.jsonl", "{\"id\": 3, \"vector\": [1, 0.5, 3]}\n{\"id\": 4, \"vector\": [1e5, 2, 3]}\n");
  ASSERT_THAT(boon({"build", "@some.jsonl", "-o", "@s.boon", "--metric", "l2", "--dtype", "fp16"}), Worked());
  EXPECT_THAT(boon({"info", "@s.boon"}).out,
              AllOf(ContainsRegex("component +u8"), ContainsRegex("others become +fp16")));
  EXPECT_EQ(boon({"info", "@s.boon", "--json"}).json()["dtype"], "fp16");
  const auto before = get("s.boon");
  EXPECT_THAT(boon({"add", "@s.boon", "@more.jsonl"}), Failed(2, "row 1, component 0 is 100000, more than fp16 holds"));
  EXPECT_EQ(get("s.boon"), before);
}

TEST_F(Build, ReadsStandardInput) {
  put("words.txt", kWords);
  const int kept = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(path("words.txt").c_str(), "r", stdin), nullptr);
  const Outcome made = boon({"build", "-", "-o", "@words.boon"});
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ASSERT_THAT(made, Worked());
  EXPECT_EQ(vectors_in("words.boon"), kWordCount);
}

TEST_F(Build, NonAsciiPathsWork) {
  put("données 数据 😀.txt", kWords);
  ASSERT_THAT(boon({"build", "@données 数据 😀.txt", "-o", "@é😀.boon"}), Worked());
  EXPECT_THAT(answers({"@é😀.boon", "--like", "apple", "-k", "1"}), ElementsAre("pear"));
}

TEST_F(Build, PathsThatAreNotUtf8Work) {
  const std::string name = "caf\xe9.boon";
  put("words.txt", kWords);
  ASSERT_THAT(boon({"build", "@words.txt", "-o", path(name)}), Worked());
  EXPECT_THAT(boon({"info", path(name), "--json"}), Worked());
  EXPECT_THAT(boon({"info", path("no\xe9")}), Failed(3, "no\\xe9"));
}

TEST_F(Build, AnExistingFileIsKeptUnlessForced) {
  put("words.txt", kWords);
  put("words.boon", "precious");
  EXPECT_THAT(boon({"build", "@words.txt", "-o", "@words.boon"}), Failed(4, "--force"));
  EXPECT_EQ(get("words.boon"), "precious");
  EXPECT_THAT(boon({"build", "@words.txt", "-o", "@words.boon", "--force"}), Worked());
  EXPECT_EQ(vectors_in("words.boon"), kWordCount);
}

TEST_F(Build, ABadInputLeavesAnExistingFileAlone) {
  put("words.boon", "precious");
  put("bad.txt", "a 1 2\nb 1 nan\n");
  EXPECT_THAT(boon({"build", "@bad.txt", "-o", "@words.boon", "--force"}), Failed(2, "bad.txt line 2"));
  EXPECT_EQ(get("words.boon"), "precious");
  EXPECT_THAT(files(), ElementsAre("bad.txt", "words.boon"));
}

TEST_F(Build, AZeroVectorHasNoDirection) {
  put("v.txt", "a 1 2\nb 0 0\n");
  EXPECT_THAT(boon({"build", "@v.txt", "-o", "@v.boon"}), Failed(2, "v.txt: row 1 is a vector of zeros"));
  EXPECT_FALSE(exists("v.boon"));
  EXPECT_THAT(boon({"build", "@v.txt", "-o", "@v.boon", "--metric", "l2"}), Worked());
}

TEST_F(Build, ANameMayStandForOneVectorOnly) {
  put("v.txt", "a 1 2\nb 3 4\na 5 6\n");
  EXPECT_THAT(boon({"build", "@v.txt", "-o", "@v.boon"}), Failed(2, "\"a\" twice, in rows 0 and 2"));
}

TEST_F(Build, AnIdMayStandForOneVectorOnly) {
  put("v.jsonl", "{\"id\": 7, \"vector\": [3, 4]}\n{\"id\": 7, \"vector\": [0, 2]}\n");
  EXPECT_THAT(boon({"build", "@v.jsonl", "-o", "@v.boon"}), Failed(2, "rows 0 and 1"));
}

TEST_F(Build, AMissingInputIsNotFound) {
  EXPECT_THAT(boon({"build", "@none.npy", "-o", "@v.boon"}), Failed(3, "none.npy"));
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Build, AnUnwritableTargetIsRefusedBeforeTheWork) {
  // What the input holds does not matter then.
  put("bad.txt", "a 1 2\nb 1 nan\n");
  EXPECT_THAT(boon({"build", "@bad.txt", "-o", "@missing/v.boon"}), Failed(8, "missing/v.boon"));
  EXPECT_THAT(boon({"build", "@bad.txt", "-o", "@", "--force"}), Failed(2, "not a regular file"));
  EXPECT_THAT(boon({"build", "@bad.txt", "-o", "/proc/v.boon"}), Failed(8, "/proc/v.boon"));
}

TEST_F(Build, AnotherWriterIsNamed) {
  put("words.txt", kWords);
  const WriterLock other(path("words.boon"));
  EXPECT_THAT(boon({"build", "@words.txt", "-o", "@words.boon"}), Failed(5, std::to_string(::getpid())));
}

TEST_F(Build, BadOptionsAreNamedWithTheirRange) {
  put("words.txt", kWords);
  const auto with = [&](const char* option, const char* value) {
    return boon({"build", "@words.txt", "-o", "@words.boon", option, value});
  };
  EXPECT_THAT(with("--metric", "manhattan"), Failed(2, "manhattan"));
  EXPECT_THAT(with("-M", "1"), Failed(2, "neighbours"));
  EXPECT_THAT(with("-M", "-1"), Failed(2, "-1"));
  EXPECT_THAT(with("--alpha", "0"), Failed(2, "alpha"));
  EXPECT_THAT(with("--format", "csv"), Failed(2, "csv"));
  EXPECT_THAT(with("--dtype", "fp8"), Failed(2, "dtype is \"fp8\", but must be one of fp32, fp16, bf16"));
  EXPECT_THAT(with("--codes", "int3"), Failed(2, "\"int3\", but must be one of auto, none, int8"));
  EXPECT_THAT(boon({"build", "@words.txt", "-o", "@words.boon", "--kind", "exact", "--codes", "int8"}),
              Failed(2, "an exact index walks no graph"));
  EXPECT_FALSE(exists("words.boon"));
}

}  // namespace
}  // namespace boon::cli
