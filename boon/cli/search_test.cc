#include "boon/cli/cli_testing.h"
#include "boon/cli/parser_testing.h"
#include "boon/cli/search_query.h"

namespace boon::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class Search : public CommandLine {
 protected:
  void SetUp() override { build_words(); }
};

TEST_F(Search, TheNearestToAWordAreOthers) {
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "-k", "2"}), ElementsAre("prince", "man"));
  EXPECT_THAT(answers({"@words.boon", "--like", "apple", "--top-k", "1"}), ElementsAre("pear"));
}

TEST_F(Search, WordArithmeticOfTheFirstArticle) {
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "--like-minus", "man", "--like-plus", "woman", "-k", "1"}),
              ElementsAre("queen"));
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "--like-minus", "man", "--like-plus", "woman"}),
              Not(Contains(testing::AnyOf("king", "man", "woman"))));
}

TEST_F(Search, AWordLessItselfIsNothing) {
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "king", "--like-minus", "king"}), Failed(2, "cancel out"));
}

TEST_F(Search, PeopleGetATable) {
  const Outcome found = boon({"search", "@words.boon", "--like", "apple", "-k", "1"});
  ASSERT_THAT(found, Worked());
  EXPECT_EQ(found.out,
            "rank  name  distance  similarity\n"
            "   1  pear    0.0012      0.9988\n");
  EXPECT_EQ(found.err, "");
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "apple", "--stats"}).err, HasSubstr(" distances\n"));
}

TEST_F(Search, ProgramsGetJson) {
  const auto json = boon({"search", "@words.boon", "--like", "apple", "-k", "1", "--json"}).json();
  EXPECT_EQ(json["metric"], "cosine");
  ASSERT_THAT(json["results"], SizeIs(1));
  const auto& first = json["results"][0];
  EXPECT_EQ(first["rank"], 1);
  EXPECT_EQ(first["id"], 7);
  EXPECT_EQ(first["name"], "pear");
  EXPECT_NEAR(first["distance"].get<double>() + first["similarity"].get<double>(), 1, 1e-6);
  EXPECT_GT(json["distances"], 0);
}

TEST_F(Search, JsonLinesHoldAnAnswerEach) {
  const Outcome found = boon({"search", "@words.boon", "--like", "king", "-k", "2", "--jsonl"});
  std::istringstream lines(found.out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(nlohmann::json::parse(line)["name"]);
  EXPECT_THAT(names, ElementsAre("prince", "man"));
}

TEST_F(Search, AnUnknownWordBringsCloseSpellings) {
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "qeen"}), Failed(3, "did you mean \"queen\"?"));
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "prinecs"}), Failed(3, "\"prince\""));
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "zebra"}), Failed(3, "\"zebra\" is not in"));
}

TEST_F(Search, ErrorsAreJsonTooWhereItWasAskedFor) {
  const Outcome found = boon({"search", "@words.boon", "--like", "qeen", "--json"});
  EXPECT_THAT(found, Failed(3, "qeen"));
  EXPECT_EQ(found.json()["error"]["code"], "not_found");
  EXPECT_THAT(found.json()["error"]["message"].get<std::string>(), HasSubstr("queen"));
}

TEST_F(Search, IdsWorkBesideNames) {
  EXPECT_THAT(answers({"@words.boon", "--id", "6", "-k", "1"}), ElementsAre("pear"));
  EXPECT_THAT(boon({"search", "@words.boon", "--id", "8"}), Failed(3, "no vector 8"));
}

TEST_F(Search, NumbersStandForThemselvesWithoutNames) {
  put("v.jsonl",
      "{\"id\": 70, \"vector\": [1, 0]}\n{\"id\": 80, \"vector\": [1, 1]}\n{\"id\": 90, \"vector\": [0, 1]}\n");
  ASSERT_THAT(boon({"build", "@v.jsonl", "-o", "@v.boon"}), Worked());
  EXPECT_THAT(answers({"@v.boon", "--like", "70"}), ElementsAre("80", "90"));
  EXPECT_THAT(boon({"search", "@v.boon", "--like", "king"}), Failed(3, "no names"));
  EXPECT_THAT(boon({"search", "@v.boon", "--like", "71"}), Failed(3, "no vector 71"));
}

TEST_F(Search, AVectorFromTheCommandLine) {
  EXPECT_THAT(answers({"@words.boon", "--vector", "[0, 0.2, 0.1, 2]", "-k", "2"}), ElementsAre("pear", "apple"));
  EXPECT_THAT(answers({"@words.boon", "--vector", "-1,-1,0,0.1", "-k", "1"}), SizeIs(1));
  EXPECT_THAT(boon({"search", "@words.boon", "--vector", "1,2,3"}), Failed(2, "3 components, the vectors of"));
  EXPECT_THAT(boon({"search", "@words.boon", "--vector", "1,2,x,4"}), Failed(2, "component 2: \"x\""));
  EXPECT_THAT(boon({"search", "@words.boon", "--vector", "1,2,nan,4"}), Failed(2, "component 2"));
  EXPECT_THAT(boon({"search", "@words.boon", "--vector", "0,0,0,0"}), Failed(2, "zeros"));
}

