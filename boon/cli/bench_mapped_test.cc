// boon bench mapped.
#include "boon/cli/cli_testing.h"
#include "boon/cli/parser_testing.h"

namespace boon::cli {
namespace {

using testing::HasSubstr;

class BenchMapped : public CommandLine {
 protected:
  void SetUp() override {
    put("words.txt", kWords);
    put("new.txt", "fruit 0 0.1 0.1 1\nruler 1 0.5 0.5 0\n");
    ASSERT_THAT(boon({"truth", "@words.txt", "@new.txt", "--metric", "l2", "-k", "3", "-o", "@set.hdf5"}), Worked());
    ASSERT_THAT(boon({"build", "@set.hdf5", "-o", "@set.boon"}), Worked());
  }
};

TEST_F(BenchMapped, MeasuresBothWaysOfHoldingAnIndex) {
  const Outcome outcome =
      boon({"bench", "mapped", "@set.boon", "@set.hdf5", "-k", "3", "--beam", "10", "--repeat", "2", "--json"});
  ASSERT_THAT(outcome, Worked());
  const auto json = outcome.json();
  EXPECT_EQ(json["n"], kWordCount);
  EXPECT_EQ(json["queries"], 2);
  EXPECT_EQ(json["recall"], 1.0);
  ASSERT_EQ(json["ways"].size(), 4U);
  EXPECT_EQ(json["ways"][0]["us_per_query"], nullptr);
  for (const std::size_t way : {1U, 2U, 3U}) EXPECT_GT(json["ways"][way]["us_per_query"], 0) << way;
  EXPECT_THAT(boon({"bench", "mapped", "@set.boon", "@set.hdf5", "-k", "3"}).out, HasSubstr("in memory"));
}

TEST_F(BenchMapped, RefusesASetThatTheIndexWasNotBuiltOf) {
  put("few.txt", "fruit 0 0.1 0.1 1\nruler 1 0.5 0.5 0\n");
  ASSERT_THAT(boon({"truth", "@few.txt", "@new.txt", "--metric", "l2", "-k", "1", "-o", "@few.hdf5"}), Worked());
  EXPECT_THAT(boon({"bench", "mapped", "@set.boon", "@few.hdf5", "-k", "1"}),
              Failed(2, "name the set that it was built of"));
  ASSERT_THAT(boon({"build", "@set.hdf5", "-o", "@cosine.boon", "--metric", "cosine"}), Worked());
  EXPECT_THAT(boon({"bench", "mapped", "@cosine.boon", "@set.hdf5", "-k", "1"}), Failed(2, "is of cosine"));
  EXPECT_THAT(boon({"bench", "mapped", "@gone.boon", "@set.hdf5", "-k", "1"}), Failed(3, "gone.boon"));
}

}  // namespace
}  // namespace boon::cli
