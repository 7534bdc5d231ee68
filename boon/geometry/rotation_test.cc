#include "boon/geometry/rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "boon/geometry/testing.h"
#include "boon/kernels/isa_skip.h"

namespace boon::geometry {
namespace {

std::vector<std::size_t> dimensions() {
  std::vector<std::size_t> dims(130);
  std::iota(dims.begin(), dims.end(), std::size_t{1});
  dims.insert(dims.end(), {255, 256, 257, 384, 511, 768, 784, 1000, 1024, 1536, 4095, 10007});
  return dims;
}

std::vector<float> rotated(const Rotation& rotation, std::span<const float> in) {
  std::vector<float> out(in.size());
  rotation.forward(in, out);
  return out;
}

TEST(Rotation, KeepsLengthsAndInnerProducts) {
  for (const std::size_t dim : dimensions()) {
    const Rotation rotation({.dim = dim, .seed = dim});
    const Cloud cloud = normal_cloud(2, dim, dim);
    const auto a = rotated(rotation, cloud[0]), b = rotated(rotation, cloud[1]);
    const double length = squared_length(cloud[0]);
    ASSERT_NEAR(squared_length(a) / length, 1, 2e-6) << dim;
    ASSERT_NEAR(squared_distance(a, b) / squared_distance(cloud[0], cloud[1]), 1, 2e-6) << dim;
    ASSERT_NEAR(inner_product(a, b), inner_product(cloud[0], cloud[1]), 2e-6 * length + 1e-6) << dim;
  }
}

TEST(Rotation, InverseBringsBackTheVector) {
  for (const std::size_t dim : dimensions()) {
    const Rotation rotation({.dim = dim, .seed = 7, .rounds = 1 + dim % 5});
    const Cloud cloud = normal_cloud(1, dim, dim);
    auto values = rotated(rotation, cloud[0]);
    rotation.inverse(values, values);  // in place
    for (std::size_t i = 0; i < dim; ++i) ASSERT_NEAR(values[i], cloud.values[i], 5e-6) << dim;
  }
}

TEST(Rotation, IsLinear) {
  const Rotation rotation({.dim = 100});
  const Cloud cloud = normal_cloud(2, 100, 3);
  std::vector<float> sum(100);
  for (std::size_t i = 0; i < 100; ++i) sum[i] = 2 * cloud[0][i] - cloud[1][i];
  const auto a = rotated(rotation, cloud[0]), b = rotated(rotation, cloud[1]), c = rotated(rotation, sum);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(c[i], 2 * a[i] - b[i], 1e-5);
}

// A coordinate of a unit vector, rotated, should look like one of a random direction: normal with variance 1 / d. The
// unit vectors themselves are the hardest case.
TEST(Rotation, SpreadsEachCoordinateOverAll) {
  for (const std::size_t dim : {96U, 100U, 127U, 128U, 129U, 384U, 768U, 1023U}) {
    const Rotation rotation({.dim = dim, .seed = 11});
    std::vector<float> unit(dim);
    double worst = 0, fourth = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      std::fill(unit.begin(), unit.end(), 0.0F);
      unit[i] = 1;
      double sum = 0;
      for (const double x : rotated(rotation, unit)) {
        worst = std::max(worst, std::abs(x) * std::sqrt(static_cast<double>(dim)));
        sum += x * x * x * x;
      }
      fourth += sum;
    }
    EXPECT_LT(worst, 7) << dim;  // of d^2 normal numbers the largest would be about 5
    // The fourth moment of a normal number is 3.
    EXPECT_NEAR(fourth, 3, 0.3) << dim;
  }
}

TEST(Rotation, BatchesHaveTheBitsOfSingles) {
  const Rotation rotation({.dim = 77, .seed = 5});
  const Cloud cloud = normal_cloud(101, 80, 1);
  const Points points{.data = cloud.values.data(), .count = 101, .dim = 77, .stride = 80};
  ThreadPool pool(2);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    std::vector<float> batch(101 * 77), back(101 * 77), single(77);
    rotation.forward(points, batch.data(), threads);
    rotation.inverse({.data = batch.data(), .count = 101, .dim = 77}, back.data(), threads);
    for (std::size_t row = 0; row < points.count; ++row) {
      ASSERT_EQ(rotated(rotation, points[row]), std::vector(&batch[row * 77], &batch[row * 77] + 77));
      rotation.inverse({&batch[row * 77], 77}, single);
      ASSERT_EQ(single, std::vector(&back[row * 77], &back[row * 77] + 77));
    }
  }
}

