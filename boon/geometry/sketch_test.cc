#include "boon/geometry/sketch.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using Bits = std::vector<std::uint64_t>;

Bits sketched(const Sketcher& sketcher, std::span<const float> in) {
  Bits out(sketcher.words());
  sketcher.sketch(in, out);
  return out;
}

// Two vectors of the dimension at the angle theta, in a random plane.
Cloud pair_at(double theta, std::size_t dim, std::uint64_t seed) {
  Cloud pair = normal_cloud(2, dim, seed);
  const std::span<float> a(&pair.values[0], dim), b(&pair.values[dim], dim);
  const double length = std::sqrt(squared_length(a)), along = inner_product(a, b) / (length * length);
  for (std::size_t i = 0; i < dim; ++i) b[i] -= static_cast<float>(along * a[i]);
  const double across = std::sqrt(squared_length(b));
  for (std::size_t i = 0; i < dim; ++i) {
    b[i] = static_cast<float>(std::cos(theta) * a[i] / length + std::sin(theta) * b[i] / across);
  }
  return pair;
}

TEST(Sketch, SidesDifferWithTheProbabilityOfTheAngle) {
  for (const std::size_t dim : {2U, 3U, 20U, 100U, 384U}) {
    for (const double theta : {0.1, 0.5, 1.0, 1.5, 2.0, 3.0}) {
      std::size_t differing = 0;
      constexpr std::size_t kBits = 1024, kRuns = 20;
      for (std::uint64_t run = 0; run < kRuns; ++run) {
        const Sketcher sketcher({.dim = dim, .bits = kBits, .seed = run});
        const Cloud pair = pair_at(theta, dim, run + 1);
        differing += hamming_distance(sketched(sketcher, pair[0]), sketched(sketcher, pair[1]));
      }
      const double p = theta / std::numbers::pi, n = kBits * kRuns;
      // Four standard errors of as many independent hyperplanes.
      EXPECT_NEAR(static_cast<double>(differing) / n, p, 4 * std::sqrt(p * (1 - p) / n)) << dim << " " << theta;
      EXPECT_NEAR(estimated_angle(differing, kBits * kRuns), theta, 0.05);
    }
  }
}

TEST(Sketch, OppositesDifferInEveryBitAndScaleInNone) {
  const Sketcher sketcher({.dim = 30, .bits = 100});
  const Cloud cloud = normal_cloud(1, 30, 1);
  std::vector<float> opposite, longer;
  for (const float x : cloud.values) opposite.push_back(-x), longer.push_back(4 * x);
  EXPECT_EQ(hamming_distance(sketched(sketcher, cloud[0]), sketched(sketcher, opposite)), 100U);
  EXPECT_EQ(sketched(sketcher, cloud[0]), sketched(sketcher, longer));
  EXPECT_EQ(sketched(sketcher, std::vector<float>(30)), Bits(2));
  EXPECT_EQ(sketched(sketcher, cloud[0])[1] >> 36, 0U);
  EXPECT_NEAR(estimated_angle(100, 100), std::numbers::pi, 1e-15);
}

TEST(Sketch, BatchesHaveTheBitsOfSingles) {
  const Sketcher sketcher({.dim = 7, .bits = 200, .seed = 3});
  const Cloud cloud = normal_cloud(50, 7, 1);
  Bits batch(50 * sketcher.words());
  ThreadPool pool(2);
  sketcher.sketch(cloud.points(), batch.data(), &pool);
  for (std::size_t row = 0; row < 50; ++row) {
    const Bits one(batch.begin() + static_cast<std::ptrdiff_t>(row * 4),
                   batch.begin() + static_cast<std::ptrdiff_t>(row * 4 + 4));
    EXPECT_EQ(one, sketched(sketcher, cloud[row]));
  }
}

TEST(Sketch, SurvivesBytes) {
  const Sketcher sketcher({.dim = 7, .bits = 77, .seed = 3});
  const Sketcher read = Sketcher::from_bytes(sketcher.to_bytes());
  EXPECT_EQ(read.options(), sketcher.options());
  const Cloud cloud = normal_cloud(1, 7, 1);
  EXPECT_EQ(sketched(read, cloud[0]), sketched(sketcher, cloud[0]));
}

// Stored indexes rely on it: these bits never change, on no machine.
TEST(Sketch, HasTheseBitsForever) {
  std::vector<float> in(100);
  for (std::size_t i = 0; i < 100; ++i) in[i] = static_cast<float>(i) - 40;
  EXPECT_THAT(sketched(Sketcher({.dim = 100, .bits = 128}), in),
              testing::ElementsAre(15483636062780865975U, 18143151064190520442U));
}

TEST(Sketch, RefusesWhatItCannotSketch) {
  EXPECT_THAT(error_of([] { Sketcher({.dim = 0}); }), IsError(ErrorCode::invalid_argument, "dimension is 0"));
  EXPECT_THAT(error_of([] { Sketcher({.dim = 1, .bits = 0}); }), IsError(ErrorCode::invalid_argument, "bits is 0"));
  const Sketcher sketcher({.dim = 2});
  Bits out(8);
  const std::vector<float> rows{1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(error_of([&] { sketcher.sketch({.data = rows.data(), .count = 2, .dim = 2}, out.data()); }),
              IsError(ErrorCode::invalid_argument, "row 1, component 1 is NaN"));
  EXPECT_THAT(error_of([&] { sketcher.sketch(rows, out); }), IsError(ErrorCode::invalid_argument, "dimension 4"));
}

}  // namespace
}  // namespace boon::geometry
