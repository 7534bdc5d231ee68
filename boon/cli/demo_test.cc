#include "boon/cli/demo.h"

#include <algorithm>

#include "boon/cli/cli_testing.h"
#include "boon/cli/parser_testing.h"
#include "boon/core/random.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Demo : public CommandLine {
 protected:
  static constexpr std::size_t kRows = 1300;
  static constexpr std::size_t kDim = 8;

  // A sample with the words that the demo asks for and many others.
  void put_sample() const {
    std::string words = "king\nriver\nguitar\ncomputer\nwoman\nman\nparis\nitaly\nfrance\n";
    for (auto i = std::count(words.begin(), words.end(), '\n'); i < static_cast<std::ptrdiff_t>(kRows); ++i) {
      words += "word" + std::to_string(i) + '\n';
    }
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1300, 8), }";
    header.resize(117, ' ');
    std::string vectors = std::string("\x93NUMPY\x01\x00", 8) + raw<std::uint16_t>(118) + header + '\n';
    Random random(1);
    for (std::size_t i = 0; i < kRows * kDim; ++i) vectors += raw(static_cast<float>(random.normal()));
    put("words20k.npy", vectors);
    put("words20k.txt", words);
  }
};

TEST_F(Demo, LeavesAnIndexOfAllWords) {
  put_sample();
  const Outcome outcome = boon({"demo", "--data", "@", "--output", "@demo.boon"});
  ASSERT_THAT(outcome, Worked());
  EXPECT_THAT(outcome.out, HasSubstr("king + woman - man"));
  EXPECT_THAT(outcome.out, HasSubstr("recall@10"));
  EXPECT_THAT(outcome.out, HasSubstr("boon search " + path("demo.boon")));
  EXPECT_EQ(vectors_in("demo.boon"), kRows);
}

TEST_F(Demo, ProgramsGetItsFigures) {
  put_sample();
  const Outcome outcome = boon({"demo", "--data", "@", "--output", "@demo.boon", "--json"});
  ASSERT_THAT(outcome, Worked());
  const auto json = outcome.json();
  EXPECT_EQ(json["vectors"], kRows);
  EXPECT_THAT(json["answers"], SizeIs(6));
  EXPECT_THAT(json["answers"][0]["words"], SizeIs(5));
  EXPECT_EQ(json["searches"][0]["exact"], true);
  // Nearly all of 300 vectors are visited.
  EXPECT_GE(json["searches"].back()["recall_at_10"], 0.99);
}

TEST_F(Demo, ReplacesWhatItLeft) {
  put_sample();
  ASSERT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Worked());
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Worked());
  EXPECT_THAT(boon({"doctor", "@demo.boon"}), Worked());
}

TEST_F(Demo, KeepsWhatAUserMade) {
  put_sample();
  build_words();
  const std::string words = get("words.boon");
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@words.boon"}), Failed(4, "--force replaces it"));
  EXPECT_EQ(get("words.boon"), words);
  put("notes", "precious");
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@notes"}), Failed(4, "notes exists already"));
  EXPECT_EQ(get("notes"), "precious");
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@words.boon", "--force"}), Worked());
  EXPECT_EQ(vectors_in("words.boon"), kRows);
}

TEST_F(Demo, KeepsItsFileOnceAUserHasChangedIt) {
  put_sample();
  ASSERT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Worked());
  ASSERT_THAT(boon({"delete", "@demo.boon", "guitar"}), Worked());
  const std::string changed = get("demo.boon");
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Failed(4, "demo.boon"));
  EXPECT_EQ(get("demo.boon"), changed);
}

TEST_F(Demo, AMissingSampleIsNamed) {
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Failed(3, "words20k.npy"));
  put_sample();
  put("words20k.txt", "king\n");
  EXPECT_THAT(boon({"demo", "--data", "@", "--output", "@demo.boon"}), Failed(6, "names 1 vectors"));
}

TEST(DrawRows, DrawsOthersOnceEach) {
  const std::vector<std::size_t> kept{0, 3};
  EXPECT_THAT(draw_rows(6, 4, kept, 7), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(draw_rows(6, 100, kept, 7), SizeIs(4));
  EXPECT_THAT(draw_rows(1000, 10, {}, 7), SizeIs(10));
  EXPECT_EQ(draw_rows(1000, 10, {}, 7), draw_rows(1000, 10, {}, 7));
}

TEST(Measure, AWideBeamFindsWhatExactSearchFinds) {
  Index index({.dim = 4, .metric = Metric::l2, .graph = {}});
  Random random(1);
  std::vector<float> values(200 * 4);
  for (float& value : values) value = static_cast<float>(random.normal());
  index.add(values);
  const std::vector<std::size_t> beams{200};
  const auto points = measure(index, std::span(values).first(40), 5, beams);
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0].beam, 0U);
  EXPECT_EQ(points[1].beam, 200U);
  EXPECT_EQ(points[1].recall, 1);
}

}  // namespace
}  // namespace boon::cli
