#include <unistd.h>

#include "boon/cli/cli_testing.h"
#include "boon/core/file.h"

namespace boon::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Change : public CommandLine {
 protected:
  void SetUp() override { build_words(); }
};

TEST_F(Change, AddedWordsAreFound) {
  put("more.txt", "plum 0 0.1 0.06 1\n");
  const Outcome added = boon({"add", "@words.boon", "@more.txt", "--json"});
  ASSERT_THAT(added, Worked());
  EXPECT_EQ(added.json()["added"], 1);
  EXPECT_EQ(added.json()["vectors"], kWordCount + 1);
  EXPECT_THAT(answers({"@words.boon", "--like", "pear", "-k", "1"}), ElementsAre("plum"));
  EXPECT_THAT(files(), ElementsAre("more.txt", "words.boon", "words.txt"));
}

TEST_F(Change, AddingLinksWhatNothingLedTo) {
  put_unlinked("weak.boon", "words.boon");
  ASSERT_GT(boon({"info", "@weak.boon", "--json"}).json()["unreachable"].get<int>(), 0);
  put("more.txt", "fig 0 0.1 0.07 1\n");
  const Outcome added = boon({"add", "@weak.boon", "@more.txt"});
  ASSERT_THAT(added, Worked());
  EXPECT_THAT(added.err, Not(HasSubstr("no path")));
  EXPECT_EQ(boon({"info", "@weak.boon", "--json"}).json()["unreachable"], 0);
}

TEST_F(Change, AKnownWordIsRefusedAndNothingChanges) {
  const std::string before = get("words.boon");
  put("more.txt", "plum 0 0 0 1\nking 0 0 0 1\n");
  EXPECT_THAT(boon({"add", "@words.boon", "@more.txt"}), Failed(4, "more.txt row 1: \"king\""));
  EXPECT_EQ(get("words.boon"), before);
}

TEST_F(Change, ReplaceGivesAWordItsNewVector) {
  put("more.txt", "king 0 0.1 0.06 1\nplum 0 0.1 0.07 1\n");
  const Outcome added = boon({"add", "@words.boon", "@more.txt", "--replace", "--json"});
  ASSERT_THAT(added, Worked());
  EXPECT_EQ(added.json()["added"], 1);
  EXPECT_EQ(added.json()["replaced"], 1);
  EXPECT_EQ(vectors_in("words.boon"), kWordCount + 1);
  EXPECT_THAT(answers({"@words.boon", "--like", "pear", "-k", "1"}), ElementsAre("king"));
  EXPECT_THAT(boon({"doctor", "@words.boon", "--sample", "0"}), Worked());
}

TEST_F(Change, ResumePassesOverWhatIsThere) {
  put("more.txt", std::string(kWords) + "plum 0 0.1 0.06 1\n");
  const Outcome added = boon({"add", "@words.boon", "@more.txt", "--resume", "--json"});
  ASSERT_THAT(added, Worked());
  EXPECT_EQ(added.json()["added"], 1);
  EXPECT_EQ(added.json()["passed_over"], kWordCount);
  EXPECT_THAT(answers({"@words.boon", "--like", "pear", "-k", "1"}), ElementsAre("plum"));
}

TEST_F(Change, AWrongDimensionNamesBoth) {
  put("more.txt", "plum 1 2 3\n");
  EXPECT_THAT(boon({"add", "@words.boon", "@more.txt"}), Failed(2, "3 components, those of the index 4"));
}

TEST_F(Change, NamesAndNumbersDoNotMix) {
  put("more.jsonl", "{\"id\": 7, \"vector\": [1, 2, 3, 4]}\n");
  EXPECT_THAT(boon({"add", "@words.boon", "@more.jsonl"}), Failed(2, "by name"));
  ASSERT_THAT(boon({"build", "@more.jsonl", "-o", "@numbers.boon"}), Worked());
  EXPECT_THAT(boon({"add", "@numbers.boon", "@words.txt"}), Failed(2, "by number"));
}

TEST_F(Change, NumbersCountOn) {
  put("v.jsonl", "{\"id\": 7, \"vector\": [1, 2]}\n");
  put("more.jsonl", "{\"vector\": [2, 1]}\n");
  ASSERT_THAT(boon({"build", "@v.jsonl", "-o", "@v.boon"}), Worked());
  ASSERT_THAT(boon({"add", "@v.boon", "@more.jsonl"}), Worked());
  EXPECT_THAT(answers({"@v.boon", "--like", "7"}), ElementsAre("8"));
  EXPECT_THAT(boon({"add", "@v.boon", "@v.jsonl"}), Failed(4, "id 7"));
}

