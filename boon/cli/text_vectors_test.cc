#include <cfloat>

#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

VectorTable parse(const std::string& text, std::size_t max_rows = 0) {
  return parse_text(Exact(text).text(), "words.txt", max_rows);
}

auto error_in(const std::string& text) {
  return error_of([&] { parse(text); });
}

void expect_royals(const VectorTable& table) {
  EXPECT_EQ(table.dim, 2U);
  EXPECT_THAT(table.names, ElementsAre("king", "queen"));
  EXPECT_THAT(table.values, ElementsAre(0.5F, -1, 2e-3F, 3));
}

TEST(TextVectors, GloveAndWord2vec) {
  expect_royals(parse("king 0.5 -1\nqueen 2e-3 3\n"));
  expect_royals(parse("2 2\nking 0.5 -1\nqueen 2e-3 3\n"));
}

TEST(TextVectors, LineEndsBlanksAndByteOrderMark) {
  expect_royals(parse("king 0.5 -1\nqueen 2e-3 3"));
  expect_royals(parse("king 0.5 -1\r\nqueen 2e-3 3\r\n"));
  expect_royals(parse("\xEF\xBB\xBFking 0.5 -1\nqueen 2e-3 3\n"));
  expect_royals(parse("king\t0.5\t-1\nqueen  2e-3 \t 3\n"));
  expect_royals(parse("2 2\r\nking 0.5 -1 \r\nqueen 2e-3 3 \r\n"));
  expect_royals(parse("\nking 0.5 -1\n\n  \nqueen 2e-3 +3\n\n"));
}

TEST(TextVectors, WordsMayContainBlanks) {
  const VectorTable table = parse("the 1 2\n. . . 3 4\nat name@domain.com 5 6\n");
  EXPECT_THAT(table.names, ElementsAre("the", ". . .", "at name@domain.com"));
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TextVectors, TheFirstTokenIsAWordWhateverItLooksLike) {
  const VectorTable table = parse("1 0.5 0.25\nnan 1 2\n-3e5 3 4\n");
  EXPECT_THAT(table.names, ElementsAre("1", "nan", "-3e5"));
  EXPECT_EQ(table.dim, 2U);
}

TEST(TextVectors, WordsAreUtf8) {
  EXPECT_THAT(parse("Füße 1\n日本 2\n").names, ElementsAre("Füße", "日本"));
  // A no-break space is no separator.
  EXPECT_THAT(parse("a\xC2\xA0"
                    "b 1\n")
                  .names,
              ElementsAre("a\xC2\xA0"
                          "b"));
  EXPECT_THAT(error_in("king 1\nqu\xE9"
                       "en 2\n"),
              IsError(ErrorCode::corrupted,
                      "words.txt line 2: the word \"qu\\xe9"
                      "en\" is not UTF-8"));
}

TEST(TextVectors, TooFewAndTooManyNumbersNameTheLine) {
  EXPECT_THAT(error_in("king 1 2 3\nqueen 4 5\nprince 6 7 8\n"),
              IsError(ErrorCode::invalid_argument, "words.txt line 2 (\"queen\"): 2 numbers found, 3 expected"));
  EXPECT_THAT(error_in("king 1 2 3\nqueen\nprince 6 7 8\n"),
              IsError(ErrorCode::invalid_argument, "line 2 (\"queen\"): 0 numbers found, 3 expected"));
  EXPECT_THAT(error_in("king 1 2 3\nqueen 4 5 6 7\nprince 6 7 8\n"),
              IsError(ErrorCode::invalid_argument, "line 2 (\"queen\"): 4 numbers found, 3 expected"));
  EXPECT_THAT(error_in("2 3\nking 1 2 3\nqueen 4 5\n"),
              IsError(ErrorCode::invalid_argument, "line 3 (\"queen\"): 2 numbers found, 3 expected"));
}

TEST(TextVectors, MostLinesDecideTheDimensionSoTheFirstMayBeTheBrokenOne) {
  EXPECT_THAT(error_in("king 1 2\nqueen 4 5 6\nprince 6 7 8\n"),
              IsError(ErrorCode::invalid_argument, "line 1 (\"king\"): 2 numbers found, 3 expected"));
}

TEST(TextVectors, TokensThatAreNoNumbersAreShown) {
  EXPECT_THAT(error_in("king 1 2 3\nqueen 4 x5 6\nprince 6 7 8\n"),
              IsError(ErrorCode::corrupted, "line 2 (\"queen\"): 3 numbers expected, and \"x5\" is none"));
  EXPECT_THAT(error_in("king 1 2\nqueen 1,5 2\n"), IsError(ErrorCode::corrupted, "\"1,5\""));
}

TEST(TextVectors, ValuesThatNoFloatHoldsNameLineRowAndComponent) {
  EXPECT_THAT(error_in("2 2\nking 1 2\nqueen 3 nan\n"),
              IsError(ErrorCode::invalid_argument, "words.txt line 3 (row 1), component 1 is NaN"));
  EXPECT_THAT(error_in("king -inf 2\n"), IsError(ErrorCode::invalid_argument, "line 1 (row 0), component 0 is -Inf"));
  for (const std::string huge : {"1e39", "-1e999", "1.79e308"}) {
    EXPECT_THAT(error_in("king " + huge + " 2\n"),
                IsError(ErrorCode::invalid_argument, "component 0 is " + huge + ", more than a 32-bit float can hold"));
  }
}

TEST(TextVectors, TinyNumbersRoundToZeroOrTheNearestSubnormal) {
  EXPECT_THAT(parse("a 1e-60 -1e-999 1e-40\n").values, ElementsAre(0, 0, 1e-40F));
}

TEST(TextVectors, TheHeaderMustAgreeWithTheRows) {
  EXPECT_THAT(error_in("3 2\nking 1 2\nqueen 3 4\n"),
              IsError(ErrorCode::corrupted, "promises 3 words on its first line, and 2 follow"));
  EXPECT_THAT(error_in("1 2\nking 1 2\nqueen 3 4\n"), IsError(ErrorCode::corrupted, "and 2 follow"));
  EXPECT_THAT(error_in("18446744073709551615 2\nking 1 2\n"), IsError(ErrorCode::corrupted, "and 1 follow"));
  EXPECT_THAT(error_in("1 18446744073709551615\nking 1 2\n"), IsError(ErrorCode::invalid_argument, "2 numbers found"));
}

TEST(TextVectors, FilesWithoutVectorsAreRefused) {
  EXPECT_THAT(error_in(""), IsError(ErrorCode::invalid_argument, "words.txt is empty"));
  EXPECT_THAT(error_in("\xEF\xBB\xBF\n \n"), IsError(ErrorCode::invalid_argument, "empty"));
  EXPECT_THAT(error_in("Dear reader,\nthis is prose.\n"), IsError(ErrorCode::invalid_argument, "no numbers"));
  EXPECT_THAT(error_in("5 0\n"), IsError(ErrorCode::invalid_argument, "no numbers"));
}

TEST(TextVectors, ReadsNoMoreRowsThanAsked) {
  EXPECT_THAT(parse("a 1\nb 2\nc x\n", 2).names, ElementsAre("a", "b"));
  EXPECT_THAT(parse("9 1\na 1\nb 2\n", 2).names, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace boon::cli
