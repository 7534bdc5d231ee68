// Neighbours of rows, and what is measured by them: intrinsic dimension and hubs.
#include "boon/geometry/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "boon/geometry/hubness.h"
#include "boon/geometry/intrinsic.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

using kernels::KnnSpace;

Neighbours all_neighbours(const Cloud& cloud, std::size_t k, KnnSpace space = KnnSpace::l2) {
  std::vector<std::uint32_t> rows(cloud.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return find_neighbours(cloud.points(), rows, k, space);
}

// Uniform on the product of `dim` circles: each point has the same surroundings, so there is no border.
Cloud torus(std::size_t count, std::size_t dim, std::uint64_t seed) {
  const Cloud angles = uniform_cloud(count, dim, seed);
  Cloud cloud{.dim = 2 * dim, .values = {}};
  for (const float angle : angles.values) {
    cloud.values.push_back(std::cos(2 * std::numbers::pi_v<float> * angle));
    cloud.values.push_back(std::sin(2 * std::numbers::pi_v<float> * angle));
  }
  return cloud;
}

// In a space of 50 dimensions, turned at random.
Cloud embedded(const Cloud& cloud) {
  Cloud out{.dim = 50, .values = std::vector<float>(cloud.size() * 50)};
  for (std::size_t row = 0; row < cloud.size(); ++row) std::ranges::copy(cloud[row], &out.values[row * 50]);
  Rotation({.dim = 50}).forward(out.points(), out.values.data());
  return out;
}

TEST(Neighbours, AreThoseOfALoop) {
  const Cloud cloud = normal_cloud(60, 5, 1);
  for (const KnnSpace space : {KnnSpace::l2, KnnSpace::cosine}) {
    const Neighbours found = all_neighbours(cloud, 4, space);
    for (std::size_t i = 0; i < 60; ++i) {
      std::vector<double> lengths;
      for (std::size_t j = 0; j < 60; ++j) {
        const double cosine =
            inner_product(cloud[i], cloud[j]) / std::sqrt(squared_length(cloud[i]) * squared_length(cloud[j]));
        const double length =
            space == KnnSpace::l2 ? std::sqrt(squared_distance(cloud[i], cloud[j])) : std::sqrt(2 - 2 * cosine);
        if (i != j) lengths.push_back(length);
      }
      std::sort(lengths.begin(), lengths.end());
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(found.distances_of(i)[j], lengths[j], 1e-6);
        EXPECT_NE(found.rows[i * 4 + j], i);
      }
    }
  }
}

TEST(Neighbours, OfCopiesAndOfFewRows) {
  const Cloud copies{.dim = 1, .values = std::vector<float>(9, 2.0F)};
  const Neighbours found = all_neighbours(copies, 3);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NE(found.rows[i * 3 + j], i);
  }
  EXPECT_EQ(all_neighbours(Cloud{.dim = 2, .values = {1, 2}}, 3).size(), 0U);
  EXPECT_EQ(all_neighbours(normal_cloud(3, 2, 1), 9).k, 2U);
  EXPECT_THAT(error_of([] { find_neighbours({}, {}, 1, KnnSpace::l2); }),
              IsError(ErrorCode::invalid_argument, "dimension is 0"));
  EXPECT_THAT(error_of([&] {
                const std::vector<std::uint32_t> rows{0, 1};
                find_neighbours(copies.points(), rows, 1, KnnSpace::l2, 1, [](auto, auto) { return false; });
              }),
              IsError(ErrorCode::cancelled, "interrupted"));
}

TEST(Neighbours, DistancesDoNotOverflow) {
  Cloud cloud = normal_cloud(50, 4, 1);
  const Neighbours plain = all_neighbours(cloud, 3);
  for (const int exponent : {-105, -80, 65, 120}) {
    Cloud scaled = cloud;
    for (float& value : scaled.values) value = std::ldexp(value, exponent);
    const Neighbours found = all_neighbours(scaled, 3);
    EXPECT_EQ(found.rows, plain.rows) << exponent;
    for (std::size_t i = 0; i < found.distances.size(); ++i) {
      ASSERT_EQ(found.distances[i], std::ldexp(plain.distances[i], exponent)) << exponent;
    }
    for (const double distance : all_neighbours(scaled, 3, KnnSpace::inner_product).distances) {
      EXPECT_TRUE(std::isfinite(distance)) << exponent;
    }
    EXPECT_EQ(two_nearest(found)->dimension.high, two_nearest(plain)->dimension.high) << exponent;
    EXPECT_EQ(maximum_likelihood(found)->dimension.low, maximum_likelihood(plain)->dimension.low) << exponent;
  }
}