TEST_F(Change, ASecondWriterIsTurnedAway) {
  put("more.txt", "plum 0 0.1 0.06 1\n");
  const WriterLock other(path("words.boon"));
  const std::string pid = std::to_string(::getpid());
  EXPECT_THAT(boon({"add", "@words.boon", "@more.txt"}), Failed(5, "process " + pid));
  EXPECT_THAT(boon({"delete", "@words.boon", "king"}), Failed(5, "process " + pid));
  EXPECT_THAT(answers({"@words.boon", "--like", "king", "-k", "1"}), ElementsAre("prince"));  // readers go on
}

TEST_F(Change, ALockLeftBehindIsTakenOver) {
  put("words.boon.lock", "4194304\n");  // of a process that is gone
  EXPECT_THAT(boon({"delete", "@words.boon", "king"}), Worked());
  EXPECT_FALSE(exists("words.boon.lock"));
}

TEST_F(Change, AddNeedsAnIndex) {
  EXPECT_THAT(boon({"add", "@none.boon", "@words.txt"}), Failed(3, "boon build makes"));
  EXPECT_THAT(boon({"add", "@words.txt", "@words.txt"}), Failed(6, "words.txt"));
}

TEST_F(Change, DeletedWordsAreGone) {
  const Outcome deleted = boon({"delete", "@words.boon", "king", "queen", "--json"});
  ASSERT_THAT(deleted, Worked());
  EXPECT_EQ(deleted.json()["deleted"], 2);
  EXPECT_EQ(deleted.json()["vectors"], kWordCount - 2);
  EXPECT_THAT(boon({"search", "@words.boon", "--like", "king"}), Failed(3, "king"));
  EXPECT_THAT(answers({"@words.boon", "--like", "man", "-k", "100"}), Not(Contains("king")));
  EXPECT_THAT(boon({"doctor", "@words.boon", "--sample", "0"}), Worked());
}

TEST_F(Change, DeletingAnUnknownWordChangesNothing) {
  const std::string before = get("words.boon");
  EXPECT_THAT(boon({"delete", "@words.boon", "king", "qeen"}), Failed(3, "queen"));
  EXPECT_EQ(get("words.boon"), before);
}

TEST_F(Change, ADeletedWordComesBackOnce) {
  put("king.txt", "king 1 1 0 0\n");
  for (int round = 0; round < 3; ++round) {
    ASSERT_THAT(boon({"delete", "@words.boon", "king", "--compact"}), Worked());
    ASSERT_THAT(boon({"add", "@words.boon", "@king.txt"}), Worked());
  }
  EXPECT_EQ(vectors_in("words.boon"), kWordCount);
  EXPECT_THAT(answers({"@words.boon", "--like", "prince", "-k", "1"}), ElementsAre("king"));
  EXPECT_THAT(answers({"@words.boon", "--like", "prince", "-k", "100"}), SizeIs(kWordCount - 1));
}

TEST_F(Change, AnEmptiedIndexStillWorks) {
  put("one.txt", "one 1 2\n");
  ASSERT_THAT(boon({"build", "@one.txt", "-o", "@one.boon"}), Worked());
  ASSERT_THAT(boon({"delete", "@one.boon", "one"}), Worked());
  const Outcome none = boon({"search", "@one.boon", "--vector", "1,2"});
  EXPECT_THAT(none, Worked());
  EXPECT_THAT(none.err, HasSubstr("the index is empty"));
  EXPECT_THAT(boon({"add", "@one.boon", "@one.txt"}), Worked());
  EXPECT_THAT(answers({"@one.boon", "--vector", "1,2"}), ElementsAre("one"));
}

TEST_F(Change, AnEmptiedIndexMayChangeFromNamesToNumbers) {
  put("one.txt", "one 1 2\n");
  put("numbers.jsonl", "{\"vector\": [3, 4]}\n{\"vector\": [5, 1]}\n");
  ASSERT_THAT(boon({"build", "@one.txt", "-o", "@one.boon"}), Worked());
  ASSERT_THAT(boon({"delete", "@one.boon", "one"}), Worked());
  ASSERT_THAT(boon({"add", "@one.boon", "@numbers.jsonl"}), Worked());
  EXPECT_EQ(boon({"info", "@one.boon", "--json"}).json()["named"], false);
  EXPECT_THAT(boon({"doctor", "@one.boon"}), Worked());
  EXPECT_THAT(boon({"add", "@one.boon", "@numbers.jsonl"}), Worked());
  EXPECT_EQ(vectors_in("one.boon"), 4U);
}

}  // namespace
}  // namespace boon::cli
