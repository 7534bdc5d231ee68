// boon calibrate, and searches by the recall that it has measured.
#include <fmt/format.h>

#include <algorithm>

#include "boon/cli/cli_testing.h"
#include "boon/cli/named_index.h"
#include "boon/cli/vectors.h"
#include "boon/core/random.h"
#include "boon/index/index.h"

namespace boon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class Calibrate : public CommandLine {
 protected:
  static std::string rows(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::string lines;
    for (std::size_t i = 0; i < count; ++i) {
      lines += "{\"vector\": [1";
      for (int j = 0; j < 7; ++j) lines += fmt::format(", {:.4f}", random.normal());
      lines += "]}\n";
    }
    return lines;
  }
  // v.boon of 1,500 vectors, with a weak graph.
  void SetUp() override {
    put("v.jsonl", rows(1500, 1));
    put("queries.jsonl", rows(100, 2));
    ASSERT_THAT(boon({"build", "@v.jsonl", "-o", "@v.boon", "--metric", "l2", "-M", "4", "--build-beam", "20"}),
                Worked());
  }
};

TEST_F(Calibrate, ShowsATableAndKeepsIt) {
  const Outcome made = boon({"calibrate", "@v.boon", "--sample", "300"});
  ASSERT_THAT(made, Worked());
  EXPECT_THAT(made.out, StartsWith("beam  recall@10  at least\n"));
  EXPECT_THAT(made.err, HasSubstr("calibrated for k = 10, by 300 of its own vectors: 0.90 with beam "));
  EXPECT_THAT(boon({"info", "@v.boon"}).out, HasSubstr("calibrated           k = 10, by 300"));
  EXPECT_EQ(boon({"info", "@v.boon", "--json"}).json()["calibrations"][0]["k"], 10);
  EXPECT_THAT(answers({"@v.boon", "--id", "3", "--recall", "0.9"}), SizeIs(10));
  EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", "--threshold", "2", "--recall", "0.9"}), Worked());
  EXPECT_THAT(boon({"doctor", "@v.boon"}), Worked());
}

TEST_F(Calibrate, ProgramsGetJson) {
  const auto json = boon({"calibrate", "@v.boon", "-k", "3", "--queries", "@queries.jsonl", "--json"}).json();
  EXPECT_EQ(json["k"], 3);
  EXPECT_EQ(json["queries"], 100);
  EXPECT_EQ(json["own_rows"], false);
  EXPECT_EQ(json["stale"], false);
  ASSERT_GT(json["points"].size(), 2U);
  for (const auto& point : json["points"]) EXPECT_LE(point["recall_min"], point["recall"]);
  // Another k is kept beside it.
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "50"}), Worked());
  EXPECT_THAT(boon({"info", "@v.boon", "--json"}).json()["calibrations"], SizeIs(2));
}

TEST_F(Calibrate, TheSameSeedGivesTheSameFile) {
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "50", "--threads", "1"}), Worked());
  const std::string first = get("v.boon");
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "50", "--threads", "2"}), Worked());
  EXPECT_EQ(get("v.boon"), first);
}

TEST_F(Calibrate, QueriesOfABenchmarkSetAreThoseHeldOut) {
  ASSERT_THAT(boon({"truth", "@v.jsonl", "@queries.jsonl", "--metric", "l2", "-o", "@set.hdf5"}), Worked());
  const auto json = boon({"calibrate", "@v.boon", "--queries", "@set.hdf5", "--json"}).json();
  EXPECT_EQ(json["queries"], 100);
  const auto same = boon({"calibrate", "@v.boon", "--queries", "@queries.jsonl", "--json"}).json();
  EXPECT_EQ(json["points"], same["points"]);
  EXPECT_EQ(
      boon({"calibrate", "@v.boon", "--queries", "@set.hdf5", "--query-dataset", "train", "--json"}).json()["queries"],
      1500);
  EXPECT_EQ(boon({"search", "@v.boon", "--queries", "@set.hdf5", "--json"}).json()["queries"].size(), 100U);
}

TEST_F(Calibrate, AnIndexIsTheUsersFromThenOn) {
  Index demo = Index::load(path("v.boon"));
  demo.attach(kDemoMark, std::vector<std::byte>(1));
  demo.save(path("v.boon"));
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "100"}), Worked());
  EXPECT_TRUE(Index::view(path("v.boon")).attachment(kDemoMark).empty());
}

TEST_F(Calibrate, BadArgumentsChangeNothing) {
  const std::string before = get("v.boon");
  EXPECT_THAT(boon({"calibrate", "@none.boon"}), Failed(3, "boon build makes an index"));
  EXPECT_FALSE(exists("none.boon.lock"));
  EXPECT_THAT(boon({"calibrate", "@v.boon", "-k", "0"}), Failed(2, "k is 0"));
  EXPECT_THAT(boon({"calibrate", "@v.boon", "--sample", "0"}), Failed(2, "sample is 0"));
  put("short.jsonl", "{\"vector\": [1, 2]}\n");
  EXPECT_THAT(boon({"calibrate", "@v.boon", "--queries", "@short.jsonl"}), Failed(2, "2 components, the vectors of"));
  EXPECT_EQ(get("v.boon"), before);
}

