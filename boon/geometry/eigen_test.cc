#include "boon/geometry/eigen.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

// |A v - lambda v| and |v_i . v_j - (i = j)| are rounding errors of the largest entry.
void expect_eigen(const std::vector<double>& a, std::size_t n, const Eigen& eigen) {
  double largest = 1e-300;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  const double tolerance = 1e-14 * static_cast<double>(n + 5);
  for (std::size_t i = 0; i < n; ++i) {
    const double* v = eigen.vectors.data() + i * n;
    EXPECT_GE(eigen.values[i == 0 ? 0 : i - 1], eigen.values[i]);
    for (std::size_t row = 0; row < n; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += a[row * n + j] * v[j];
      ASSERT_NEAR(sum / largest, eigen.values[i] * v[row] / largest, tolerance) << n;
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += v[k] * eigen.vectors[j * n + k];
      ASSERT_NEAR(sum, i == j ? 1 : 0, tolerance) << n;
    }
  }
}

TEST(Eigen, OfRandomMatrices) {
  for (std::size_t n : {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 64, 100, 150}) {
    Random random(n);
    for (const double scale : {1.0, 1e-200, 1e200}) {
      std::vector<double> a(n * n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = random.normal() * scale;
      }
      expect_eigen(a, n, symmetric_eigen(a, n));
    }
  }
}

// The second difference matrix has the eigenvalues 2 - 2 cos(pi i / (n + 1)).
TEST(Eigen, OfTheSecondDifference) {
  constexpr std::size_t kN = 50;
  std::vector<double> a(kN * kN);
  for (std::size_t i = 0; i < kN; ++i) {
    a[i * kN + i] = 2;
    if (i > 0) a[i * kN + i - 1] = a[(i - 1) * kN + i] = -1;
  }
  const Eigen eigen = symmetric_eigen(a, kN);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_NEAR(eigen.values[i], 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(kN - i) / (kN + 1)), 1e-13);
  }
  expect_eigen(a, kN, eigen);
}

TEST(Eigen, OfMatricesOfLowRank) {
  constexpr std::size_t kN = 40;
  std::vector<double> zero(kN * kN), ones(kN * kN, 1.0), identity(kN * kN);
  for (std::size_t i = 0; i < kN; ++i) identity[i * kN + i] = 1;
  expect_eigen(zero, kN, symmetric_eigen(zero, kN));
  expect_eigen(ones, kN, symmetric_eigen(ones, kN));
  expect_eigen(identity, kN, symmetric_eigen(identity, kN));
  EXPECT_NEAR(symmetric_eigen(ones, kN).values[0], kN, 1e-12);
}

TEST(Eigen, RefusesWhatIsNoMatrix) {
  EXPECT_THAT(error_of([] { symmetric_eigen({}, 0); }), IsError(ErrorCode::invalid_argument, "n x n"));
  EXPECT_THAT(error_of([] { symmetric_eigen({1, 2, 3}, 2); }), IsError(ErrorCode::invalid_argument, "n x n"));
  EXPECT_THAT(error_of([] { symmetric_eigen({std::numeric_limits<double>::quiet_NaN()}, 1); }),
              IsError(ErrorCode::invalid_argument, "not finite"));
}

}  // namespace
}  // namespace boon::geometry
