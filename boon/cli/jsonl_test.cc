#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

VectorTable parse(const std::string& text, std::size_t max_rows = 0) {
  return parse_jsonl(Exact(text).text(), "rows.jsonl", max_rows);
}

auto error_in(const std::string& text) {
  return error_of([&] { parse(text); });
}

TEST(Jsonl, NumbersAsIds) {
  const VectorTable table =
      parse("{\"id\": 7, \"vector\": [0.5, -1]}\n{\"vector\":[2,3e0],\"id\":18446744073709551615}\n");
  EXPECT_EQ(table.dim, 2U);
  EXPECT_THAT(table.values, ElementsAre(0.5F, -1, 2, 3));
  EXPECT_THAT(table.ids, ElementsAre(7U, 18446744073709551615U));
  EXPECT_TRUE(table.names.empty());
}

TEST(Jsonl, StringsAsIds) {
  const VectorTable table = parse(R"({"id": "k\u00f6nig", "vector": [1]})"
                                  "\n"
                                  R"({"i\u0064": "日本", "vector": [2]})");
  EXPECT_THAT(table.names, ElementsAre("könig", "日本"));
  EXPECT_TRUE(table.ids.empty());
}

TEST(Jsonl, IdsMayBeMissingEverywhere) {
  const VectorTable table = parse("{\"vector\": [1]}\r\n\n{\"vector\": [2]}");
  EXPECT_THAT(table.values, ElementsAre(1, 2));
  EXPECT_TRUE(table.names.empty());
  EXPECT_TRUE(table.ids.empty());
}

TEST(Jsonl, OtherFieldsArePassedOver) {
  const VectorTable table = parse(
      R"({"text": "a ] } \" b", "meta": {"vector": [9, 9], "id": 4}, "id": 1, "tags": [[], {}], "vector": [1, 2], "x": null})");
  EXPECT_THAT(table.values, ElementsAre(1, 2));
  EXPECT_THAT(table.ids, ElementsAre(1U));
}

TEST(Jsonl, MixedIdsAreRefused) {
  EXPECT_THAT(error_in("{\"id\": 1, \"vector\": [1]}\n{\"id\": \"a\", \"vector\": [1]}"),
              IsError(ErrorCode::invalid_argument,
                      "rows.jsonl line 2: this row has a string as its id, and row 0 has a number as its id"));
  EXPECT_THAT(error_in("{\"id\": 1, \"vector\": [1]}\n{\"vector\": [1]}"),
              IsError(ErrorCode::invalid_argument, "line 2: this row has no id"));
  EXPECT_THAT(error_in("{\"vector\": [1]}\n{\"id\": 1, \"vector\": [1]}"),
              IsError(ErrorCode::invalid_argument, "and row 0 has no id"));
}

TEST(Jsonl, IdsThatAreNeitherAreShown) {
  for (const std::string id : {"-1", "1.5", "18446744073709551616", "1e3", "null", "true", "[1]"}) {
    EXPECT_THAT(error_in("{\"id\": " + id + " , \"vector\": [1]}"),
                IsError(ErrorCode::invalid_argument, "line 1: the id \"" + id.substr(0, 1)))
        << id;
  }
}

TEST(Jsonl, MissingAndRepeatedFields) {
  EXPECT_THAT(error_in("{\"vector\": [1]}\n{\"id\": 1}"),
              IsError(ErrorCode::invalid_argument, "rows.jsonl line 2: the field \"vector\" is missing"));
  EXPECT_THAT(error_in("{}"), IsError(ErrorCode::invalid_argument, "\"vector\" is missing"));
  EXPECT_THAT(error_in("{\"vector\": [1], \"vector\": [2]}"), IsError(ErrorCode::invalid_argument, "given twice"));
  EXPECT_THAT(error_in("{\"id\": 1, \"id\": 2, \"vector\": [2]}"), IsError(ErrorCode::invalid_argument, "given twice"));
}