TEST(Rotation, SeedsAreRotationsOfTheirOwn) {
  const Cloud cloud = normal_cloud(1, 60, 1);
  std::set<std::vector<float>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(rotated(Rotation({.dim = 60, .seed = seed}), cloud[0]),
              rotated(Rotation({.dim = 60, .seed = seed}), cloud[0]));
    seen.insert(rotated(Rotation({.dim = 60, .seed = seed}), cloud[0]));
  }
  EXPECT_EQ(seen.size(), 50U);
}

// Stored indexes rely on it: these bits never change, on no machine.
TEST(Rotation, HasTheseBitsForever) {
  std::vector<float> in(100), out(100);
  std::iota(in.begin(), in.end(), 1.0F);
  Rotation({.dim = 100, .seed = 1}).forward(in, out);
  EXPECT_EQ(xxh3(as_bytes(out.data(), out.size())), 4811420995604452459U);
}

TEST(Rotation, SurvivesBytes) {
  const Rotation rotation({.dim = 33, .seed = ~std::uint64_t{0}, .rounds = 3});
  const Rotation read = Rotation::from_bytes(rotation.to_bytes());
  EXPECT_EQ(read.options(), rotation.options());
  const Cloud cloud = normal_cloud(1, 33, 1);
  EXPECT_EQ(rotated(read, cloud[0]), rotated(rotation, cloud[0]));
  EXPECT_EQ(rotation.to_bytes().size(), 56U);
}

TEST(Rotation, LongVectorsStayFinite) {
  std::vector<float> in(100, std::numeric_limits<float>::max() / 11), out(100);
  const Rotation rotation({.dim = 100});
  rotation.forward(in, out);
  rotation.inverse(out, out);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(out[i] / in[i], 1, 1e-5);
}

TEST(Rotation, RefusesWhatItCannotRotate) {
  EXPECT_THAT(error_of([] { Rotation({.dim = 0}); }), IsError(ErrorCode::invalid_argument, "dimension is 0"));
  EXPECT_THAT(error_of([] { Rotation({.dim = 3, .rounds = 0}); }), IsError(ErrorCode::invalid_argument, "rounds is 0"));
  const Rotation rotation({.dim = 3});
  std::vector<float> two(2), three(3), rows{1, 2, 3, 4, std::numeric_limits<float>::quiet_NaN(), 6};
  EXPECT_THAT(error_of([&] { rotation.forward(two, three); }),
              IsError(ErrorCode::invalid_argument, "the vector has dimension 2, not 3"));
  EXPECT_THAT(error_of([&] { rotation.forward({.data = rows.data(), .count = 2, .dim = 3}, rows.data()); }),
              IsError(ErrorCode::invalid_argument, "row 1, component 1 is NaN"));
  rows[4] = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(error_of([&] { rotation.inverse({.data = rows.data(), .count = 2, .dim = 3}, rows.data()); }),
              IsError(ErrorCode::invalid_argument, "row 1, component 1 is infinite"));
  EXPECT_THAT(error_of([&] { rotation.forward({.data = rows.data(), .count = 2, .dim = 2}, rows.data()); }),
              IsError(ErrorCode::invalid_argument, "a row has dimension 2, not 3"));
}

}  // namespace
}  // namespace boon::geometry
