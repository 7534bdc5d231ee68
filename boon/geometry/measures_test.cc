// Cosines, concentration, components and distortion of points with known properties.
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "boon/geometry/agreement.h"
#include "boon/geometry/ball.h"
#include "boon/geometry/components.h"
#include "boon/geometry/concentration.h"
#include "boon/geometry/cosines.h"
#include "boon/geometry/distortion.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

std::vector<std::uint32_t> all_rows(const Cloud& cloud) {
  std::vector<std::uint32_t> rows(cloud.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST(Cosines, OfRandomDirectionsAreThoseThatAreExpected) {
  for (const std::size_t dim : {2U, 3U, 20U, 300U}) {
    const Cloud cloud = normal_cloud(4000, dim, dim);
    const Cosines found = measure_cosines(cloud.points(), sample_pairs(4000, 10'000, 1));
    EXPECT_EQ(found.pairs, 10'000U);
    EXPECT_LE(found.mean.low, 0) << dim;
    EXPECT_GE(found.mean.high, 0) << dim;
    EXPECT_NEAR(found.sd / found.expected_sd, 1, 0.03);
    EXPECT_NEAR(found.effective_dim / static_cast<double>(dim), 1, 0.06);
    EXPECT_LT(found.gap, 0.02);  // 1.36 / sqrt(10,000) is exceeded once in twenty
    EXPECT_EQ(std::accumulate(found.histogram.begin(), found.histogram.end(), std::size_t{0}), 10'000U);
  }
}

TEST(Cosines, AMeanDirectionIsSeenAndTakenAway) {
  Cloud cloud = normal_cloud(2000, 50, 1);
  for (std::size_t i = 0; i < cloud.values.size(); i += 50) cloud.values[i] += 7;  // about as long as the rest
  const auto pairs = sample_pairs(2000, 5000, 1);
  const Cosines before = measure_cosines(cloud.points(), pairs);
  std::vector<double> mean(50);
  mean[0] = 7;
  const Cosines after = measure_cosines(cloud.points(), pairs, mean);
  EXPECT_NEAR(before.mean.value, 0.5, 0.03);
  EXPECT_LT(before.effective_dim, 5);
  EXPECT_GT(before.gap, 0.9);
  EXPECT_NEAR(after.mean.value, 0, 0.01);
  EXPECT_GT(after.effective_dim, 45);
}

TEST(Cosines, OfSpecialPoints) {
  const auto measure = [](std::vector<float> values, std::size_t dim) {
    const Cloud cloud{.dim = dim, .values = std::move(values)};
    return measure_cosines(cloud.points(), sample_pairs(cloud.size(), 100, 1));
  };
  const Cosines line = measure({1, -2, 3, -4}, 1);  // one dimension: all are 1 or -1
  EXPECT_EQ(line.min, -1);
  EXPECT_EQ(line.max, 1);
  EXPECT_NEAR(line.effective_dim, 1, 1e-12);
  EXPECT_EQ(line.histogram.front() + line.histogram.back(), 100U);
  EXPECT_NEAR(line.gap, std::abs(static_cast<double>(line.histogram.front()) / 100 - .5), 1e-12);
  EXPECT_EQ(measure({0, 0, 0, 0, 0, 0}, 2).pairs, 0U);
  EXPECT_EQ(measure({1, 2}, 2).pairs, 0U);
  EXPECT_NEAR(measure({1, 0, 0, 1}, 2).effective_dim, 1e18, 1e6);
  EXPECT_EQ(measure({3, 3, 3, 3}, 2).max, 1);
  EXPECT_NEAR(measure({3e38F, 3e38F, 3e38F, -1e38F}, 2).max, 1 / std::sqrt(5), 1e-7);
}

TEST(Concentration, OfIndependentComponentsGrowsTight) {
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t dim : {1U, 4U, 32U, 512U}) {
    const Cloud cloud = normal_cloud(300, dim, 2);
    const Concentration found = measure_concentration(cloud.points(), all_rows(cloud));
    EXPECT_LT(found.contrast.value, before);
    before = found.contrast.value;
    EXPECT_LE(found.contrast.low, found.contrast.value);
    EXPECT_GE(found.contrast.high, found.contrast.value);
    if (dim >= 32) {
      EXPECT_NEAR(found.sd_to_mean * std::sqrt(2 * static_cast<double>(dim)), 1, 0.15) << dim;
      EXPECT_NEAR(found.mean / std::sqrt(2 * static_cast<double>(dim)), 1, 0.03) << dim;
    }
  }
  EXPECT_LT(before, 0.5);
}

TEST(Concentration, OfKnownDistances) {
  const Cloud line{.dim = 1, .values = {0, 0, 1, 3}};
  const Concentration found = measure_concentration(line.points(), {0});
  EXPECT_EQ(found.points, 1U);
  EXPECT_DOUBLE_EQ(found.contrast.value, 2);
  EXPECT_DOUBLE_EQ(found.mean_to_nearest.value, 2);
  EXPECT_DOUBLE_EQ(found.sd_to_mean, 0.5);
  const Cloud copies{.dim = 2, .values = std::vector<float>(10, 1.0F)};
  EXPECT_EQ(measure_concentration(copies.points(), all_rows(copies)).points, 0U);
  EXPECT_EQ(measure_concentration(copies.points(), all_rows(copies)).sd_to_mean, 0);
}

TEST(Components, AreCounted) {
  const Cloud cloud{.dim = 2, .values = {3, 4, 0, 4, 0, 4}};
  const Components found = measure_components(cloud.points());
  EXPECT_EQ(found.norms.max, 5);
  EXPECT_EQ(found.norms.min, 4);
  EXPECT_EQ(found.zeros, 0U);
  EXPECT_TRUE(found.bytes);
  EXPECT_EQ(found.constants, 1U);
  EXPECT_EQ(found.largest_column, 1);
  EXPECT_NEAR(found.zero_share, 1.0 / 3, 1e-15);
  const std::vector<float> others{-1, 256, 0, 0, 0.5F};
  EXPECT_FALSE(measure_components({.data = others.data(), .count = 1, .dim = 1}).bytes);
  EXPECT_FALSE(measure_components({.data = others.data() + 1, .count = 1, .dim = 1}).bytes);
  EXPECT_FALSE(measure_components({.data = others.data() + 4, .count = 1, .dim = 1}).bytes);
  EXPECT_EQ(measure_components({.data = others.data() + 2, .count = 1, .dim = 2}).zeros, 1U);
  EXPECT_EQ(measure_components({.data = others.data() + 2, .count = 1, .dim = 2}).largest_column, 0);
}

TEST(Distortion, HasTheSpreadOfTheory) {
  const Cloud cloud = normal_cloud(500, 200, 1);
  const auto pairs = sample_pairs(500, 4000, 2);
  for (const std::size_t target : {8U, 64U, 150U}) {
    for (const ProjectionKind kind : {ProjectionKind::gaussian, ProjectionKind::sparse}) {
      const Distortion found =
          measure_distortion(cloud.points(), pairs, Projection({.dim = 200, .target = target, .kind = kind}));
      EXPECT_EQ(found.pairs, 4000U);
      EXPECT_NEAR(found.ratio.mean, 1, 0.1 + 1.0 / static_cast<double>(target));
      EXPECT_NEAR(found.ratio.sd / found.expected_sd, 1, 0.15) << target;
      EXPECT_GE(found.worst, found.ratio.max - 1);
    }
  }
}

TEST(Distortion, StaysWithinTheBoundOfTheLemma) {
  const Cloud cloud = normal_cloud(500, 40, 1);
  const std::size_t target = johnson_lindenstrauss_dim(500, 0.3) + 1;
  const Distortion found =
      measure_distortion(cloud.points(), sample_pairs(500, 4000, 2), Projection({.dim = 40, .target = target}));
  EXPECT_NEAR(found.bound, 0.3, 1e-3);
  EXPECT_LT(found.worst, found.bound);
  EXPECT_EQ(measure_distortion(cloud.points(), {}, Projection({.dim = 40, .target = 20})).bound, 1);
}

TEST(Distortion, OfPointsThatAreEqual) {
  const Cloud copies{.dim = 2, .values = std::vector<float>(10, 1.0F)};
  const Distortion found =
      measure_distortion(copies.points(), sample_pairs(5, 9, 1), Projection({.dim = 2, .target = 1}));
  EXPECT_EQ(found.pairs, 0U);
  EXPECT_EQ(found.ratio.sd, 0);
}

TEST(Agreement, IsWholeWhereVectorsAreEquallyLong) {
  Cloud cloud = normal_cloud(1000, 20, 1);
  const double mixed = measure_agreement(cloud.points()).share;
  EXPECT_GT(mixed, 0.2);
  EXPECT_LT(mixed, 0.8);
  for (std::size_t row = 0; row < 1000; ++row) {
    const double length = std::sqrt(squared_length(cloud[row]));
    for (std::size_t i = 0; i < 20; ++i) {
      cloud.values[row * 20 + i] = static_cast<float>(cloud.values[row * 20 + i] / length);
    }
  }
  const Agreement found = measure_agreement(cloud.points());
  EXPECT_GE(found.share, 0.999);  // but for ties of rounded lengths
  EXPECT_EQ(found.points, 200U);
}

TEST(Agreement, OfFewPoints) {
  const Cloud zeros{.dim = 2, .values = std::vector<float>(10)};
  EXPECT_EQ(measure_agreement(zeros.points()).points, 0U);
  const Cloud one{.dim = 2, .values = {1, 2}}, pair{.dim = 2, .values = {1, 2, 3, 4}};
  EXPECT_EQ(measure_agreement(one.points()).points, 0U);
  EXPECT_EQ(measure_agreement(pair.points()).points, 2U);
  EXPECT_EQ(measure_agreement(pair.points()).share, 1);
}

TEST(Measures, RefuseWhatIsNotFinite) {
  Cloud cloud = normal_cloud(3, 2, 1);
  cloud.values[5] = std::numeric_limits<float>::quiet_NaN();
  const Points points = cloud.points();
  const auto refused = IsError(ErrorCode::invalid_argument, "row 2, component 1 is NaN");
  EXPECT_THAT(error_of([&] { measure_cosines(points, {}); }), refused);
  EXPECT_THAT(error_of([&] { measure_concentration(points, {}); }), refused);
  EXPECT_THAT(error_of([&] { measure_components(points); }), refused);
  EXPECT_THAT(error_of([&] { measure_agreement(points); }), refused);
  EXPECT_THAT(error_of([&] { measure_distortion(points, {}, Projection({.dim = 2, .target = 1})); }), refused);
  EXPECT_THAT(error_of([] { measure_components({}); }), IsError(ErrorCode::invalid_argument, "dimension is 0"));
}

}  // namespace
}  // namespace boon::geometry
