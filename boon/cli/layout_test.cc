// boon layout: what it says of one expression, and the lines it answers.
#include <unistd.h>

#include <fstream>

#include "boon/cli/cli_testing.h"
#include "boon/layout/conformance_cases.h"
#include "boon/layout/expression.h"

namespace boon::cli {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LayoutCommandLine : public CommandLine {
 protected:
  Outcome layout(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "layout");
    return boon(arguments);
  }

  // What the lines are answered with.
  std::vector<std::string> answers_to(const std::string& lines, std::vector<std::string> options = {}) const {
    put("lines", lines);
    const int kept = ::dup(STDIN_FILENO);
    EXPECT_NE(std::freopen(path("lines").c_str(), "r", stdin), nullptr);
    const Outcome outcome = layout(std::move(options));
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
    EXPECT_THAT(outcome, Worked());
    EXPECT_EQ(outcome.err, "");
    std::vector<std::string> answers;
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);) answers.push_back(line);
    return answers;
  }

  std::vector<json> json_answers_to(const std::string& lines) const {
    std::vector<json> answers;
    for (const std::string& answer : answers_to(lines, {"--json"})) answers.push_back(json::parse(answer));
    return answers;
  }
};

TEST_F(LayoutCommandLine, DrawsTheResult) {
  const Outcome outcome = layout({"(4,3):(1,8) o 6:2"});
  EXPECT_THAT(outcome, Worked());
  EXPECT_EQ(outcome.out,
            "(2,3):(2,8)\n"
            "size 6, cosize 19\n"
            "\n"
            "   │  0   1   2\n"
            "───┼────────────\n"
            " 0 │  0   8  16\n"
            " 1 │  2  10  18\n");
}

TEST_F(LayoutCommandLine, WhatIsNoLayoutIsJustSaid) {
  EXPECT_EQ(layout({"cosize((4,8):(1,5))"}).out, "39\n");
  EXPECT_EQ(layout({"idx2crd(22, ((2,2),(4,2)))"}).out, "((0,1),(1,1))\n");
  EXPECT_EQ(layout({"compatible(24, (4,6))"}).out, "true\n");
}

