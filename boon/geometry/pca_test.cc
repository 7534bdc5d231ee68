#include "boon/geometry/pca.h"

#include <cmath>
#include <limits>

#include "boon/geometry/centring.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

// Normal points with the standard deviations 1, 1/2, 1/3, … along the axes of a rotation, away from the origin.
Cloud stretched_cloud(std::size_t count, std::size_t dim, std::uint64_t seed) {
  Cloud cloud = normal_cloud(count, dim, seed);
  for (std::size_t i = 0; i < cloud.values.size(); ++i) cloud.values[i] /= static_cast<float>(1 + i % dim);
  Rotation({.dim = dim}).forward(cloud.points(), cloud.values.data());
  for (std::size_t i = 0; i < cloud.values.size(); ++i) cloud.values[i] += static_cast<float>(i % dim % 3);
  return cloud;
}

Cloud transformed(const Pca& pca, const Cloud& cloud) {
  Cloud out{.dim = pca.components(), .values = std::vector<float>(cloud.size() * pca.components())};
  pca.forward(cloud.points(), out.values.data());
  return out;
}

std::vector<double> covariance(const Cloud& cloud) {
  Moments moments(cloud.dim);
  moments.add(cloud.points());
  return moments.covariance();
}

double dot(std::span<const float> rows, std::size_t dim, std::size_t i, std::size_t j) {
  return inner_product(rows.subspan(i * dim, dim), rows.subspan(j * dim, dim));
}

TEST(Moments, EqualTheTwoPassesOfATextbook) {
  const Cloud cloud = stretched_cloud(700, 9, 1);
  Moments moments(9);
  moments.add(cloud.points());
  const auto covariance = moments.covariance();
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 9; ++j) {
      double mean_i = 0, mean_j = 0, sum = 0;
      for (std::size_t row = 0; row < 700; ++row) mean_i += cloud[row][i] / 700.0, mean_j += cloud[row][j] / 700.0;
      for (std::size_t row = 0; row < 700; ++row) sum += (cloud[row][i] - mean_i) * (cloud[row][j] - mean_j);
      EXPECT_NEAR(moments.mean()[i], mean_i, 1e-12);
      EXPECT_NEAR(covariance[i * 9 + j], sum / 699, 1e-12);
    }
  }
}

TEST(Moments, BatchesGiveWhatTheWholeGives) {
  const Cloud cloud = stretched_cloud(1000, 20, 2);
  Moments whole(20), parts(20), shared(20);
  ThreadPool pool(2);
  whole.add(cloud.points());
  shared.add(cloud.points(), &pool);
  for (std::size_t begin = 0, size = 1; begin < 1000; begin += size, size = size * 2 + 1) {
    parts.add({.data = cloud[begin].data(), .count = std::min(size, 1000 - begin), .dim = 20});
  }
  EXPECT_EQ(parts.count(), 1000U);
  EXPECT_EQ(whole.covariance(), shared.covariance());
  for (std::size_t i = 0; i < 400; ++i) EXPECT_NEAR(parts.covariance()[i], whole.covariance()[i], 1e-13);
}

TEST(Pca, FindsTheAxesOfAStretchedCloud) {
  const Cloud cloud = stretched_cloud(20'000, 8, 3);
  const Pca pca = Pca::fit(cloud.points());
  for (std::size_t i = 0; i < 8; ++i) {
    const double expected = 1 / std::pow(1.0 + static_cast<double>(i), 2);
    EXPECT_NEAR(pca.variances()[i] / expected, 1, 0.05);
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(dot(pca.directions(), 8, i, j), i == j ? 1 : 0, 1e-6);
  }
  EXPECT_NEAR(pca.explained(8), 1, 1e-12);
  EXPECT_NEAR(pca.explained(1), 1 / 1.527, 0.01);  // the sum of 1 / i^2 up to 8
}

TEST(Pca, AllComponentsAreARotationAboutTheMean) {
  for (const std::size_t dim : {1U, 2U, 3U, 7U, 16U, 65U}) {
    const Cloud cloud = stretched_cloud(100, dim, dim);
    const Pca pca = Pca::fit(cloud.points());
    const Cloud out = transformed(pca, cloud);
    std::vector<float> back(dim);
    for (std::size_t row = 1; row < 100; ++row) {
      EXPECT_NEAR(squared_distance(out[row], out[row - 1]), squared_distance(cloud[row], cloud[row - 1]), 1e-4);
      pca.inverse(out[row], back);
      for (std::size_t i = 0; i < dim; ++i) ASSERT_NEAR(back[i], cloud[row][i], 1e-5);
    }
  }
}

TEST(Pca, WhitenedPointsHaveUnitCovariance) {
  const Cloud cloud = stretched_cloud(3000, 12, 4);
  const auto result = covariance(transformed(Pca::fit(cloud.points(), {.components = 10, .whiten = true}), cloud));
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(result[i * 10 + j], i == j ? 1 : 0, 1e-4);
  }
}