TEST(Jsonl, VectorsOfAnotherShapeAreRefused) {
  EXPECT_THAT(error_in("{\"vector\": [1, 2]}\n\n{\"vector\": [1, 2, 3]}"),
              IsError(ErrorCode::invalid_argument, "line 3: the vector has dimension 3, and row 0 has 2"));
  EXPECT_THAT(error_in("{\"vector\": []}"), IsError(ErrorCode::invalid_argument, "the vector is empty"));
  EXPECT_THAT(error_in("{\"vector\": 5}"), IsError(ErrorCode::invalid_argument, "not an array"));
  EXPECT_THAT(error_in("{\"vector\": \"[1, 2]\"}"), IsError(ErrorCode::invalid_argument, "not an array"));
}

TEST(Jsonl, ValuesThatNoFloatHoldsNameLineRowAndComponent) {
  for (const std::string huge : {"1e999", "-1e999"}) {
    EXPECT_THAT(error_in("{\"vector\": [1, 2]}\n{\"vector\": [1, " + huge + " ]}"),
                IsError(ErrorCode::invalid_argument,
                        "rows.jsonl line 2 (row 1), component 1 is " + huge + ", more than a 32-bit float can hold"));
  }
  EXPECT_THAT(error_in("{\"vector\": [1.79e308]}"),
              IsError(ErrorCode::invalid_argument, "line 1 (row 0), component 0 is 1.79e+308, more than"));
  EXPECT_THAT(error_in("{\"vector\": [3, NaN, 1]}"),
              IsError(ErrorCode::invalid_argument, "line 1 (row 0), component 1 is NaN"));
  EXPECT_THAT(error_in("{\"vector\": [-Infinity]}"), IsError(ErrorCode::invalid_argument, "component 0 is -Inf"));
}

TEST(Jsonl, ComponentsThatAreNoNumbersAreShown) {
  for (const std::string token : {"null", "\"1\"", "true", "[1]", "{}", "1.2.3", "0x10", "01", "+1"}) {
    EXPECT_THAT(error_in("{\"vector\": [0, " + token + "]}"),
                IsError(ErrorCode::corrupted, "line 1: component 1 is \"" + token.substr(0, 1)))
        << token;
  }
}

TEST(Jsonl, BrokenJsonNamesTheLine) {
  for (const std::string line :
       {"[1, 2]", "5", "null", "{\"vector\": [1, 2}", "{\"vector\": [1, 2]", "{\"vector\": [1 2]}", "{\"vector\" [1]}",
        "{\"vector\": [1], }", "{\"vector\": [1]} x", "{\"vector\": [1]} {\"vector\": [1]}", "{\"vector\": [1]}}",
        "{\"id\": \"\\ud800\", \"vector\": [1]}", "{\"id\": \"\xFF\", \"vector\": [1]}", "{", "}", "\"",
        "{\"vector\": [1,]}"}) {
    const auto error = error_in("{\"vector\": [1]}\n" + line);
    ASSERT_TRUE(error) << line;
    EXPECT_THAT(error->what(), testing::HasSubstr("rows.jsonl line 2")) << line;
  }
}

TEST(Jsonl, CutShortAnywhereIsAnErrorOrAWholeShorterFile) {
  const std::string file = "{\"id\": 1, \"vector\": [1.5, 2]}\n{\"id\": 2, \"vector\": [3, 4]}\n";
  const std::size_t first = file.find('\n');
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    if (size == 0 || size == first || size == first + 1 || size + 1 == file.size()) {
      EXPECT_NO_THROW(parse(cut)) << size;
    } else {
      EXPECT_TRUE(error_in(cut)) << size;
    }
  }
}

TEST(Jsonl, ReadsNoMoreRowsThanAsked) {
  EXPECT_THAT(parse("{\"vector\": [1]}\n{\"vector\": [2]}\nbroken", 2).values, ElementsAre(1, 2));
}

}  // namespace
}  // namespace boon::cli