TEST(IntrinsicDimension, OfCubesIsWithinItsInterval) {
  for (const std::size_t dim : {1U, 2U, 3U}) {
    const Neighbours neighbours = all_neighbours(embedded(uniform_cloud(4000, dim, 3)), 10);
    const auto two = two_nearest(neighbours), likely = maximum_likelihood(neighbours);
    ASSERT_TRUE(two && likely);
    EXPECT_LT(two->dimension.low, static_cast<double>(dim));
    EXPECT_GT(two->dimension.high, static_cast<double>(dim));
    EXPECT_NEAR(likely->dimension.value, static_cast<double>(dim), 0.05 * static_cast<double>(dim));
    EXPECT_LT(two->dimension.high - two->dimension.low, 0.25 * static_cast<double>(dim));
  }
}

TEST(IntrinsicDimension, OfTorusesIsWithinItsInterval) {
  for (const std::size_t dim : {1U, 2U, 3U, 4U, 5U}) {
    const Neighbours neighbours = all_neighbours(torus(4000, dim, dim + 10), 5);
    const auto two = two_nearest(neighbours), likely = maximum_likelihood(neighbours);
    ASSERT_TRUE(two && likely);
    for (const Estimate& estimate : {two->dimension, likely->dimension}) {
      EXPECT_NEAR(estimate.value, static_cast<double>(dim), 0.06 * static_cast<double>(dim));
      if (dim > 3) continue;  // so far from each other, 4,000 points see the circles bend
      EXPECT_LE(estimate.low, static_cast<double>(dim)) << dim;
      EXPECT_GE(estimate.high, static_cast<double>(dim)) << dim;
      EXPECT_LT(estimate.high - estimate.low, 0.2 * static_cast<double>(dim));
    }
  }
}

// Where there is neither border nor curvature to speak of: how often the interval holds the truth.
TEST(IntrinsicDimension, TheIntervalCoversAboutAsOftenAsItSays) {
  int two_covers = 0, likely_covers = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    const Neighbours neighbours = all_neighbours(torus(400, 2, static_cast<std::uint64_t>(run)), 5);
    const Estimate two = two_nearest(neighbours)->dimension, likely = maximum_likelihood(neighbours)->dimension;
    two_covers += two.low <= 2 && 2 <= two.high ? 1 : 0;
    likely_covers += likely.low <= 2 && 2 <= likely.high ? 1 : 0;
  }
  EXPECT_GE(two_covers, 186);
  EXPECT_GE(likely_covers, 180);
}

TEST(IntrinsicDimension, GrowsWithTheDimensionOfNoise) {
  double before = 0;
  for (const std::size_t dim : {2U, 5U, 10U, 20U, 50U}) {
    const auto found = two_nearest(all_neighbours(normal_cloud(1000, dim, 1), 2));
    ASSERT_TRUE(found);
    EXPECT_GT(found->dimension.value, before);
    before = found->dimension.value;
  }
  EXPECT_GT(before, 20);
}

TEST(IntrinsicDimension, IsNotAnsweredWhereThereIsNone) {
  const auto nothing = [](const Cloud& cloud) {
    const Neighbours neighbours = all_neighbours(cloud, 4);
    return !two_nearest(neighbours) && !maximum_likelihood(neighbours);
  };
  EXPECT_TRUE(nothing({.dim = 3, .values = std::vector<float>(30, 1.0F)}));
  EXPECT_TRUE(nothing(normal_cloud(1, 3, 1)));
  EXPECT_TRUE(nothing(normal_cloud(2, 3, 1)));
  Cloud simplex{.dim = 20, .values = std::vector<float>(400)};  // all as far from each other
  for (std::size_t i = 0; i < 20; ++i) simplex.values[i * 21] = 1;
  EXPECT_TRUE(nothing(simplex));
}

