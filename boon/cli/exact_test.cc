// boon exact and boon truth.
#include "boon/cli/cli_testing.h"
#include "boon/cli/exact_search.h"
#include "boon/cli/parser_testing.h"
#include "boon/core/random.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

VectorTable random_table(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  VectorTable table;
  table.dim = dim;
  for (std::size_t i = 0; i < rows * dim; ++i) table.values.push_back(static_cast<float>(random.normal()));
  return table;
}

std::span<const float> row_of(const VectorTable& table, std::size_t row) {
  return {table.values.data() + row * table.dim, table.dim};
}

class Exact : public CommandLine {
 protected:
  void SetUp() override {
    put("words.txt", kWords);
    put("new.txt", "fruit 0 0.1 0.1 1\nruler 1 0.5 0.5 0\n");
  }
};

TEST_F(Exact, FindsTheNearestRowsByName) {
  const Outcome outcome = boon({"exact", "@words.txt", "@new.txt", "-k", "2", "--json"});
  ASSERT_THAT(outcome, Worked());
  const auto json = outcome.json();
  EXPECT_EQ(json["metric"], "cosine");
  ASSERT_EQ(json["queries"].size(), 2U);
  EXPECT_EQ(json["queries"][0]["query"], "fruit");
  EXPECT_EQ(json["queries"][0]["results"][0]["name"], "apple");
  EXPECT_EQ(json["queries"][0]["results"][0]["distance"], 0);
  EXPECT_EQ(json["queries"][0]["results"][1]["name"], "pear");
  EXPECT_THAT(boon({"exact", "@words.txt", "@new.txt", "-k", "1"}).out, HasSubstr("apple"));
  const Outcome lines = boon({"exact", "@words.txt", "@new.txt", "-k", "3", "--jsonl"});
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 6);
}

TEST_F(Exact, EqualDistancesAreInTheOrderOfRows) {
  put("twins.jsonl", R"({"id": 7, "vector": [1, 0]}
{"id": 5, "vector": [0, 1]}
{"id": 3, "vector": [1, 0]}
{"id": 9, "vector": [1, 0]}
)");
  put("query.jsonl", R"({"id": 0, "vector": [1, 0]})");
  const auto json = boon({"exact", "@twins.jsonl", "@query.jsonl", "--metric", "l2", "--json"}).json();
  std::vector<int> ids;
  for (const auto& result : json["queries"][0]["results"]) ids.push_back(result["id"]);
  EXPECT_THAT(ids, ElementsAre(7, 3, 9, 5));  // as many as there are
}

TEST_F(Exact, RefusesWhatHasNoAnswer) {
  put("three.txt", "a 1 2 3\n");
  put("zero.txt", "a 1 2 3 4\nb 0 0 0 0\n");
  EXPECT_THAT(boon({"exact", "@words.txt", "@three.txt"}), Failed(2, "dimension 3"));
  EXPECT_THAT(boon({"exact", "@words.txt", "@zero.txt"}), Failed(2, "row 1 is a vector of zeros"));
  EXPECT_THAT(boon({"exact", "@zero.txt", "@words.txt"}), Failed(2, "row 1 is a vector of zeros"));
  EXPECT_THAT(boon({"exact", "@zero.txt", "@words.txt", "--metric", "l2"}), Worked());
  EXPECT_THAT(boon({"exact", "@words.txt", "@new.txt", "-k", "0"}), Failed(2, "k is 0"));
  EXPECT_THAT(boon({"exact", "@words.txt", "@new.txt", "--metric", "l3"}), Failed(2, "l3"));
  EXPECT_THAT(boon({"exact", "@words.txt", "@none.txt"}), Failed(3, "none.txt"));
  EXPECT_THAT(boon({"exact", "-", "-"}), Failed(2, "not both"));
}

TEST(ExactSearch, EqualsALoopInDoublePrecision) {
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    const VectorTable base = random_table(700, 11, 1);
    const VectorTable queries = random_table(1100, 11, 2);  // more than a stretch
    std::size_t calls = 0;
    const ExactAnswers answers = find_exact(base, queries, metric, 5, 2, "base", "queries", [&](auto, auto) {
      ++calls;
      return true;
    });
    EXPECT_GE(calls, 2U);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
      std::vector<std::pair<double, std::uint32_t>> all;
      for (std::uint32_t row = 0; row < base.rows(); ++row) {
        all.emplace_back(precise_distance(metric, row_of(queries, q), row_of(base, row)), row);
      }
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < 5; ++i) {
        ASSERT_EQ(answers.rows[q * 5 + i], all[i].second) << name(metric) << " query " << q;
        ASSERT_EQ(answers.distances[q * 5 + i], all[i].first);
      }
    }
  }
}

