#include "boon/cli/app.h"

#include "boon/cli/cli_testing.h"
#include "boon/cli/output.h"

namespace boon::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class App : public CommandLine {};

TEST_F(App, SaysItsVersion) {
  const Outcome outcome = boon({"--version"});
  EXPECT_THAT(outcome, Worked());
  EXPECT_EQ(outcome.out, "boon " BOON_VERSION "\n");
}

TEST_F(App, HelpListsCommandsAndExitCodes) {
  const Outcome outcome = boon({"--help"});
  EXPECT_THAT(outcome, Worked());
  for (const char* text : {"build", "add", "delete", "search", "calibrate", "info", "export", "bench", "demo", "doctor",
                           "analyze", "layout", "help", "Exit codes"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
  EXPECT_EQ(boon({"help"}).out, outcome.out);
}

TEST_F(App, EveryCommandHasHelpWithExamples) {
  for (const char* command :
       {"build", "add", "delete", "search", "calibrate", "info", "export", "demo", "doctor", "analyze", "layout"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = boon({"help", command});
    EXPECT_THAT(outcome, Worked());
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n"));
    EXPECT_EQ(boon({command, "--help"}).out, outcome.out);
  }
}

TEST_F(App, WrongUsageIsOneLineAndCodeTwo) {
  EXPECT_THAT(boon({}), Failed(2, "boon --help"));
  EXPECT_THAT(boon({"serch", "words.boon"}), Failed(2, "did you mean \"search\"?"));
  EXPECT_THAT(boon({"frobnicate"}), Failed(2, "no command \"frobnicate\""));
  EXPECT_THAT(boon({"help", "serch"}), Failed(2, "search"));
  EXPECT_THAT(boon({"build"}), Failed(2, "boon help build"));
  EXPECT_THAT(boon({"search", "words.boon", "--frobnicate"}), Failed(2, "--frobnicate"));
  EXPECT_THAT(boon({"search", "words.boon", "-k", "many"}), Failed(2, "many"));
  EXPECT_THAT(boon({"search", "words.boon", "--threshold", "near"}), Failed(2, "near"));
}

TEST_F(App, ThreadsAreCountedByEveryCommandThatTakesThem) {
  const std::vector<std::vector<std::string>> commands{{"build", "words.txt", "-o", "words.boon"},
                                                       {"add", "words.boon", "words.txt"},
                                                       {"search", "words.boon", "--like", "king"},
                                                       {"doctor", "words.boon"},
                                                       {"calibrate", "words.boon"},
                                                       {"bench", "search", "words.boon"},
                                                       {"bench", "hops"}};
  for (auto command : commands) {
    SCOPED_TRACE(command[0]);
    command.emplace_back("--threads");
    for (const char* count : {"1025", "18446744073709551615", "99999999999999999999"}) {
      command.emplace_back(count);
      EXPECT_THAT(boon(command), Failed(2, std::string(count) + " threads are too many; it takes up to 1024"));
      command.pop_back();
    }
    command.emplace_back("-1");
    EXPECT_THAT(boon(command), Failed(2, "-1 is negative"));
  }
}

TEST_F(App, WrongUsageIsJsonTooWhereItWasAskedFor) {
  const Outcome outcome = boon({"search", "--json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.json()["error"]["code"], "invalid_argument");
}

TEST_F(App, AnswersThatDidNotArriveAreNoSuccess) {
  const char* const argv[] = {"boon", "--version"};
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run(2, argv, out, err), 8);
  EXPECT_THAT(err.str(), StartsWith("boon: cannot write"));
}

TEST(Output, FloatsAreShownAsShortAsTheyAre) {
  EXPECT_EQ(shortest(0.2F), 0.2);
  EXPECT_EQ(static_cast<float>(shortest(1.0F / 3)), 1.0F / 3);
}

TEST(Output, ArgumentsAreQuotedAsAShellNeeds) {
  EXPECT_EQ(shell_quoted("words.boon"), "words.boon");
  EXPECT_EQ(shell_quoted("my words.boon"), "'my words.boon'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace boon::cli