TEST(Pca, TheRandomisedMethodFindsTheLeadingComponents) {
  const Cloud cloud = stretched_cloud(500, 300, 5);
  ThreadPool pool(2);
  const Pca exact = Pca::fit(cloud.points(), {.components = 10, .method = PcaMethod::exact});
  const Pca random = Pca::fit(cloud.points(), {.components = 10, .method = PcaMethod::randomised}, &pool);
  const Pca alone = Pca::fit(cloud.points(), {.components = 10, .method = PcaMethod::randomised});
  EXPECT_EQ(random.to_bytes(), alone.to_bytes());
  EXPECT_NEAR(random.total_variance(), exact.total_variance(), 1e-9);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(random.variances()[i] / exact.variances()[i], 1, 1e-3) << i;
    EXPECT_LE(random.variances()[i], exact.variances()[i] * (1 + 1e-9));
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(dot(random.directions(), 300, i, j), i == j ? 1 : 0, 1e-6);
  }
  EXPECT_NEAR(std::abs(inner_product(random.directions().first(300), exact.directions().first(300))), 1, 1e-4);
}

TEST(Pca, PointsThatDoNotVaryHaveNoVariance) {
  for (const PcaMethod method : {PcaMethod::exact, PcaMethod::randomised}) {
    for (const std::size_t count : {1U, 5U}) {
      const Cloud cloud{.dim = 4, .values = std::vector<float>(count * 4, 0.1F)};
      const Pca pca = Pca::fit(cloud.points(), {.components = 2, .whiten = true, .method = method});
      EXPECT_THAT(pca.variances(), testing::Each(testing::Lt(1e-15)));
      EXPECT_GE(pca.explained(2), 0);
      EXPECT_THAT(transformed(pca, cloud).values, testing::Each(testing::FloatNear(0, 1e-3F)));
    }
  }
}

TEST(Pca, OfMoreDimensionsThanPoints) {
  const Cloud cloud = normal_cloud(3, 40, 6);
  for (const PcaMethod method : {PcaMethod::exact, PcaMethod::randomised}) {
    const Pca pca = Pca::fit(cloud.points(), {.components = 5, .whiten = true, .method = method});
    EXPECT_NEAR(pca.explained(2), 1, 1e-9);
    EXPECT_NEAR(pca.variances()[2], 0, 1e-9);
    for (const float x : transformed(pca, cloud).values) EXPECT_TRUE(std::isfinite(x) && std::abs(x) < 2);
  }
}

TEST(Pca, SurvivesBytes) {
  const Cloud cloud = stretched_cloud(100, 6, 7);
  const Pca pca = Pca::fit(cloud.points(), {.components = 3, .whiten = true});
  const Pca read = Pca::from_bytes(pca.to_bytes());
  EXPECT_EQ(read.to_bytes(), pca.to_bytes());
  EXPECT_EQ(transformed(read, cloud).values, transformed(pca, cloud).values);
  const Centring centring = Centring::fit(cloud.points());
  EXPECT_EQ(Centring::from_bytes(centring.to_bytes()).to_bytes(), centring.to_bytes());
}

TEST(Centring, MovesTheMeanToTheOriginAndBack) {
  Cloud cloud = stretched_cloud(100, 6, 8);
  const Centring centring = Centring::fit(cloud.points());
  std::vector<float> first(6);
  centring.forward(cloud[0], first);
  centring.inverse(first, first);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(first[i], cloud[0][i], 1e-6);
  for (std::size_t row = 0; row < 100; ++row) {
    const std::span<float> values(&cloud.values[row * 6], 6);
    centring.forward(values, values);
  }
  EXPECT_THAT(mean_of(cloud.points()), testing::Each(testing::DoubleNear(0, 1e-6)));
}

TEST(Pca, RefusesWhatHasNoComponents) {
  const std::vector<float> bad{1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  const Points points{.data = bad.data(), .count = 2, .dim = 2};
  EXPECT_THAT(error_of([&] { Pca::fit(points); }), IsError(ErrorCode::invalid_argument, "row 1, component 1 is NaN"));
  EXPECT_THAT(error_of([&] { Centring::fit(points); }), IsError(ErrorCode::invalid_argument, "row 1, component 1"));
  EXPECT_THAT(error_of([&] { Centring({}); }), IsError(ErrorCode::invalid_argument, "dimension is 0"));
  EXPECT_THAT(error_of([&] { Pca::fit(Points{.data = bad.data(), .count = 0, .dim = 2}); }),
              IsError(ErrorCode::invalid_argument, "there are 0 rows"));
  EXPECT_THAT(error_of([&] { Pca::fit({.data = bad.data(), .count = 1, .dim = 2}, {.components = 3}); }),
              IsError(ErrorCode::invalid_argument, "components is 3; it may be 0 to 2"));
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const Points good{.data = bad.data(), .count = 1, .dim = 2};
  const PcaOptions wraps{.components = 1, .method = PcaMethod::randomised, .oversampling = kMost};
  EXPECT_THAT(error_of([&] { Pca::fit(good, wraps); }),
              IsError(ErrorCode::invalid_argument, "oversampling is 18446744073709551615; it may be 0 to 1048576"));
  EXPECT_THAT(error_of([&] { Pca::fit(good, {.passes = kMost}); }),
              IsError(ErrorCode::invalid_argument, "passes is 18446744073709551615; it may be 0 to 1000"));
  EXPECT_THAT(error_of([] { Pca::fit(Moments(3)); }), IsError(ErrorCode::invalid_argument, "0 rows"));
  EXPECT_THAT(error_of([] { Moments(5000); }), IsError(ErrorCode::invalid_argument, "up to 4096"));
}

}  // namespace
}  // namespace boon::geometry