TEST_F(Calibrate, SearchesByRecallNeedIt) {
  EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", "--recall", "0.9"}), Failed(2, "boon calibrate FILE"));
  EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", "--recall", "0.9", "--exact"}), Worked());
  EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", "--recall", "0.9", "--beam", "64"}), Failed(2, "--beam"));
  for (const char* wrong : {"0", "1", "-0.5", "1.5", "nan", "much"}) {
    EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", std::string("--recall=") + wrong}),
                Failed(2, "not between 0 and 1"));
  }
}

TEST_F(Calibrate, AChangedIndexAsksForItAnew) {
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "50"}), Worked());
  put("more.jsonl", rows(151, 3));
  ASSERT_THAT(boon({"add", "@v.boon", "@more.jsonl"}), Worked());
  EXPECT_THAT(boon({"info", "@v.boon"}).out, HasSubstr("calibrated, stale"));
  EXPECT_THAT(boon({"search", "@v.boon", "--id", "3", "--recall", "0.9"}), Failed(2, "151 have changed since"));
  ASSERT_THAT(boon({"calibrate", "@v.boon", "--sample", "50"}), Worked());
  EXPECT_THAT(boon({"info", "@v.boon"}).out, Not(HasSubstr("stale")));
}

TEST_F(Calibrate, ABuildCanDoIt) {
  const Outcome built = boon({"build", "@v.jsonl", "-o", "@w.boon", "--metric", "l2", "--calibrate"});
  ASSERT_THAT(built, Worked());
  EXPECT_THAT(built.err, HasSubstr("calibrated for k = 10, by 1,000 of its own vectors"));
  EXPECT_THAT(answers({"@w.boon", "--id", "3", "--recall", "0.9"}), SizeIs(10));
  EXPECT_THAT(boon({"build", "@v.jsonl", "-o", "@x.boon", "--kind", "exact", "--calibrate"}), Failed(2, "--calibrate"));
  EXPECT_FALSE(exists("x.boon"));
  // What cannot be calibrated is built all the same.
  put("one.jsonl", "{\"vector\": [1, 2]}\n");
  EXPECT_THAT(boon({"build", "@one.jsonl", "-o", "@one.boon", "--calibrate"}), Failed(2, "built and not calibrated"));
  EXPECT_EQ(vectors_in("one.boon"), 1U);
}

TEST_F(Calibrate, BenchesShowWhatIsReached) {
  const auto bench = [&](const char* format) {
    return boon({"bench", "search", "@v.boon", "--queries", "@queries.jsonl", "--recall", "0.5,0.9", format});
  };
  const auto points = bench("--json").json()["indexes"][0]["points"];
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[1]["target"], 0.9);
  EXPECT_GT(points[1]["recall"], 0.85);
  EXPECT_THAT(bench("--threads=1").out, HasSubstr("target  beam  recall@10"));
  EXPECT_THAT(boon({"bench", "search", "@v.boon", "--recall", "0.9", "--beams", "10"}), Failed(2, "--beams"));
}

// Every twentieth of the bundled words is held out. The tolerance is three deviations of a mean over 1,000 queries,
// each of which deviates by less than .12.
TEST(CalibrateWords, TargetsAreReachedOnWordsHeldOut) {
  const VectorTable words = read_vectors(std::string(BOON_SOURCE_DIR) + "/data/words20k.npy", {});
  constexpr std::size_t kAnswers = 10;
  std::vector<float> base, held_out;
  for (std::size_t row = 0; row < words.rows(); ++row) {
    const auto first = words.values.begin() + static_cast<std::ptrdiff_t>(row * words.dim);
    auto& part = row % 20 == 0 ? held_out : base;
    part.insert(part.end(), first, first + static_cast<std::ptrdiff_t>(words.dim));
  }
  for (const char* codes : {"none", "auto"}) {
    Index index({.dim = words.dim, .metric = Metric::cosine, .codes = codes});
    index.add(base);
    index.calibrate();
    const Matches truth = index.search_many(held_out, kAnswers, {.exact = true});
    for (const double target : {.9, .95, .99}) {
      const Matches found = index.search_many(held_out, kAnswers, {.target_recall = target});
      std::size_t right = 0;
      for (std::size_t i = 0; i < found.ids.size(); ++i) {
        right += found.distances[i] <= truth.distances[i / kAnswers * kAnswers + kAnswers - 1] ? 1 : 0;
      }
      const double recall = static_cast<double>(right) / static_cast<double>(found.ids.size());
      EXPECT_GE(recall, target - .012) << codes << ", " << target;
    }
  }
}

}  // namespace
}  // namespace boon::cli
