#include "boon/cli/vectors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/temporary_folder.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

const char* const kText = "king 1 2\nqueen 3 4\n";
const char* const kJsonl = "{\"id\": 5, \"vector\": [1, 2]}\n";

// Keeps files in a folder of its own.
class ReadVectors : public testing::Test {
 protected:
  Path put(const std::string& name, const std::string& bytes) {
    folder_.put(name, bytes);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

std::string npy() {
  const std::string literal = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}";
  return std::string("\x93NUMPY\x01\0", 8) + raw(static_cast<std::uint16_t>(literal.size())) + literal + raw(1.F) +
         raw(2.F);
}

std::string fvecs() {
  return raw(std::int32_t{2}) + raw(1.F) + raw(2.F);
}

TEST_F(ReadVectors, TheExtensionSaysTheFormat) {
  EXPECT_THAT(read_vectors(put("a.txt", kText)).names, ElementsAre("king", "queen"));
  EXPECT_THAT(read_vectors(put("a.vec", kText)).names, ElementsAre("king", "queen"));
  EXPECT_THAT(read_vectors(put("a.jsonl", kJsonl)).ids, ElementsAre(5U));
  EXPECT_THAT(read_vectors(put("a.JSONL", kJsonl)).ids, ElementsAre(5U));
  EXPECT_THAT(read_vectors(put("a.npy", npy())).values, ElementsAre(1, 2));
  EXPECT_THAT(read_vectors(put("a.fvecs", fvecs())).values, ElementsAre(1, 2));
}

TEST_F(ReadVectors, TheFirstBytesSayItWhereTheExtensionDoesNot) {
  EXPECT_THAT(read_vectors(put("a", kText)).names, ElementsAre("king", "queen"));
  EXPECT_THAT(read_vectors(put("a.data", kJsonl)).ids, ElementsAre(5U));
  EXPECT_THAT(read_vectors(put("b", std::string("\n ") + kJsonl)).ids, ElementsAre(5U));
  EXPECT_THAT(read_vectors(put("c", npy())).values, ElementsAre(1, 2));
  EXPECT_EQ(detect_format("-", bytes_of("\x89HDF\r\n\x1a\n")), Format::hdf5);
}

TEST_F(ReadVectors, AGivenFormatIsTaken) {
  EXPECT_THAT(read_vectors(put("a.txt", fvecs()), {.format = Format::fvecs}).values, ElementsAre(1, 2));
  EXPECT_THAT(read_vectors(put("a.npy", kText), {.format = Format::text}).names, ElementsAre("king", "queen"));
  EXPECT_THAT(read_vectors(put("b.npy", kText), {.format = Format::text, .max_rows = 1}).names, ElementsAre("king"));
}

TEST_F(ReadVectors, MissingFilesAndFoldersAreRefused) {
  EXPECT_THAT(error_of([&] { read_vectors(folder_ / "gone.npy"); }), IsError(ErrorCode::not_found, "gone.npy"));
  EXPECT_THAT(error_of([&] { read_vectors(folder_ / "gone.hdf5"); }), IsError(ErrorCode::not_found, "gone.hdf5"));
  EXPECT_THAT(error_of([&] { read_benchmark_set(folder_ / "gone.hdf5"); }), IsError(ErrorCode::not_found, "gone.hdf5"));
  EXPECT_THAT(error_of([&] { read_vectors(folder_.path()); }),
              IsError(ErrorCode::invalid_argument, folder_.path().native()));
}

TEST_F(ReadVectors, EmptyFilesAreRefusedInEveryFormat) {
  for (const Format format : {Format::fvecs, Format::bvecs, Format::ivecs, Format::jsonl, Format::text}) {
    EXPECT_THAT(error_of([&] { read_vectors(put("empty", ""), {.format = format}); }),
                IsError(ErrorCode::invalid_argument, "empty"));
  }
  for (const Format format : {Format::npy, Format::hdf5}) {
    EXPECT_THAT(error_of([&] { read_vectors(put("empty", ""), {.format = format}); }),
                IsError(ErrorCode::corrupted, "empty"));
  }
}

TEST_F(ReadVectors, CompressedFilesSayHowToUnpackThem) {
  EXPECT_THAT(error_of([&] { read_vectors(put("words.gz", "\x1f\x8b\x08")); }),
              IsError(ErrorCode::invalid_argument, "zcat"));
  EXPECT_THAT(error_of([&] { read_vectors(put("words.zip", "PK\x03\x04")); }),
              IsError(ErrorCode::invalid_argument, "zip archive"));
}

TEST_F(ReadVectors, PathsAreBytes) {
  for (const char* const name : {"Größe 日本.txt", "\xFF\xFE.txt"}) {
    EXPECT_EQ(read_vectors(put(name, kText)).rows(), 2U);
    EXPECT_THAT(
        error_of([&] { read_vectors(put(name, "king nan\n")); }),
        IsError(ErrorCode::invalid_argument, folder_.path().native() + "/" + name + " line 1 (row 0), component 0"));
  }
}

TEST_F(ReadVectors, NamedPipesAreReadToTheirEnd) {
  const Path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << kText; });
  const VectorTable table = read_vectors(path);
  writer.join();
  EXPECT_THAT(table.names, ElementsAre("king", "queen"));
}

TEST(ReadAll, ManyPiecesArriveWhole) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string sent(3'000'000, 'x');
  std::thread writer([&] {
    std::size_t done = 0;
    while (done < sent.size()) {
      const ssize_t count = ::write(ends[1], sent.data() + done, sent.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    ::close(ends[1]);
  });
  const auto bytes = read_all(ends[0], "standard input");
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(bytes.size(), sent.size());
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{'x'}; }));
}

TEST(ReadAll, DescriptorsThatCannotBeReadGiveTheReason) {
  EXPECT_THAT(error_of([] { read_all(-1, "standard input"); }), IsError(ErrorCode::io, "standard input"));
}

TEST(InQuotes, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(in_quotes("a\x1b[31m"), "\"a\\x1b[31m\"");
  const std::string cut = in_quotes(std::string(39, 'a') + "日本");
  EXPECT_EQ(cut, "\"" + std::string(39, 'a') + "…\"");
}

}  // namespace
}  // namespace boon::cli