TEST_F(LayoutCommandLine, JsonTellsAllAboutALayout) {
  const Outcome outcome = layout({"((2,2),(2,2)):((1,4),(2,8))", "--json"});
  EXPECT_THAT(outcome, Worked());
  EXPECT_EQ(outcome.json(), json::parse(R"json({"layout": "((2,2),(2,2)):((1,4),(2,8))", "size": 16, "cosize": 16,
    "rank": 2, "depth": 2, "offsets": [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
})json"));
}

TEST_F(LayoutCommandLine, JsonOfEachKindOfValue) {
  EXPECT_EQ(layout({"cosize((4,8):(1,5))", "--json"}).out, "{\"value\":39}\n");
  EXPECT_EQ(layout({"idx2crd(22, ((2,2),(4,2)))", "--json"}).out, "{\"value\":[[0,1],[1,1]]}\n");
  EXPECT_EQ(layout({"compatible((4,6), 24)", "--json"}).out, "{\"value\":false}\n");
  EXPECT_EQ(layout({"<2,_>", "--json"}).out, "{\"value\":\"<2:1,_>\"}\n");
  EXPECT_EQ(layout({"stride((4,3):(E0,2E1))", "--json"}).out, "{\"value\":[\"E0\",\"2E1\"]}\n");
  EXPECT_EQ(layout({"(4,3):(1,8)(2,_)", "--json"}).json(),
            json::parse(R"({"layout": "3:8", "offset": 2, "size": 3, "cosize": 17, "rank": 1, "depth": 0,
              "offsets": [2, 10, 18]})"));
  EXPECT_EQ(layout({"Swizzle<1,0,2> o 8:1", "--json"}).json(),
            json::parse(R"({"layout": "Swizzle<1,0,2> o 0 o 8:1", "size": 8, "rank": 1, "depth": 0,
              "offsets": [0, 1, 2, 3, 5, 4, 7, 6]})"));
  EXPECT_EQ(layout({"identity_layout((2,2))", "--json"}).json()["offsets"], json::parse("[[0,0],[1,0],[0,1],[1,1]]"));
  EXPECT_EQ(
      layout({"make_tv_layout(4:1, 2:1)", "--json"}).json(),
      json::parse(R"json({"layout": "(4,2):(2,1)", "tile": "((2,4)):((4,1))", "tiler": [8], "size": 8, "cosize": 8,
              "rank": 2, "depth": 1, "offsets": [0, 2, 4, 6, 1, 3, 5, 7]
})json"));
}

TEST_F(LayoutCommandLine, OffsetsOfALargeLayoutAreNotListed) {
  EXPECT_TRUE(layout({"(64,64)", "--json"}).json().contains("offsets"));
  const json large = layout({"(1000000,1000000)", "--json"}).json();
  EXPECT_EQ(large["size"], 1000000000000);
  EXPECT_FALSE(large.contains("offsets"));
}

TEST_F(LayoutCommandLine, ALargeLayoutIsDrawnInPart) {
  EXPECT_THAT(layout({"(1000,1000)"}).out, HasSubstr("drawn: 32 of 1000 rows, 32 of 1000 columns"));
  EXPECT_THAT(layout({"(1000,1000)", "--limit", "2"}).out, HasSubstr("drawn: 2 of 1000 rows, 2 of 1000 columns"));
  EXPECT_THAT(layout({"(1000,1000)", "--limit", "0"}), Failed(2, "--limit"));
  EXPECT_THAT(layout({"(1000,1000)", "--limit", "1025"}), Failed(2, "--limit"));
  EXPECT_THAT(layout({"(1000,1000)", "--limit", "-1"}), Failed(2, "-1 is negative"));
}

TEST_F(LayoutCommandLine, AWrongExpressionIsOneLineAndCodeTwo) {
  EXPECT_THAT(layout({"(4,3"}), Failed(2, "\"(4,3\", position 5: expected"));
  EXPECT_THAT(layout({"(4,3):(1,8) o 6:1"}), Failed(2, "position 13: composition((4,3):(1,8), 6:1): "));
  EXPECT_THAT(layout({"(4,3)\x1b[31m"}), Failed(2, "\\x1b"));
  const Outcome outcome = layout({"(4,3", "--json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.json()["error"]["code"], "invalid_argument");
  EXPECT_THAT(layout({"4:1", "2:1"}), Failed(2, "boon help layout"));
}

TEST_F(LayoutCommandLine, SvgGoesToAFile) {
  const Outcome outcome = layout({"(4,3):(1,8)", "--svg", "@picture.svg"});
  EXPECT_THAT(outcome, Worked());
  EXPECT_EQ(outcome.out, "(4,3):(1,8)\nsize 12, cosize 20\n") << "the picture is in the file";
  EXPECT_THAT(get("picture.svg"), StartsWith("<svg"));
  EXPECT_THAT(get("picture.svg"), HasSubstr("<title>(4,3):(1,8)</title>"));
  EXPECT_THAT(layout({"8:1", "--svg", "@picture.svg"}), Worked());
  EXPECT_THAT(get("picture.svg"), HasSubstr("<title>8:1</title>")) << "a picture is drawn anew";
  EXPECT_EQ(layout({"8:1", "--svg", "-"}).out, get("picture.svg"));
}

TEST_F(LayoutCommandLine, SvgKeepsWhatIsNoPicture) {
  put("words.txt", kWords);
  EXPECT_THAT(layout({"4:1", "--svg", "@words.txt"}), Failed(4, "exists already and is no SVG picture"));
  EXPECT_EQ(get("words.txt"), kWords);
  EXPECT_THAT(layout({"size(4:1)", "--svg", "@none.svg"}), Failed(2, "there is nothing to draw: the result is 4"));
  EXPECT_FALSE(exists("none.svg"));
  EXPECT_THAT(layout({"--svg", "@none.svg"}), Failed(2, "none was given"));
  EXPECT_THAT(layout({"4:1", "--json", "--svg", "-"}), Failed(2, "choose one"));
}

TEST_F(LayoutCommandLine, HelpListsEveryFunction) {
  const std::string help = layout({"--help"}).out;
  for (const layout::FunctionHelp& function : layout::function_help()) {
    EXPECT_THAT(help, HasSubstr("  " + std::string(function.usage) + " "));
  }
}

TEST_F(LayoutCommandLine, EachLineIsAnsweredByOneLine) {
  const std::string lines =
      "(4,3):(1,8) o 6:2\n"
      "\n"
      "# a remark\n"
      "(4,3):(1,8) o 6:1\r\n"
      "cosize((4,8):(1,5))\n"
      "  \n"
      "(4,3):(1,8)(2,_)\n"
      "4:1 o 2:2";
  EXPECT_THAT(answers_to(lines),
              testing::ElementsAre("(2,3):(2,8)", "", "", StartsWith("error: position 13: composition("), "39", "",
                                   "2 + 3:8", "2:2"));
  EXPECT_EQ(answers_to(lines, {"-"}), answers_to(lines));
  const std::vector<json> answers = json_answers_to(lines);
  ASSERT_EQ(answers.size(), 8U);
  EXPECT_EQ(answers[0], json::parse(R"json({"layout": "(2,3):(2,8)"})json"));
  EXPECT_EQ(answers[1], json::parse(R"({"error": "there is no expression on this line"})"));
  EXPECT_EQ(answers[2], answers[1]);
  EXPECT_THAT(answers[3]["error"].get<std::string>(), StartsWith("position 13: "));
  EXPECT_EQ(answers[3].size(), 1U);
  EXPECT_EQ(answers[4], json::parse(R"({"value": 39})"));
  EXPECT_EQ(answers[6], json::parse(R"({"layout": "3:8", "offset": 2})"));
  EXPECT_EQ(answers[7], json::parse(R"({"layout": "2:2"})"));
}

TEST_F(LayoutCommandLine, NoLinesAreNoAnswers) {
  EXPECT_TRUE(answers_to("").empty());
}

TEST_F(LayoutCommandLine, LinesFromOtherSystemsAreAnswered) {
  EXPECT_THAT(answers_to("\xEF\xBB\xBF"
                         "4:1 o 2:2\r\n\t 4:1\to \t2:2 \t\r\n\r\n((4):(1))∘((2:2))\r\n4:1⊗3:1\r\n4:1⊘2"),
              testing::ElementsAre("2:2", "2:2", "", "2:2", "(4,3):(1,4)", "(2,2):(1,2)"));
}

TEST_F(LayoutCommandLine, ALineMayBeLongerThanWhatIsReadAtOnce) {
  const std::string blanks(1 << 18, ' ');
  EXPECT_THAT(answers_to("4:1 o" + blanks + "2:2\n" + blanks + "\n8:1" + blanks + "o 2:2"),
              testing::ElementsAre("2:2", "", "2:2"));
}

TEST_F(LayoutCommandLine, LinesOfAnyBytesAreAnswered) {
  std::string lines;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == '\n') continue;
    lines += std::string("4:1 o ") + static_cast<char>(byte) + "\n";
  }
  lines += std::string(1 << 20, '(') + "\n4:1\n";
  const std::vector<json> answers = json_answers_to(lines);
  ASSERT_EQ(answers.size(), 257U);
  EXPECT_TRUE(answers[255].contains("error"));
  EXPECT_EQ(answers[256]["layout"], "4:1");
}

// Each case of the algebra, as a program would ask for it.
struct Asked {
  std::string line;
  std::string layout;
};

std::vector<Asked> asked_cases() {
  std::vector<Asked> asked;
  const auto add = [&](const auto& table) {
    for (const layout::cases::Case& c : table) {
      const std::string b = c.b.empty() ? "" : ", " + std::string(c.b);
      asked.push_back(
          {.line = std::string(c.operation) + "(" + std::string(c.a) + b + ")", .layout = std::string(c.result)});
    }
  };
  add(layout::cases::kComposition);
  add(layout::cases::kComplement);
  add(layout::cases::kCoalesce);
  add(layout::cases::kDivide);
  add(layout::cases::kProduct);
  add(layout::cases::kInverse);
  return asked;
}

TEST_F(LayoutCommandLine, EveryCaseOfTheAlgebraIsAnswered) {
  const std::vector<Asked> asked = asked_cases();
  std::string lines;
  for (const Asked& question : asked) lines += question.line + "\n";
  const std::vector<json> answers = json_answers_to(lines);
  ASSERT_EQ(answers.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(answers[i], (json{{"layout", asked[i].layout}})) << asked[i].line;
  }
}

// The cases about coordinates, swizzles, partitions and vectors, by their numbers.
TEST_F(LayoutCommandLine, CasesWithOtherAnswers) {
  const std::vector<std::pair<std::string, std::string>> cases{
      /* 99 */ {"cosize((4,8):(1,5))", R"({"value": 39})"},
      {"cosize(4:0)", R"({"value": 1})"},
      {"cosize(4:-1)", R"({"value": 4})"},
      /* 100 */ {"idx2crd(22, ((2,2),(4,2)))", R"({"value": [[0,1],[1,1]]})"},
      {"((2,2),(4,2)):((1,8),(2,16))(22)", R"({"value": 26})"},
      /* 101 */ {"(3,(2,3)):(3,(12,1))(16)", R"({"value": 17})"},
      {"(3,(2,3)):(3,(12,1))(1,5)", R"({"value": 17})"},
      {"(3,(2,3)):(3,(12,1))(1,(1,2))", R"({"value": 17})"},
      /* 102 */ {"size(((2,2),(2,2)):((1,4),(2,8)))", R"({"value": 16})"},
      {"cosize(((2,2),(2,2)):((1,4),(2,8)))", R"({"value": 16})"},
      {"rank(((2,2),(2,2)):((1,4),(2,8)))", R"({"value": 2})"},
      {"depth(((2,2),(2,2)):((1,4),(2,8)))", R"({"value": 2})"},
      /* 103 */ {"zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)(0,3)", R"({"value": 26})"},
      {"zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)(0,7)", R"({"value": 60})"},
      {"zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)(0,(1,2))", R"({"value": 60})"},
      /* 104 */
      {"slice(((3,2),((2,3),2)):((4,1),((2,15),100)), (2,_))",
       R"json({"layout": "((2,3),2):((2,15),100)", "offset": 8})json"},
      /* 106 */ {"zipped_divide((10,7):(1,10), <4,3>)", R"json({"layout": "((4,3),(3,3)):((1,10),(4,30))"})json"},
      /* 109 */ {"Swizzle<2,0,3>(8)", R"({"value": 9})"},
      {"Swizzle<2,0,3>(9)", R"({"value": 8})"},
      {"Swizzle<2,0,3>(16)", R"({"value": 18})"},
      {"Swizzle<2,0,3>(17)", R"({"value": 19})"},
      {"Swizzle<2,0,3>(24)", R"({"value": 27})"},
      {"Swizzle<2,0,3>(31)", R"({"value": 28})"},
      /* 110 */ {"swizzle(1,0,2)(4)", R"({"value": 5})"},
      {"swizzle(1,0,2)(7)", R"({"value": 6})"},
      {"swizzle(2,0,-3)(1)", R"({"value": 9})"},
      {"swizzle(2,0,-3)(2)", R"({"value": 18})"},
      {"swizzle(2,0,-3)(3)", R"({"value": 27})"},
      /* 111 */ {"swizzle(3,4,3)(144)", R"({"value": 128})"},
      {"swizzle(3,4,3)(128)", R"({"value": 144})"},
      {"swizzle(3,4,3)(896)", R"({"value": 1008})"},
      /* 113 */
      {"make_tv_layout(4:1, 2:1)", R"json({"layout": "(4,2):(2,1)", "tile": "((2,4)):((4,1))", "tiler": [8]})json"},
      /* 114 */
      {"make_layout_tv((2,3):(3,1), (2,2):(2,1))",
       R"json({"layout": "((3,2),(2,2)):((8,2),(4,1))", "tile": "((2,2),(2,3)):((12,3),(6,1))",
                     "tiler": [4, 6]})json"},
      /* 116 */ {"local_tile((8,6):(1,8), (4,3), (1,1))", R"json({"layout": "(4,3):(1,8)", "offset": 28})json"},
      {"local_tile((8,6):(1,8), <4,3>, (1,_))", R"json({"layout": "(4,3,2):(1,8,24)", "offset": 4})json"},
      /* 118 */ {"local_tile(identity_layout((4,3)), (2,2), (1,1))(1,1)", R"({"value": [3, 3]})"},
      {"elem_less((3,3), (4,3))", R"({"value": false})"},
      {"elem_less((3,2), (4,3))", R"({"value": true})"},
      /* 120 */ {"max_common_vector((8,4):(1,8), (8,4):(1,16))", R"({"value": 8})"},
      {"max_common_vector((8,4):(1,8), (8,4):(4,1))", R"({"value": 1})"},
      /* 122 */ {"upcast<4>((16,8):(1,16))", R"json({"layout": "(4,8):(1,4)"})json"},
      {"downcast<2>((16,8):(1,16))", R"json({"layout": "(32,8):(1,32)"})json"},
  };
  std::string lines;
  for (const auto& [line, answer] : cases) lines += line + "\n";
  const std::vector<json> answers = json_answers_to(lines);
  ASSERT_EQ(answers.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(answers[i], json::parse(cases[i].second)) << cases[i].first;
  }
  // 115: of one thread per row, four columns each; the reference leaves out modes of extent 1.
  const json tv = layout({"make_tv_layout((8,4):(1,8), (4,1))", "--json"}).json();
  EXPECT_EQ(tv["tiler"], json::parse("[32,4]"));
  EXPECT_EQ(layout({"coalesce(layout((32,4):(4,1)))", "--json"}).json()["offsets"], tv["offsets"]);
}

