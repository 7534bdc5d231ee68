#include "boon/geometry/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boon/geometry/normal.h"
#include "boon/geometry/testing.h"

namespace boon::geometry {
namespace {

TEST(JohnsonLindenstrauss, HasTheDimensionsOfScikitLearn) {
  // The examples in scikit-learn's documentation of johnson_lindenstrauss_min_dim.
  EXPECT_EQ(johnson_lindenstrauss_dim(1'000'000, 0.5), 663U);
  EXPECT_EQ(johnson_lindenstrauss_dim(1'000'000, 0.1), 11841U);
  EXPECT_EQ(johnson_lindenstrauss_dim(1'000'000, 0.01), 1112658U);
  EXPECT_EQ(johnson_lindenstrauss_dim(10'000, 0.1), 7894U);
  EXPECT_EQ(johnson_lindenstrauss_dim(100'000, 0.1), 9868U);
  EXPECT_EQ(johnson_lindenstrauss_dim(1, 0.1), 0U);
}

TEST(JohnsonLindenstrauss, TheErrorIsTheInverseOfTheDimension) {
  for (const std::size_t points : {2U, 1000U, 1'000'000U}) {
    for (const double eps : {0.05, 0.1, 0.3, 0.5, 0.9}) {
      const double exact = johnson_lindenstrauss_eps(points, johnson_lindenstrauss_dim(points, eps));
      EXPECT_GE(exact, eps) << "the dimension is rounded down";
      EXPECT_LE(johnson_lindenstrauss_eps(points, johnson_lindenstrauss_dim(points, eps) + 1), eps + 1e-11);
    }
  }
  EXPECT_EQ(johnson_lindenstrauss_eps(20'000, 100), 1) << "24 ln n dimensions and fewer promise nothing";
  EXPECT_LT(johnson_lindenstrauss_eps(20'000, 240), 1);
  EXPECT_LT(johnson_lindenstrauss_eps(1, 1), 1e-11);
}

TEST(JohnsonLindenstrauss, RefusesWhatHasNoAnswer) {
  EXPECT_THAT(error_of([] { johnson_lindenstrauss_eps(0, 5); }), IsError(ErrorCode::invalid_argument, "points"));
  EXPECT_THAT(error_of([] { johnson_lindenstrauss_eps(5, 0); }), IsError(ErrorCode::invalid_argument, "target"));
  EXPECT_THAT(error_of([] { johnson_lindenstrauss_dim(0, 0.1); }), IsError(ErrorCode::invalid_argument, "points"));
  for (const double eps : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(error_of([&] { johnson_lindenstrauss_dim(10, eps); }), IsError(ErrorCode::invalid_argument, "eps is"));
  }
}

TEST(PortableNormal, LogIsThatOfTheLibrary) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::pow(10, -15 * random.uniform());
    ASSERT_NEAR(portable_log(x) / std::log(x), 1, 2e-15) << x;
  }
  EXPECT_EQ(portable_log(1), 0);
}

TEST(PortableNormal, HasTheMomentsOfANormalNumber) {
  Random random(2);
  double sums[5] = {};
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    const double x = portable_normal(random);
    for (int power = 1; power <= 4; ++power) sums[power] += std::pow(x, power) / kCount;
  }
  EXPECT_NEAR(sums[1], 0, 0.01);
  EXPECT_NEAR(sums[2], 1, 0.015);
  EXPECT_NEAR(sums[3], 0, 0.03);
  EXPECT_NEAR(sums[4], 3, 0.1);
}

class EveryProjection : public testing::TestWithParam<ProjectionKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryProjection, testing::Values(ProjectionKind::gaussian, ProjectionKind::sparse));

// Of a Gaussian projection k |Px|^2 / |x|^2 is chi-squared with k degrees of freedom: mean k, variance 2k.
TEST_P(EveryProjection, KeepsSquaredLengthsOnAverage) {
  constexpr std::size_t kTarget = 64;
  const Cloud cloud = normal_cloud(1, 50, 1);
  double sum = 0, squares = 0;
  constexpr int kSeeds = 500;
  std::vector<float> out(kTarget);
  for (int seed = 0; seed < kSeeds; ++seed) {
    Projection({.dim = 50, .target = kTarget, .seed = static_cast<std::uint64_t>(seed), .kind = GetParam()})
        .forward(cloud[0], out);
    const double ratio = squared_length(out) / squared_length(cloud[0]);
    sum += ratio / kSeeds;
    squares += ratio * ratio / kSeeds;
  }
  EXPECT_NEAR(sum, 1, 0.03);  // 4 standard errors
  EXPECT_NEAR(std::sqrt(squares - sum * sum), std::sqrt(2.0 / kTarget), 0.02);
}

TEST_P(EveryProjection, KeepsEveryDistanceInTheDimensionOfTheBound) {
  constexpr double kEps = 0.3;
  const Cloud cloud = normal_cloud(40, 1500, 3);
  const std::size_t target = johnson_lindenstrauss_dim(cloud.size(), kEps);
  const Projection projection({.dim = 1500, .target = target, .seed = 4, .kind = GetParam()});
  Cloud out{.dim = target, .values = std::vector<float>(cloud.size() * target)};
  projection.forward(cloud.points(), out.values.data());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double ratio = squared_distance(out[i], out[j]) / squared_distance(cloud[i], cloud[j]);
      ASSERT_NEAR(ratio, 1, kEps);
    }
  }
}

TEST_P(EveryProjection, BatchesHaveTheBitsOfSingles) {
  const Projection projection({.dim = 37, .target = 301, .seed = 5, .kind = GetParam()});
  const Cloud cloud = normal_cloud(50, 40, 1);
  const Points points{.data = cloud.values.data(), .count = 50, .dim = 37, .stride = 40};
  ThreadPool pool(2);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    std::vector<float> batch(50 * 301), single(301);
    projection.forward(points, batch.data(), threads);
    for (std::size_t row = 0; row < points.count; ++row) {
      projection.forward(points[row], single);
      ASSERT_EQ(single, std::vector(&batch[row * 301], &batch[row * 301] + 301));
    }
  }
}

TEST_P(EveryProjection, SurvivesBytes) {
  const Projection projection({.dim = 37, .target = 9, .seed = 5, .kind = GetParam()});
  const Projection read = Projection::from_bytes(projection.to_bytes());
  EXPECT_EQ(read.options(), projection.options());
  EXPECT_TRUE(std::ranges::equal(read.matrix(), projection.matrix()));
}

TEST(Projection, SparseEntriesAreZeroInTwoThirds) {
  const Projection projection({.dim = 300, .target = 100, .seed = 1, .kind = ProjectionKind::sparse});
  const auto count = [&](auto what) {
    return static_cast<double>(std::ranges::count_if(projection.matrix(), what)) / 30'000;
  };
  EXPECT_NEAR(count([](float x) { return x > 0; }), 1.0 / 6, 0.01);
  EXPECT_NEAR(count([](float x) { return x < 0; }), 1.0 / 6, 0.01);
  EXPECT_FLOAT_EQ(*std::ranges::max_element(projection.matrix()), std::sqrt(3.0F / 100));
}

// Stored indexes rely on it: these bits never change, on no machine.
TEST(Projection, HasTheseBitsForever) {
  const auto hash = [](ProjectionKind kind) {
    std::vector<float> in(100), out(70);
    std::iota(in.begin(), in.end(), 1.0F);
    Projection({.dim = 100, .target = 70, .seed = 1, .kind = kind}).forward(in, out);
    return xxh3(as_bytes(out.data(), out.size()));
  };
  EXPECT_EQ(hash(ProjectionKind::gaussian), 15874054352525714233U);
  EXPECT_EQ(hash(ProjectionKind::sparse), 11825013117773329695U);
}

TEST(Projection, RefusesWhatItCannotProject) {
  EXPECT_THAT(error_of([] { Projection({.dim = 0, .target = 1}); }), IsError(ErrorCode::invalid_argument, "dimension"));
  EXPECT_THAT(error_of([] { Projection({.dim = 3, .target = 0}); }),
              IsError(ErrorCode::invalid_argument, "target is 0"));
  EXPECT_THAT(error_of([] { Projection({.dim = 1024, .target = 262145}); }),
              IsError(ErrorCode::invalid_argument, "1 to 262144"));
  const Projection projection({.dim = 2, .target = 1});
  std::vector<float> rows{1, 2, std::numeric_limits<float>::infinity(), 4}, out(2);
  EXPECT_THAT(error_of([&] { projection.forward({.data = rows.data(), .count = 2, .dim = 2}, out.data()); }),
              IsError(ErrorCode::invalid_argument, "row 1, component 0 is infinite"));
  EXPECT_THAT(error_of([&] { projection.forward(rows, out); }), IsError(ErrorCode::invalid_argument, "dimension 4"));
}

}  // namespace
}  // namespace boon::geometry
