#include "boon/geometry/ball.h"

#include <cmath>
#include <numbers>

#include "boon/geometry/beta.h"
#include "boon/geometry/points.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Beta, LogGammaOfKnownValues) {
  EXPECT_NEAR(log_gamma(1), 0, 1e-14);
  EXPECT_NEAR(log_gamma(0.5), std::log(kPi) / 2, 1e-14);
  EXPECT_NEAR(log_gamma(0.25), 1.2880225246980774, 1e-13);
  EXPECT_NEAR(log_gamma(10), std::log(362880.0), 1e-13);
  EXPECT_NEAR(log_gamma(1000.5) / 5908.674175848678, 1, 1e-13);
}

TEST(Beta, OfClosedForms) {
  for (double x = 0; x <= 1; x += 1.0 / 64) {
    EXPECT_NEAR(incomplete_beta(1, 1, x), x, 1e-14);
    EXPECT_NEAR(incomplete_beta(0.5, 0.5, x), 2 / kPi * std::asin(std::sqrt(x)), 1e-14);  // the arcsine law
    EXPECT_NEAR(incomplete_beta(7, 1, x), std::pow(x, 7), 1e-14);
    EXPECT_NEAR(incomplete_beta(1, 7, x), 1 - std::pow(1 - x, 7), 1e-14);
    EXPECT_NEAR(incomplete_beta(2, 2, x), x * x * (3 - 2 * x), 1e-14);
    EXPECT_NEAR(incomplete_beta(3.5, 20, x), 1 - incomplete_beta(20, 3.5, 1 - x), 1e-14);
  }
  EXPECT_EQ(incomplete_beta(2, 3, -1), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 2), 1);
}

// Whole parameters: I_x(a, b) is the probability of a or more successes in a + b - 1 trials.
TEST(Beta, OfBinomialSums) {
  for (const int a : {1, 3, 10, 40}) {
    for (const int b : {1, 5, 30}) {
      for (const double x : {0.01, 0.3, 0.5, 0.77}) {
        double sum = 0;
        for (int k = a; k < a + b; ++k) {
          sum += std::exp(log_gamma(a + b) - log_gamma(k + 1) - log_gamma(a + b - k) + k * std::log(x) +
                          (a + b - 1 - k) * std::log1p(-x));
        }
        EXPECT_NEAR(incomplete_beta(a, b, x), sum, 1e-12) << a << " " << b << " " << x;
      }
    }
  }
}

TEST(Ball, HasTheVolumesOfTheFormula) {
  EXPECT_NEAR(ball_volume(1), 2, 1e-13);
  EXPECT_NEAR(ball_volume(2), kPi, 1e-13);
  EXPECT_NEAR(ball_volume(3), 4 * kPi / 3, 1e-13);
  EXPECT_NEAR(ball_volume(5), 8 * kPi * kPi / 15, 1e-12);
  EXPECT_NEAR(ball_volume(50) / 1.73021924e-13, 1, 1e-7);
  for (std::size_t d = 1; d < 60; ++d) EXPECT_LE(ball_volume(d), ball_volume(5));
  EXPECT_EQ(ball_volume(100'000), 0);
}

TEST(Ball, ShellsSlabsAndCapsAreThoseOfClosedForms) {
  EXPECT_NEAR(shell_mass(3, 0.5), 7.0 / 8, 1e-15);
  EXPECT_NEAR(shell_mass(768, std::log(2.0) / 768), 0.5, 1e-3);
  EXPECT_NEAR(shell_mass(768, half_shell_depth(768)), 0.5, 1e-12);
  EXPECT_EQ(half_shell_depth(1), 0.5);
  for (const std::size_t d : {1U, 2U, 100U, 4096U}) {
    const double width = equator_width(d);
    EXPECT_GT(half_shell_bound(d), half_shell_depth(d));
    EXPECT_LT(slab_mass_bound(d, width), ball_slab_mass(d, width)) << d;
    EXPECT_LT(ball_slab_mass(d, width) - slab_mass_bound(d, width), d < 100 ? 1.01 : 0.005) << d;
  }
  EXPECT_EQ(equator_width(3), 1);
  EXPECT_EQ(equator_width(100), 0.2);
  EXPECT_NEAR(half_shell_bound(768) / half_shell_depth(768), 1, 1e-3);
  EXPECT_EQ(shell_mass(9, 1), 1);
  EXPECT_EQ(shell_mass(9, 0), 0);
  for (double t = 0; t <= 1; t += 1.0 / 16) {
    EXPECT_NEAR(sphere_slab_mass(3, t), t, 1e-14);  // Archimedes
    EXPECT_NEAR(sphere_slab_mass(2, t), 2 / kPi * std::asin(t), 1e-14);
    EXPECT_NEAR(ball_slab_mass(1, t), t, 1e-14);
    EXPECT_NEAR(ball_slab_mass(3, t), (3 * t - t * t * t) / 2, 1e-14);
    EXPECT_NEAR(cosine_probability(3, t), (1 + t) / 2, 1e-14);
    EXPECT_NEAR(cosine_probability(3, -t), (1 - t) / 2, 1e-14);
    // A ball is the shadow of a sphere two dimensions up.
    EXPECT_NEAR(ball_slab_mass(10, t), sphere_slab_mass(12, t), 1e-14);
  }
  EXPECT_EQ(cosine_probability(1, 0.5), 0.5);
  EXPECT_EQ(cosine_probability(1, 1), 1);
  EXPECT_EQ(cosine_probability(1, -1), 0.5);
  EXPECT_EQ(cosine_probability(1, -1.5), 0);
  EXPECT_EQ(cosine_probability(2, -1), 0);
  EXPECT_NEAR(cosine_density(3, 0.3), 0.5, 1e-14);
}

TEST(Ball, TheDensityOfCosinesIsTheSlopeOfTheirProbability) {
  for (const std::size_t d : {2U, 3U, 10U, 100U, 768U}) {
    for (const double c : {-0.5, -0.1, 0.0, 0.03, 0.4}) {
      const double h = 1e-5;
      const double slope = (cosine_probability(d, c + h) - cosine_probability(d, c - h)) / (2 * h);
      EXPECT_NEAR(cosine_density(d, c), slope, 1e-5 * (1 + cosine_density(d, 0)));
    }
  }
}

TEST(Ball, CosinesOfRandomDirectionsFollowTheLaw) {
  constexpr std::size_t kDim = 20, kPairs = 20'000;
  const Cloud cloud = normal_cloud(2 * kPairs, kDim, 1);
  double below[3] = {};
  const double places[3] = {-0.2, 0.1, 0.4};
  for (std::size_t i = 0; i < kPairs; ++i) {
    const auto a = cloud[2 * i], b = cloud[2 * i + 1];
    const double c = inner_product(a, b) / std::sqrt(squared_length(a) * squared_length(b));
    for (int j = 0; j < 3; ++j) below[j] += c <= places[j] ? 1.0 / kPairs : 0;
  }
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(below[j], cosine_probability(kDim, places[j]), 0.012);
}

TEST(Ball, RoomForNearlyOrthogonalDirections) {
  EXPECT_LT(near_orthogonal_count(768, 0.1), 25);  // what the constant of the lemma would give is 2
  EXPECT_GT(near_orthogonal_count(768, 0.3), 1e7);
  EXPECT_EQ(near_orthogonal_count(1'000'000, 0.5), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(near_orthogonal_count(1, 0.5), std::sqrt(2), 1e-12);
}

}  // namespace
}  // namespace boon::geometry