// The rule with its numbers, or the position.
TEST_F(LayoutCommandLine, WhatMustBeRefusedIsAnErrorLine) {
  const std::vector<std::pair<std::string, std::string>> refused{
      /* R1 */ {"(4,3):(1,8) o 6:1", "6 is not a multiple of 4"},
      /* R2 */ {"(4,6,8):(2,3,5) o 6:3", "steps by 3 through a mode of extent 4"},
      /* R3 */ {"(6,2):(1,7) o (3,2):(2,3)", "leaf 1 of the right side, now 2:3, goes beyond a mode of extent 6"},
      /* R4 */ {"(2,2):(1,10) o (2,2):(1,1)", "leaf 1 of the right side, now 2:1, goes beyond a mode of extent 2"},
      /* R5 */ {"(8,8):(8,1) o 4:3", "steps by 3 through a mode of extent 8"},
      {"(4,2,8):(3,12,97) o 4:3", "steps by 3 through a mode of extent 8"},
      {"(4,2,8):(3,15,97) o 3:3", "steps by 3 through a mode of extent 4"},
      /* R6 */ {"complement((2,2):(2,3), 19)", "the mode 2:3 overlaps smaller strides"},
      /* R7 */ {"left_inverse((4,2):(2,3))", "2:3 needs a stride that is a multiple of 2"},
      {"(6,4):(1,10) / 4:1", "hangs over within the layout's modes"},
      {"(4,3):(1,8,2)", "the same parentheses"},
      {"(4,(3,2)):((1,2),8)", "the same parentheses"},
      {"(4,0):(1,8)", "extent 0"},
      {"(4,-3)", "extent -3"},
      {"(4,_)", "leaf 1: extent _"},
      {"complement(4:1, 0)", "extent 0"},
      {"(4294967296,4294967296)", "beyond 64 bits"},
      {"4:9223372036854775807", "beyond 64 bits"},
      {"9223372036854775808:1", "position 19: expected a number of at most 63 bits"},
      {"(4,3):(1,8", "position 11: expected ',' or ')', but the text ends"},
      {"(4,3):(1,8) o", "position 14: expected a number"},
      {"4:1 ∘ 2;2", "position 8: expected an operator (o, / or *) or the end, not ';'"},
      {"()", "position 2: expected a number"},
      {"frobnicate(4:1)", "there is no function frobnicate"},
  };
  std::string lines;
  for (const auto& [line, reason] : refused) lines += line + "\n";
  const std::vector<json> answers = json_answers_to(lines);
  ASSERT_EQ(answers.size(), refused.size());
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const auto& [line, reason] = refused[i];
    ASSERT_TRUE(answers[i].contains("error")) << line << ": " << answers[i];
    EXPECT_EQ(answers[i].size(), 1U) << line;
    EXPECT_THAT(answers[i]["error"].get<std::string>(), testing::AllOf(HasSubstr("position "), HasSubstr(reason)))
        << line;
  }
}

}  // namespace
}  // namespace boon::cli
