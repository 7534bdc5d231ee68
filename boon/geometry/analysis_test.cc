#include "boon/geometry/analysis.h"

#include <cmath>
#include <limits>

#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using kernels::KnnSpace;

constexpr KnnSpace kSpaces[] = {KnnSpace::l2, KnnSpace::cosine, KnnSpace::inner_product};

void expect_finite(const Estimate& estimate) {
  EXPECT_TRUE(std::isfinite(estimate.value) && std::isfinite(estimate.low) && std::isfinite(estimate.high));
}

void expect_finite(const Analysis& analysis) {
  if (analysis.two_nearest) expect_finite(analysis.two_nearest->dimension);
  if (analysis.maximum_likelihood) expect_finite(analysis.maximum_likelihood->dimension);
  for (const Cosines& cosines : {analysis.cosines, analysis.centred_cosines}) {
    expect_finite(cosines.mean);
    EXPECT_TRUE(std::isfinite(cosines.sd) && std::isfinite(cosines.effective_dim) && std::isfinite(cosines.gap));
  }
  expect_finite(analysis.concentration.contrast);
  expect_finite(analysis.concentration.mean_to_nearest);
  EXPECT_TRUE(std::isfinite(analysis.concentration.sd_to_mean));
  expect_finite(analysis.hubness.skewness);
  EXPECT_TRUE(std::isfinite(analysis.hubness.never) && std::isfinite(analysis.hubness.top_share));
  EXPECT_TRUE(std::isfinite(analysis.spread_dim) && std::isfinite(analysis.components.norms.sd));
  for (const Distortion& distortion : analysis.projections) EXPECT_TRUE(std::isfinite(distortion.ratio.sd));
  for (const double distance : analysis.nearest) EXPECT_TRUE(std::isfinite(distance));
  for (const double distance : analysis.tenth) EXPECT_TRUE(std::isfinite(distance));
}

TEST(Analysis, SeesWhatWasPutIn) {
  Cloud cloud = normal_cloud(2000, 16, 1);
  cloud.values.insert(cloud.values.end(), cloud.values.begin(), cloud.values.begin() + 30 * 16);
  const Analysis found = analyse(cloud.points(), {.sample = 500});
  EXPECT_EQ(found.rows, 2030U);
  EXPECT_EQ(found.copies, 30U);
  EXPECT_EQ(found.different, 2000U);
  EXPECT_EQ(found.sample, 500U);
  EXPECT_EQ(found.nearest.size(), 500U);
  ASSERT_TRUE(found.two_nearest && found.maximum_likelihood);
  EXPECT_NEAR(found.two_nearest->dimension.value, 12, 3);  // borders make 16 look like less
  EXPECT_NEAR(found.spread_dim, 16, 1);
  EXPECT_NEAR(found.cosines.sd, 0.25, 0.01);
  ASSERT_EQ(found.projections.size(), 4U);
  EXPECT_LE(found.projections[3].bound, kSafeError);
  EXPECT_LT(found.projections[3].worst, kSafeError);
  EXPECT_EQ(found.codecs.size(), 3U);
  expect_finite(found);
}

TEST(Analysis, UnderTheCosineADirectionIsLookedAtOnce) {
  Cloud cloud = normal_cloud(300, 8, 1);
  const Analysis once = analyse(cloud.points(), {.space = KnnSpace::cosine});
  const std::size_t size = cloud.values.size();
  for (std::size_t i = 0; i < size; ++i) cloud.values.push_back(2 * cloud.values[i]);
  const Analysis twice = analyse(cloud.points(), {.space = KnnSpace::cosine});
  EXPECT_EQ(twice.copies, 300U);
  EXPECT_EQ(twice.sample, 300U);
  EXPECT_EQ(twice.nearest, once.nearest);
  ASSERT_TRUE(twice.two_nearest);
  EXPECT_EQ(twice.two_nearest->dimension.value, once.two_nearest->dimension.value);
  EXPECT_EQ(analyse(cloud.points()).copies, 0U);
}

