#include "boon/geometry/codec_trial.h"

#include <cmath>
#include <limits>

#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using kernels::KnnSpace;

TEST(CodecTrial, FewerBitsFindLess) {
  for (const KnnSpace space : {KnnSpace::l2, KnnSpace::inner_product}) {
    const auto trials = try_codecs(normal_cloud(1000, 64, 1).points(), space);
    ASSERT_EQ(trials.size(), 3U);
    EXPECT_GT(trials[0].rotated.recall, 0.95);
    EXPECT_LE(trials[0].rotated.candidates, 12U);
    EXPECT_GT(trials[1].rotated.recall, 0.7);
    EXPECT_LT(trials[1].rotated.recall, trials[0].rotated.recall);
    EXPECT_LT(trials[2].rotated.recall, trials[1].rotated.recall);
    EXPECT_GT(trials[2].rotated.candidates, trials[1].rotated.candidates);
    EXPECT_LT(trials[2].rotated.candidates, 1000U);
  }
}

TEST(CodecTrial, CodesFindTheirWayAmongClusters) {
  // 50 clusters of 20 rows: whoever finds the cluster has found the nearest.
  Cloud cloud = normal_cloud(1000, 64, 1);
  const Cloud centres = normal_cloud(50, 64, 2);
  for (std::size_t i = 0; i < cloud.values.size(); ++i) {
    cloud.values[i] = cloud.values[i] * 0.1F + centres.values[i % (50 * 64)];
  }
  const auto trials = try_codecs(cloud.points(), KnnSpace::l2);
  for (const CodecTrial& trial : trials) EXPECT_LE(trial.rotated.candidates, 40U) << name(trial.code);
}

TEST(CodecTrial, ShowsWhatARotationIsGoodFor) {
  Cloud cloud = normal_cloud(1000, 64, 1);
  const auto even = try_codecs(cloud.points(), KnnSpace::l2);
  for (const CodecTrial& trial : even) {
    EXPECT_NEAR(trial.plain.recall, trial.rotated.recall, 0.05) << name(trial.code);
    EXPECT_GE(trial.plain.among_twenty, trial.plain.recall) << name(trial.code);
    EXPECT_GE(trial.rotated.among_twenty, trial.rotated.recall) << name(trial.code);
  }
  for (float& value : cloud.values) value += 30;  // far from the origin: differences drown in rounding
  for (const CodecTrial& trial : try_codecs(cloud.points(), KnnSpace::l2)) {
    EXPECT_LT(trial.plain.recall, trial.rotated.recall) << name(trial.code);
    EXPECT_GE(trial.plain.candidates, trial.rotated.candidates) << name(trial.code);
  }
}

TEST(CodecTrial, DoesNotDependOnTheScale) {
  const Cloud cloud = normal_cloud(300, 20, 1);
  for (const KnnSpace space : {KnnSpace::l2, KnnSpace::inner_product}) {
    const auto plain = try_codecs(cloud.points(), space);
    for (const int exponent : {-110, -75, 62, 125}) {
      Cloud scaled = cloud;
      for (float& value : scaled.values) value = std::ldexp(value, exponent);
      const auto trials = try_codecs(scaled.points(), space);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(trials[i].rotated.recall, plain[i].rotated.recall) << exponent;
        EXPECT_EQ(trials[i].rotated.candidates, plain[i].rotated.candidates) << exponent;
      }
    }
  }
}

TEST(CodecTrial, TakesTheLargestFloats) {
  const float most = std::numeric_limits<float>::max();
  Cloud cloud = normal_cloud(200, 2, 1);
  for (std::size_t i = 0; i < 200; ++i) cloud.values[2 * i] = i % 4 == 0 ? most : -most;
  for (const KnnSpace space : {KnnSpace::l2, KnnSpace::inner_product}) {
    EXPECT_EQ(try_codecs(cloud.points(), space).size(), 3U);
  }
}

TEST(CodecTrial, OfPointsThatCannotBeToldApart) {
  EXPECT_TRUE(try_codecs(normal_cloud(20, 3, 1).points(), KnnSpace::l2).empty());
  const Cloud copies{.dim = 3, .values = std::vector<float>(600, 1.0F)};
  for (const CodecTrial& trial : try_codecs(copies.points(), KnnSpace::l2)) EXPECT_EQ(trial.rotated.recall, 1);
  for (const CodecTrial& trial : try_codecs(normal_cloud(200, 1, 1).points(), KnnSpace::l2)) {
    EXPECT_GE(trial.rotated.recall, 0);
    EXPECT_GE(trial.rotated.candidates, 10U);
  }
}

}  // namespace
}  // namespace boon::geometry