TEST_F(Search, EachVectorOfAFile) {
  put("queries.txt", "fruit 0 0 0 1\nroyal 1 0.5 0.5 0\n");
  const auto json = boon({"search", "@words.boon", "--queries", "@queries.txt", "-k", "2", "--json"}).json();
  ASSERT_THAT(json["queries"], SizeIs(2));
  EXPECT_EQ(json["queries"][0]["query"], "fruit");
  EXPECT_EQ(json["queries"][0]["results"][0]["name"], "pear");
  EXPECT_THAT(json["queries"][1]["results"], SizeIs(2));
  const Outcome table = boon({"search", "@words.boon", "--queries", "@queries.txt", "-k", "1"});
  EXPECT_THAT(table.out, StartsWith("query  rank  name"));
  put("short.txt", "fruit 0 1\n");
  EXPECT_THAT(boon({"search", "@words.boon", "--queries", "@short.txt"}), Failed(2, "2 components"));
}

TEST_F(Search, AThresholdAloneAsksForAllWithin) {
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "--threshold", "0.3"}), UnorderedElementsAre("prince", "man"));
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "--threshold", "2"}), SizeIs(kWordCount - 1));
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "--threshold", "0.3", "-k", "1"}), ElementsAre("prince"));
  const Outcome none = boon({"search", "@words.boon", "--like", "king", "--threshold", "0"});
  EXPECT_THAT(none, Worked());
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("nothing is that near"));
}

TEST_F(Search, ThresholdsHoldForFilesToo) {
  put("queries.txt", "fruit 0 0 0 1\nroyal 1 0.5 0.5 0\n");
  const auto json = boon({"search", "@words.boon", "--queries", "@queries.txt", "--threshold", "0.1", "--json"}).json();
  EXPECT_THAT(json["queries"][0]["results"], SizeIs(2));
}

TEST_F(Search, ThresholdsGiveTheSameOnAnyNumberOfThreads) {
  const auto with = [&](const char* threads) {
    return boon({"search", "@words.boon", "--queries", "@words.txt", "--threshold", "0.5", "--threads", threads}).out;
  };
  EXPECT_THAT(with("1"), HasSubstr("princess"));
  EXPECT_EQ(with("4"), with("1"));
}

TEST_F(Search, AKAboveTheCountGivesAllOnce) {
  EXPECT_THAT(answers({"@words.boon", "--vector", "1,0,0,0", "-k", "1000000000000"}),
              UnorderedElementsAre("king", "queen", "man", "woman", "prince", "princess", "apple", "pear"));
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "-k", "1000000000000"}), SizeIs(kWordCount - 1));
}

TEST_F(Search, AKOfZeroIsRefused) {
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "king", "-k", "0"}), Failed(2, "-k is 0"));
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "king", "--beam", "0"}), Failed(2, "--beam is 0"));
}

TEST_F(Search, ExactAgreesWithTheGraph) {
  EXPECT_EQ(answers({"@words.boon", "--like", "queen"}), answers({"@words.boon", "--like", "queen", "--exact"}));
}

TEST_F(Search, OneKindOfQuestionAtATime) {
  EXPECT_THAT(boon({"search", "@words.boon"}), Failed(2, "--like WORD"));
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "king", "--vector", "1,2,3,4"}), Failed(2, "one kind"));
  EXPECT_THAT(boon({"search", "@words.boon", "--like-minus", "king"}), Failed(2, "--like-minus"));
}

TEST_F(Search, FilesThatAreNoIndexAreNamed) {
  EXPECT_THAT(boon({"search", "@none.boon", "--like", "king"}), Failed(3, "none.boon"));
  EXPECT_THAT(boon({"search", "@words.txt", "--like", "king"}), Failed(6, "words.txt"));
  put("half.boon", get("words.boon").substr(0, get("words.boon").size() / 2));
  EXPECT_THAT(boon({"search", "@half.boon", "--like", "king"}), Failed(6, "half.boon"));
  put("empty.boon", "");
  EXPECT_THAT(boon({"search", "@empty.boon", "--like", "king"}), Failed(6, "empty.boon"));
}

TEST(ParseVector, TakesCommasBlanksAndBrackets) {
  EXPECT_THAT(parse_vector("1,2"), ElementsAre(1, 2));
  EXPECT_THAT(parse_vector(" [ -0.5 , 1e3 ] "), ElementsAre(-0.5F, 1000));
  EXPECT_THAT(parse_vector("0.1 0.2"), ElementsAre(0.1F, 0.2F));
  EXPECT_THAT(parse_vector(""), ElementsAre());
  EXPECT_THAT(error_of([] { parse_vector("1e99"); }), IsError(ErrorCode::invalid_argument, "component 0"));
}

}  // namespace
}  // namespace boon::cli