TEST(Analysis, IsTheSameForASeedOnAnyNumberOfThreads) {
  const Cloud cloud = normal_cloud(700, 10, 1);
  const Analysis one = analyse(cloud.points(), {.sample = 300, .seed = 9, .threads = 1});
  const Analysis two = analyse(cloud.points(), {.sample = 300, .seed = 9, .threads = 2});
  const Analysis other = analyse(cloud.points(), {.sample = 300, .seed = 10});
  EXPECT_EQ(one.nearest, two.nearest);
  EXPECT_EQ(one.two_nearest->dimension.high, two.two_nearest->dimension.high);
  EXPECT_EQ(one.hubness.skewness.low, two.hubness.skewness.low);
  EXPECT_EQ(one.cosines.histogram, two.cosines.histogram);
  EXPECT_NE(one.nearest, other.nearest);
}

Cloud scaled_cloud(float scale) {
  Cloud cloud = normal_cloud(150, 4, 1);
  for (float& value : cloud.values) value *= scale;
  return cloud;
}

// As far from each other as floats can be.
Cloud apart_cloud() {
  Cloud cloud = normal_cloud(150, 2, 1);
  for (std::size_t i = 0; i < 150; ++i) cloud.values[2 * i] = i % 4 == 0 ? 3e38F : -3e38F;
  return cloud;
}

TEST(Analysis, OfDegeneratePointsHasNoNaN) {
  const float tiny = std::numeric_limits<float>::denorm_min(), huge = 1e19F;
  const std::vector<Cloud> clouds{{.dim = 3, .values = {1, 2, 3}},
                                  {.dim = 3, .values = {0, 0, 0}},
                                  {.dim = 2, .values = {1, 2, 3, 4}},
                                  {.dim = 4, .values = std::vector<float>(400, 2.0F)},
                                  {.dim = 4, .values = std::vector<float>(400, 0.0F)},
                                  {.dim = 1, .values = normal_cloud(200, 1, 1).values},
                                  {.dim = 1, .values = {1, 1, 2, 2, 3}},
                                  {.dim = 2, .values = {tiny, 0, 0, tiny, tiny, tiny}},
                                  {.dim = 2, .values = {huge, 0, 0, huge, -huge, huge}},
                                  scaled_cloud(1e19F),
                                  scaled_cloud(5e37F),
                                  scaled_cloud(1e-23F),
                                  scaled_cloud(1e-44F),
                                  apart_cloud()};
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    for (const KnnSpace space : kSpaces) {
      SCOPED_TRACE(i);
      for (const std::size_t sample : {1U, 2U, 1000U}) {
        expect_finite(analyse(clouds[i].points(), {.space = space, .sample = sample}));
      }
    }
  }
}

TEST(Analysis, RefusesWhatCannotBeMeasured) {
  EXPECT_THAT(error_of([] { analyse({}); }), IsError(ErrorCode::invalid_argument, "dimension is 0"));
  EXPECT_THAT(error_of([] { analyse(normal_cloud(3, 2, 1).points(), {.sample = 0}); }),
              IsError(ErrorCode::invalid_argument, "sample is 0"));
  const std::vector<float> bad{1, 2, 3, std::numeric_limits<float>::infinity()};
  EXPECT_THAT(error_of([&] { analyse({.data = bad.data(), .count = 0, .dim = 2}); }),
              IsError(ErrorCode::invalid_argument, "there are 0 rows"));
  EXPECT_THAT(error_of([&] { analyse({.data = bad.data(), .count = 2, .dim = 2}); }),
              IsError(ErrorCode::invalid_argument, "row 1, component 1 is infinite"));
  EXPECT_THAT(
      error_of([&] { analyse({.data = bad.data(), .count = 1, .dim = 2}, {}, [](auto, auto) { return false; }); }),
      IsError(ErrorCode::cancelled, "interrupted"));
}

}  // namespace
}  // namespace boon::geometry