TEST(ExactSearch, StopsWhenAsked) {
  const VectorTable table = random_table(10, 2, 3);
  const auto error = error_of(
      [&] { find_exact(table, table, Metric::l2, 1, 1, "base", "queries", [](auto, auto) { return false; }); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::cancelled);
}

class Truth : public Exact {
 protected:
  void make() const {
    ASSERT_THAT(boon({"truth", "@words.txt", "@new.txt", "--metric", "l2", "-k", "3", "-o", "@set.hdf5"}), Worked());
  }
};

TEST_F(Truth, MakesASetThatCanBeRead) {
  make();
  const BenchmarkSet set = read_benchmark_set(path("set.hdf5"));
  EXPECT_EQ(set.metric, "euclidean");
  EXPECT_EQ(set.train.rows(), kWordCount);
  EXPECT_EQ(set.train.names[6], "apple");
  EXPECT_EQ(set.test.rows(), 2U);
  ASSERT_EQ(set.truth_k, 3U);
  EXPECT_EQ(set.neighbours[0], 6);
  EXPECT_EQ(set.neighbours[1], 7);
  EXPECT_EQ(set.distances[0], 0.0F);
  EXPECT_FLOAT_EQ(set.distances[1], 0.05F);  // not squared
  EXPECT_THAT(boon({"truth", "@set.hdf5", "--check"}), Worked());
}

TEST_F(Truth, MakesItAgainFromItself) {
  make();
  ASSERT_THAT(boon({"truth", "@set.hdf5", "-k", "3", "-o", "@again.hdf5"}), Worked());
  const BenchmarkSet first = read_benchmark_set(path("set.hdf5"));
  const BenchmarkSet again = read_benchmark_set(path("again.hdf5"));
  EXPECT_EQ(again.neighbours, first.neighbours);
  EXPECT_EQ(again.distances, first.distances);
  EXPECT_EQ(again.metric, first.metric);
}

TEST_F(Truth, WritesRowNumbersAlone) {
  ASSERT_THAT(boon({"truth", "@words.txt", "@new.txt", "-k", "2", "-o", "@truth.ivecs"}), Worked());
  const VectorTable rows = read_vectors(path("truth.ivecs"));
  EXPECT_EQ(rows.dim, 2U);
  EXPECT_THAT(rows.values, ElementsAre(6, 7, 0, 1));
  ASSERT_THAT(boon({"truth", "@words.txt", "@new.txt", "-k", "2", "-o", "@bare.hdf5", "--no-vectors"}), Worked());
  EXPECT_EQ(read_vectors(path("bare.hdf5"), {.dataset = "neighbors"}).values, rows.values);
}

TEST_F(Truth, CheckFindsWhatIsWrong) {
  make();
  const auto changed = [&](auto change) {
    BenchmarkSet set = read_benchmark_set(path("set.hdf5"));
    change(set);
    write_benchmark_set(path("wrong.hdf5"), set);
    const Outcome outcome = boon({"truth", "@wrong.hdf5", "--check", "--json"});
    return std::pair(outcome.code, outcome.json());
  };
  const auto [row_code, row] = changed([](BenchmarkSet& set) { set.neighbours[1] = 0; });
  EXPECT_EQ(row_code, 6);
  EXPECT_EQ(row["wrong_rows"], 1);
  const auto [distance_code, distance] = changed([](BenchmarkSet& set) { set.distances[4] = 9; });
  EXPECT_EQ(distance_code, 6);
  EXPECT_EQ(distance["wrong_distances"], 1);
  // Twins may be named either way.
  const auto [tie_code, tie] = changed([](BenchmarkSet& set) {
    std::copy_n(set.train.values.begin() + 6 * 4, 4, set.train.values.begin());
    set.neighbours = {6, 0, 7, 4, 5, 1};
    set.test.values.assign(set.train.values.begin() + 4 * 4, set.train.values.begin() + 4 * 5);
    set.neighbours.resize(3);
    set.test.values = std::vector<float>(set.train.values.begin(), set.train.values.begin() + 4);
    set.distances = {0, 0, set.distances[1]};
  });
  EXPECT_EQ(tie_code, 0) << tie;
  EXPECT_EQ(tie["other_ties"], 1);
}

TEST_F(Truth, SaysWhatIsMissing) {
  make();
  EXPECT_THAT(boon({"truth", "@words.txt", "@new.txt"}), Failed(2, "-o"));
  EXPECT_THAT(boon({"truth", "@set.hdf5", "--check", "-o", "@a.hdf5"}), Failed(2, "leave -o out"));
  EXPECT_THAT(boon({"truth", "@words.txt", "@new.txt", "-o", "@a.npy"}), Failed(2, ".ivecs"));
  EXPECT_THAT(boon({"truth", "@words.txt", "@new.txt", "-k", "9", "-o", "@a.hdf5"}), Failed(2, "k is 9"));
  EXPECT_THAT(boon({"truth", "no-such-set", "--check"}), Failed(3, "./dev data no-such-set"));
  EXPECT_THAT(boon({"truth", "@set.hdf5", "-k", "3", "-o", "@no/such/folder.hdf5"}), Failed(8, "no/such"));
}

}  // namespace
}  // namespace boon::cli
