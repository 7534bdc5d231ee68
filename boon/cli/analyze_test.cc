// boon analyze: its figures on sets whose figures are known, its page, and what it refuses.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "boon/cli/analyze_advice.h"
#include "boon/cli/analyze_svg.h"
#include "boon/cli/cli_testing.h"
#include "boon/core/random.h"

namespace boon::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Vectors as a file of the fvecs family.
std::string fvecs(std::size_t dim, const std::vector<float>& values) {
  const auto count = static_cast<std::int32_t>(dim);
  std::string file;
  for (std::size_t row = 0; row * dim < values.size(); ++row) {
    file.append(reinterpret_cast<const char*>(&count), sizeof count);
    file.append(reinterpret_cast<const char*>(values.data() + row * dim), dim * sizeof(float));
  }
  return file;
}

std::vector<float> normal(std::size_t rows, std::size_t dim, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<float> values(rows * dim);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// Uniform in the ball of radius 1 of `ball` dimensions, whose axes are spread over `dim` components; the others are 0.
std::vector<float> uniform_ball(std::size_t rows, std::size_t ball, std::size_t dim) {
  Random random(1);
  std::vector<float> values(rows * dim);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> direction(ball);
    double squares = 0;
    for (double& x : direction) {
      x = random.normal();
      squares += x * x;
    }
    const double radius = std::pow(random.uniform(), 1 / static_cast<double>(ball)) / std::sqrt(squares);
    for (std::size_t i = 0; i < ball; ++i) {
      values[row * dim + i * (dim / ball)] = static_cast<float>(direction[i] * radius);
    }
  }
  return values;
}

class Analyze : public CommandLine {
 protected:
  nlohmann::json json_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "analyze");
    arguments.push_back("--json");
    const Outcome outcome = boon(arguments);
    EXPECT_THAT(outcome, Worked());
    return outcome.json();
  }
};

TEST_F(Analyze, SeesTheDimensionOfABall) {
  for (const std::size_t ball : {1U, 2U, 4U, 8U}) {
    SCOPED_TRACE(ball);
    put("ball.fvecs", fvecs(24, uniform_ball(4000, ball, 24)));
    const auto json = json_of({"@ball.fvecs", "--metric", "l2"});
    const auto d = static_cast<double>(ball);
    const auto& dimension = json["dimension"];
    EXPECT_NEAR(dimension["two_nearest"]["value"].get<double>() / d, 1, 0.1);
    EXPECT_NEAR(dimension["maximum_likelihood"]["value"].get<double>() / d, 1, 0.1);
    EXPECT_LT(dimension["two_nearest"]["low"], dimension["two_nearest"]["value"]);
    EXPECT_GT(dimension["two_nearest"]["high"], dimension["two_nearest"]["value"]);
    EXPECT_NEAR(dimension["spread"].get<double>() / d, 1, 0.02);
    // The mean length in a ball is d / (d + 1).
    const auto& norms = json["components"]["norms"];
    EXPECT_NEAR(norms["mean"].get<double>(), d / (d + 1), 0.02);
    EXPECT_LE(norms["max"].get<double>(), 1 + 1e-6);
    EXPECT_EQ(json["components"]["constant_columns"], 24 - ball);
  }
}