// One point in the middle is the nearest of all others, which see it at distances of their own.
TEST(IntrinsicDimension, OfAStarHasAnInterval) {
  constexpr std::size_t kDim = 200;
  Cloud star = normal_cloud(400, kDim, 3);
  const Cloud lengths = uniform_cloud(400, 1, 4);
  for (std::size_t row = 0; row < star.size(); ++row) {
    const double length = std::sqrt(squared_length(star[row]));
    const double wanted = row == 0 ? 0 : 1 + .1 * lengths.values[row];
    for (std::size_t i = 0; i < kDim; ++i) {
      star.values[row * kDim + i] = static_cast<float>(star.values[row * kDim + i] / length * wanted);
    }
  }
  const Neighbours neighbours = all_neighbours(star, 10);
  for (std::size_t i = 1; i < star.size(); ++i) ASSERT_EQ(neighbours.rows[i * 10], 0U);
  const Hubness hubs = hubness(neighbours, star.size());
  for (const Estimate& estimate :
       {two_nearest(neighbours)->dimension, maximum_likelihood(neighbours)->dimension, hubs.skewness}) {
    EXPECT_LT(estimate.low, estimate.value);
    EXPECT_GT(estimate.high, estimate.value);
    EXPECT_GT(estimate.high - estimate.low, .001 * estimate.value);
  }
}

TEST(IntrinsicDimension, OfASingleChainHasAnInterval) {
  Cloud line{.dim = 1, .values = {}};  // each but the first is nearest to the one before it
  for (int i = 0; i < 8; ++i) line.values.push_back(std::pow(1.1F, static_cast<float>(i * i)));
  const auto found = two_nearest(all_neighbours(line, 4));
  ASSERT_TRUE(found);
  EXPECT_LT(found->dimension.low, .9 * found->dimension.value);
  EXPECT_GT(found->dimension.high, 1.1 * found->dimension.value);
}

TEST(IntrinsicDimension, PassesOverCopies) {
  Cloud cloud = uniform_cloud(1000, 2, 1);
  cloud.values.insert(cloud.values.end(), cloud.values.begin(), cloud.values.begin() + 500);  // 250 of them twice
  const auto found = two_nearest(all_neighbours(cloud, 3));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, 750U);
}

TEST(Hubness, GrowsWithDimension) {
  const Hubness low = hubness(all_neighbours(normal_cloud(1500, 2, 1), 10), 1500);
  const Hubness high = hubness(all_neighbours(normal_cloud(1500, 60, 1), 10), 1500);
  EXPECT_LT(low.skewness.high, 0.6);
  EXPECT_GT(high.skewness.low, 2);
  EXPECT_GT(high.never, low.never);
  EXPECT_GT(high.top_share, low.top_share);
  EXPECT_GT(high.largest, 100U);
}

TEST(Hubness, OfKnownCounts) {
  // Row 0 is the nearest of three, row 1 of one.
  const Neighbours star{.k = 1, .queries = {0, 1, 2, 3}, .rows = {1, 0, 0, 0}, .distances = {1, 1, 1, 1}};
  const Hubness found = hubness(star, 4);
  EXPECT_NEAR(found.skewness.value, 6 / std::pow(6, 1.5) * 2, 1e-12);  // of 3, 1, 0, 0: 2, 0, -1, -1 from the mean
  EXPECT_EQ(found.never, 0.5);
  EXPECT_EQ(found.largest, 3U);
  EXPECT_EQ(found.top_share, 0.75);
  const Neighbours ring{.k = 1, .queries = {0, 1, 2}, .rows = {1, 2, 0}, .distances = {1, 1, 1}};
  EXPECT_EQ(hubness(ring, 3).skewness.value, 0);
  EXPECT_EQ(hubness({}, 0).largest, 0U);
}

}  // namespace
}  // namespace boon::geometry