TEST_F(Analyze, SeesTheCosinesOfNormalComponents) {
  for (const std::size_t dim : {3U, 12U, 100U}) {
    SCOPED_TRACE(dim);
    put("normal.fvecs", fvecs(dim, normal(2000, dim)));
    const auto json = json_of({"@normal.fvecs"});
    const auto& cosines = json["cosines"];
    const auto d = static_cast<double>(dim);
    EXPECT_EQ(cosines["pairs"], 50'000);
    EXPECT_NEAR(cosines["sd"].get<double>() * std::sqrt(d), 1, 0.02);
    EXPECT_DOUBLE_EQ(cosines["expected_sd"].get<double>(), 1 / std::sqrt(d));
    EXPECT_NEAR(cosines["mean"]["value"].get<double>(), 0, 0.02);
    EXPECT_NEAR(cosines["effective_dim"].get<double>() / d, 1, 0.04);
    EXPECT_LT(cosines["gap"], 0.02);
    if (dim < 100) continue;  // below, what one projection and one sphere do is not yet what theory says of many
    EXPECT_NEAR(json["concentration"]["sd_to_mean"].get<double>() * 2 * std::sqrt(d), 1, 0.05);
    EXPECT_EQ(json["projections"].size(), 4U);
    for (const auto& projection : json["projections"]) {
      EXPECT_NEAR(projection["ratio"]["sd"].get<double>() / projection["expected_sd"].get<double>(), 1, 0.2);
    }
    EXPECT_LE(json["projections"][3]["bound"], 0.3);
    EXPECT_LT(json["projections"][3]["worst"], json["projections"][3]["bound"]);
  }
}

TEST_F(Analyze, KnowsTheBallOfTheSpace) {
  put("normal.fvecs", fvecs(3, normal(200, 3)));
  const auto ball = json_of({"@normal.fvecs"})["ball"];
  EXPECT_NEAR(ball["volume"].get<double>(), 4.18879, 1e-5);
  EXPECT_NEAR(ball["half_shell"].get<double>(), 1 - std::cbrt(0.5), 1e-12);
  EXPECT_NEAR(ball["half_shell_bound"].get<double>(), std::log(2) / 3, 1e-12);
  EXPECT_EQ(ball["equator_width"], 1);
  EXPECT_EQ(ball["equator_of_ball"], 1);
  EXPECT_NEAR(ball["equator_bound"].get<double>(), std::erf(1), 1e-12);
}

TEST_F(Analyze, PrintsAPageWithWhatEachFigureMeans) {
  put("normal.fvecs", fvecs(12, normal(600, 12)));
  const Outcome outcome = boon({"analyze", "@normal.fvecs", "--sample", "300"});
  ASSERT_THAT(outcome, Worked());
  EXPECT_THAT(outcome.out,
              HasSubstr("600 vectors of 12 dimensions, compared by cosine\nneighbours of 300 rows, seed 1"));
  for (const char* text :
       {"The vectors", "Directions", "Distances", "Dimension", "A ball of 12 dimensions", "Random projections", "Codes",
        "Advice", "if directions were random", "95% intervals", "neighbours (M)", "by the lemma at most 30.0%"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf ")), Not(HasSubstr(" \n"))));
  EXPECT_EQ(outcome.err, "") << "progress is for terminals";
}

TEST_F(Analyze, TheSeedDecides) {
  put("normal.fvecs", fvecs(12, normal(600, 12)));
  const auto figures = [&](const char* seed, const char* threads) {
    auto json = json_of({"@normal.fvecs", "--sample", "100", "--seed", seed, "--threads", threads});
    EXPECT_EQ(json["sample"], 100);
    json.erase("seconds");
    return json.dump();
  };
  EXPECT_EQ(figures("3", "1"), figures("3", "2"));
  EXPECT_NE(figures("3", "1"), figures("4", "1"));
}

TEST_F(Analyze, AdvisesACommandThatWorks) {
  put("normal.fvecs", fvecs(64, normal(1200, 64)));
  const auto advice = json_of({"@normal.fvecs", "--metric", "l2"})["advice"];
  const std::string codes = advice["codes"], neighbours = advice["neighbours"].dump();
  EXPECT_EQ(advice["metric"], "cosine");
  EXPECT_EQ(codes, "nvfp4");
  EXPECT_EQ(neighbours, "32");
  EXPECT_EQ(advice["command"],
            "boon build " + path("normal.fvecs") + " -o normal.boon --metric l2 --codes nvfp4 -M 32");
  EXPECT_THAT(
      boon({"build", "@normal.fvecs", "-o", "@normal.boon", "--metric", "l2", "--codes", codes, "-M", neighbours}),
      Worked());
  EXPECT_THAT(boon({"analyze", "@normal.fvecs"}).out, HasSubstr("\n  boon build " + path("normal.fvecs")));
  put("-dash.fvecs", fvecs(64, normal(1200, 64)));
  EXPECT_THAT(boon({"analyze", "@-dash.fvecs"}).out, HasSubstr(" -o ./-dash.boon "));
}

TEST_F(Analyze, AdvisesTheCodesThatAnIndexChooses) {
  for (const float far : {0.0F, 30.0F}) {
    std::vector<float> values = normal(1500, 64);
    for (float& value : values) value += far;
    put("set.fvecs", fvecs(64, values));
    ASSERT_THAT(boon({"build", "@set.fvecs", "-o", "@set.boon", "--metric", "l2", "--force"}), Worked());
    EXPECT_EQ(json_of({"@set.fvecs", "--metric", "l2"})["advice"]["codes"],
              boon({"info", "@set.boon", "--json"}).json()["codes"])
        << far;
  }
}

TEST_F(Analyze, ReadsWhatOtherCommandsRead) {
  std::string lines;
  for (int row = 0; row < 40; ++row) lines += fmt::format("w{} {} {}\n", row, row % 7, (row * 3) % 11);
  put("words.txt", lines);
  EXPECT_EQ(json_of({"@words.txt"})["rows"], 40);
  EXPECT_EQ(json_of({"@words.txt", "--format", "text"})["advice"]["command"], "");
  EXPECT_EQ(json_of({std::string(BOON_SOURCE_DIR) + "/data/words20k.npy", "--sample", "100"})["rows"], 20'000);
}

TEST_F(Analyze, TakesBytesForWhatTheyAre) {
  Random random(1);
  std::vector<float> pixels(200 * 8);
  for (float& pixel : pixels) pixel = static_cast<float>(random.below(256));
  put("pixels.fvecs", fvecs(8, pixels));
  const auto json = json_of({"@pixels.fvecs"});
  EXPECT_EQ(json["metric"], "l2");
  EXPECT_EQ(json["advice"]["codes"], "u8");
  EXPECT_EQ(json["advice"]["record_bytes"], 8);
  EXPECT_THAT(json["advice"]["command"].get<std::string>(), Not(HasSubstr("--codes")));
  EXPECT_EQ(json_of({"@pixels.fvecs", "--metric", "cosine"})["advice"]["codes"], "none");
}

TEST_F(Analyze, SaysWhatCannotBeMeasured) {
  put("pair.txt", "a 1 2 3\nb 3 2 1\n");
  put("simplex.txt", "a 1 0 0\nb 0 1 0\nc 0 0 1\n");
  for (const char* file : {"@pair.txt", "@simplex.txt"}) {
    for (const char* metric : {"l2", "cosine", "ip"}) {
      SCOPED_TRACE(std::string(file) + " " + metric);
      const auto json = json_of({file, "--metric", metric});
      EXPECT_TRUE(json["dimension"]["two_nearest"].is_null());
      EXPECT_EQ(json["advice"]["neighbours"], 16);
      const Outcome page = boon({"analyze", file, "--metric", metric});
      EXPECT_THAT(page, Worked());
      EXPECT_THAT(page.out, AllOf(HasSubstr("none to be seen"), Not(HasSubstr("nan"))));
    }
  }
  put("some.txt", "a 1 2 3\nb 3 2 1\nc 1 2 3\nd 0 0 0\n");
  EXPECT_EQ(json_of({"@some.txt", "--metric", "l2"})["copies"], 1);
  EXPECT_EQ(json_of({"@some.txt", "--metric", "l2"})["different"], 3);
  EXPECT_EQ(json_of({"@some.txt", "--metric", "cosine"})["different"], 2);
  EXPECT_EQ(json_of({"@some.txt"})["metric"], "l2") << "a vector of zeros has no direction";
}

TEST_F(Analyze, TakesVectorsOfOneDimension) {
  put("line.fvecs", fvecs(1, normal(300, 1)));
  const auto json = json_of({"@line.fvecs", "--metric", "l2"});
  EXPECT_NEAR(json["dimension"]["two_nearest"]["value"].get<double>(), 1, 0.15);
  EXPECT_EQ(json["cosines"]["min"], -1);
  const Outcome page = boon({"analyze", "@line.fvecs", "--metric", "l2"});
  EXPECT_THAT(page.out, AllOf(HasSubstr("of 1 dimension,"), Not(HasSubstr("nan")), Not(HasSubstr("inf "))));
  EXPECT_THAT(boon({"analyze", "@line.fvecs", "--metric", "l2", "--svg", "-"}).out, Not(HasSubstr("nan")));
}

TEST_F(Analyze, DrawsAPicture) {
  put("normal.fvecs", fvecs(5, normal(300, 5)));
  ASSERT_THAT(boon({"analyze", "@normal.fvecs", "--svg", "@a.svg"}), Worked());
  const std::string svg = get("a.svg");
  EXPECT_THAT(svg, testing::StartsWith("<svg"));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg,
              AllOf(HasSubstr("polyline"), HasSubstr("class=\"bar2\""), HasSubstr("normal.fvecs: 300 vectors of 5")));
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_EQ(boon({"analyze", "@normal.fvecs", "--svg", "-"}).out, svg);
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--svg", "@a.svg"}), Worked());  // drawn again
  put("words.svg", "dear diary");
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--svg", "@words.svg"}), Failed(4, "no SVG picture"));
  EXPECT_EQ(get("words.svg"), "dear diary");
}

TEST(AnalyzeSvg, EscapesItsTitleAndDrawsNothingOfNothing) {
  const std::string svg = analysis_svg({}, "a<b & \x1b");
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; \\x1b"));
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST_F(Analyze, RefusesWhatItCannotMeasure) {
  put("bad.txt", "a 1 2\nb 3 nan\n");
  put("bad.fvecs", fvecs(3, {1, 2, 3, 4, 5, std::numeric_limits<float>::quiet_NaN()}));
  put("one.txt", "a 1 2 3\n");
  put("equal.txt", "a 1 2.5\nb 1 2.5\nc 1 2.5\n");
  put("ray.txt", "a 1 2\nb 2 4\nc 0 0\n");
  put("zeros.txt", "a 0 0\nb 0 0\n");
  put("normal.fvecs", fvecs(3, normal(10, 3)));
  EXPECT_THAT(boon({"analyze", "@bad.txt"}), Failed(2, "NaN"));
  EXPECT_THAT(boon({"analyze", "@bad.fvecs"}), Failed(2, "row 1, component 2 is NaN"));
  EXPECT_THAT(boon({"analyze", "@one.txt"}), Failed(2, "one.txt holds 1 vector; there is nothing to compare it with"));
  EXPECT_THAT(boon({"analyze", "@equal.txt", "--metric", "l2"}), Failed(2, "equal.txt: all 3 vectors are equal"));
  EXPECT_THAT(boon({"analyze", "@equal.txt"}), Failed(2, "one direction"));
  EXPECT_THAT(boon({"analyze", "@ray.txt", "--metric", "cosine"}), Failed(2, "all 2 vectors that are not zeros have"));
  EXPECT_THAT(boon({"analyze", "@ray.txt", "--metric", "l2"}), Worked());
  EXPECT_THAT(boon({"analyze", "@zeros.txt"}), Failed(2, "all 2 vectors are zeros"));
  EXPECT_THAT(boon({"analyze", "@none.txt"}), Failed(3, "none.txt"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--metric", "l3"}), Failed(2, "l3"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--sample", "0"}), Failed(2, "sample is 0"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--sample", "-1"}), Failed(2, "negative"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--seed", "-1"}), Failed(2, "negative"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--json", "--svg", "-"}), Failed(2, "choose one"));
  EXPECT_THAT(boon({"analyze", "@normal.fvecs", "--svg", "@no/such/a.svg"}), Failed(8, "no/such"));
  EXPECT_EQ(boon({"analyze", "@one.txt", "--json"}).json()["error"]["code"], "invalid_argument");
}

TEST(AnalyzeAdvice, GoesByLengthsComponentsAndTheFile) {
  geometry::Components components{.norms = {.mean = 10, .sd = 3, .min = 1, .max = 20}};
  geometry::Agreement agreement{.share = 0.62, .points = 200};
  const auto advise = [&](const char* of_file = "") { return advise_metric(components, agreement, of_file); };
  EXPECT_EQ(advise().metric, Metric::cosine);
  EXPECT_THAT(advise().why, AllOf(HasSubstr("30% of their mean"), HasSubstr("share 62% of the 10 nearest")));
  EXPECT_EQ(advise("euclidean").metric, Metric::l2);
  EXPECT_THAT(advise("euclidean").why, AllOf(HasSubstr("the file says so"), HasSubstr("62%")));
  components.zeros = 1;
  EXPECT_EQ(advise().metric, Metric::l2);
  EXPECT_THAT(advise("angular").why, HasSubstr("but an index refuses vectors of zeros there, of which there are 1"));
  components.zeros = 0;
  components.norms.sd = 0.05;
  EXPECT_THAT(advise().why, HasSubstr("about as long"));
  components.bytes = true;
  EXPECT_EQ(advise().metric, Metric::l2);
  agreement.points = 11;  // whose ten nearest are all of them
  EXPECT_THAT(advise().why, Not(HasSubstr("share")));
}

TEST(AnalyzeAdvice, TakesTheShortestCodesThatAreGoodEnough) {
  using geometry::TrialCode;
  geometry::Analysis analysis;
  analysis.rows = 5000;
  analysis.dim = 100;
  const auto codes = [&](Metric metric = Metric::cosine) { return advise_codes(analysis, metric).codes; };
  EXPECT_EQ(codes(), "none") << "nothing was tried";
  analysis.codecs = {{.code = TrialCode::int8, .bits = 8, .plain = {.among_twenty = 1}, .rotated = {}},
                     {.code = TrialCode::nvfp4, .bits = 4.5, .plain = {.among_twenty = 0.985}, .rotated = {}},
                     {.code = TrialCode::binary, .bits = 1, .plain = {.among_twenty = 1}, .rotated = {}}};
  EXPECT_EQ(codes(), "nvfp4") << "an index holds no bits";
  EXPECT_THAT(advise_codes(analysis, Metric::l2).why, HasSubstr("98.5% of the 10 nearest"));
  analysis.codecs[1].plain.among_twenty = 0.97;
  EXPECT_EQ(codes(), "int8");
  analysis.codecs[0].plain.among_twenty = 0.97;
  EXPECT_EQ(codes(), "none");
  analysis.components.bytes = true;
  EXPECT_EQ(codes(), "none");
  EXPECT_EQ(codes(Metric::l2), "u8");
  analysis.components.bytes = false;
  analysis.codecs[0].plain.among_twenty = 1;
  analysis.dim = 4;
  EXPECT_THAT(advise_codes(analysis, Metric::l2).why, HasSubstr("hardly longer"));
  analysis.rows = 1000;
  EXPECT_THAT(advise_codes(analysis, Metric::l2).why, HasSubstr("fewer than 1,024"));
}

TEST(AnalyzeAdvice, LinksGrowWithTheDimension) {
  geometry::Analysis analysis;
  EXPECT_EQ(advise_neighbours(analysis).neighbours, 16U) << "the default";
  std::size_t before = 0;
  for (const double dimension : {3.0, 9.0, 15.0, 20.0, 80.0}) {
    analysis.maximum_likelihood = geometry::IntrinsicDimension{.dimension = {dimension, dimension, dimension}};
    const std::size_t neighbours = advise_neighbours(analysis).neighbours;
    EXPECT_GT(neighbours, before);
    before = neighbours;
  }
  EXPECT_THAT(advise_neighbours(analysis).why, HasSubstr("about 80 dimensions"));
}

}  // namespace
}  // namespace boon::cli
