// Every table that this machine has, against a double-precision reference and against itself.
#include "boon/kernels/distance.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "boon/core/random.h"

namespace boon::kernels {
namespace {

constexpr std::size_t kOffsets = 16;
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::vector<std::size_t> dims() {
  std::vector<std::size_t> all;
  for (std::size_t dim = 0; dim <= 300; ++dim) all.push_back(dim);
  for (const std::size_t dim : {384, 768, 784, 1536, 2049}) all.push_back(dim);
  return all;
}

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

struct Reference {
  double l2 = 0;
  double dot = 0;
  double dot_magnitude = 0;
};

Reference reference(const float* a, const float* b, std::size_t dim) {
  Reference result;
  for (std::size_t i = 0; i < dim; ++i) {
    const double x = a[i], y = b[i];
    result.l2 += (x - y) * (x - y);
    result.dot += x * y;
    result.dot_magnitude += std::abs(x * y);
  }
  return result;
}

double tolerance(std::size_t dim, double magnitude) {
  return static_cast<double>(dim + 1) * std::numeric_limits<float>::epsilon() * magnitude;
}

class Distance : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (distances(GetParam()) == nullptr) GTEST_SKIP() << "this processor has no " << name(GetParam());
    table = distances(GetParam());
  }
  const DistanceTable* table = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Isas, Distance, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST_P(Distance, IsTheReferenceAtEveryLengthAndAlignment) {
  const auto a = random_floats(2049 + kOffsets, 1);
  const auto b = random_floats(2049 + kOffsets, 2);
  for (const std::size_t dim : dims()) {
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
      const float* x = a.data() + offset;
      const float* y = b.data() + (offset * 7 + 3) % kOffsets;
      const Reference expected = reference(x, y, dim);
      ASSERT_NEAR(table->l2(x, y, dim), expected.l2, tolerance(dim, expected.l2)) << dim << " floats at " << offset;
      ASSERT_NEAR(table->dot(x, y, dim), expected.dot, tolerance(dim, expected.dot_magnitude))
          << dim << " floats at " << offset;
    }
  }
}

TEST_P(Distance, EveryComponentCountsOnce) {
  for (const std::size_t dim : dims()) {
    std::vector<float> zeros(dim), one(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      one[i] = 3;
      ASSERT_EQ(table->l2(one.data(), zeros.data(), dim), 9) << i << " of " << dim;
      ASSERT_EQ(table->dot(one.data(), one.data(), dim), 9) << i << " of " << dim;
      ASSERT_EQ(table->sum(one.data(), dim), 3) << i << " of " << dim;
      one[i] = 0;
    }
  }
}

TEST_P(Distance, IsSymmetricToTheBit) {
  const auto a = random_floats(2049, 3);
  const auto b = random_floats(2049, 4);
  for (const std::size_t dim : dims()) {
    ASSERT_EQ(bits(table->l2(a.data(), b.data(), dim)), bits(table->l2(b.data(), a.data(), dim))) << dim;
    ASSERT_EQ(bits(table->dot(a.data(), b.data(), dim)), bits(table->dot(b.data(), a.data(), dim))) << dim;
  }
}

TEST_P(Distance, OfNoComponentsIsZero) {
  const float value = 1;
  EXPECT_EQ(bits(table->l2(&value, &value, 0)), bits(0.0f));
  EXPECT_EQ(bits(table->dot(&value, &value, 0)), bits(0.0f));
  EXPECT_EQ(table->l2(nullptr, nullptr, 0), 0);
}

TEST_P(Distance, ToItselfIsZero) {
  const auto a = random_floats(2049, 5);
  for (const std::size_t dim : dims()) ASSERT_EQ(bits(table->l2(a.data(), a.data(), dim)), bits(0.0f)) << dim;
}

// Alone, gathered and in a run: one row, the same bits.
TEST_P(Distance, DoesNotDependOnHowARowIsAskedFor) {
  constexpr std::size_t kRows = 41;
  for (const std::size_t dim : {1, 3, 8, 16, 17, 31, 33, 50, 96, 100, 128, 200, 384, 784}) {
    const std::size_t stride = dim + dim % 5;
    const auto base = random_floats(kRows * stride, dim);
    const auto query = random_floats(dim, dim + 1);
    std::vector<std::uint32_t> ids(kRows);
    for (std::size_t i = 0; i < kRows; ++i) ids[i] = static_cast<std::uint32_t>(i * i % kRows);  // some twice

    for (std::size_t count = 0; count <= kRows; ++count) {
      constexpr float kUntouched = -1234;
      std::vector<float> l2(kRows + 1, kUntouched), dot = l2, l2_run = l2, dot_run = l2;
      table->l2_gather(query.data(), dim, base.data(), stride, ids.data(), count, l2.data());
      table->dot_gather(query.data(), dim, base.data(), stride, ids.data(), count, dot.data());
      table->l2_rows(query.data(), dim, base.data(), stride, count, l2_run.data());
      table->dot_rows(query.data(), dim, base.data(), stride, count, dot_run.data());
      for (std::size_t i = 0; i < count; ++i) {
        const float* gathered = base.data() + ids[i] * stride;
        const float* row = base.data() + i * stride;
        ASSERT_EQ(bits(l2[i]), bits(table->l2(query.data(), gathered, dim))) << i << " of " << count << ", " << dim;
        ASSERT_EQ(bits(dot[i]), bits(table->dot(query.data(), gathered, dim))) << i << " of " << count << ", " << dim;
        ASSERT_EQ(bits(l2_run[i]), bits(table->l2(query.data(), row, dim))) << i << " of " << count << ", " << dim;
        ASSERT_EQ(bits(dot_run[i]), bits(table->dot(query.data(), row, dim))) << i << " of " << count << ", " << dim;
      }
      for (std::size_t i = count; i <= kRows; ++i) {
        ASSERT_EQ(l2[i], kUntouched) << "written past " << count;
        ASSERT_EQ(dot_run[i], kUntouched) << "written past " << count;
      }
    }
  }
}

TEST_P(Distance, DenormalsAreNotFlushed) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const std::size_t dim : {1, 7, 16, 33, 100}) {
    const std::vector<float> a(dim, tiny), ones(dim, 1.0f);
    EXPECT_EQ(table->dot(a.data(), ones.data(), dim), static_cast<float>(dim) * tiny) << dim;
    // 2^-70 squared is 2^-140, which only a denormal holds.
    const std::vector<float> b(dim, 0x1p-70f), zeros(dim);
    EXPECT_EQ(table->l2(b.data(), zeros.data(), dim), static_cast<float>(dim) * 0x1p-140f) << dim;
  }
}

TEST_P(Distance, LargeValuesOverflowToInfinityAndNeverToNaN) {
  for (const std::size_t dim : {1, 5, 16, 40, 100}) {
    const std::vector<float> high(dim, kMax), low(dim, -kMax), large(dim, 0x1p60f), zeros(dim);
    EXPECT_EQ(table->l2(high.data(), low.data(), dim), kInfinity) << dim;
    EXPECT_EQ(table->l2(high.data(), zeros.data(), dim), kInfinity) << dim;
    EXPECT_EQ(table->l2(high.data(), high.data(), dim), 0) << dim;
    EXPECT_EQ(table->dot(high.data(), high.data(), dim), kInfinity) << dim;
    EXPECT_EQ(table->dot(high.data(), low.data(), dim), -kInfinity) << dim;
    EXPECT_EQ(table->l2(large.data(), zeros.data(), dim), static_cast<float>(dim) * 0x1p120f) << dim;
  }
}

TEST_P(Distance, SumIsTheReferenceAtEveryLength) {
  const auto values = random_floats(2049, 6);
  for (const std::size_t dim : dims()) {
    double expected = 0, magnitude = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      expected += values[i];
      magnitude += std::abs(values[i]);
    }
    ASSERT_NEAR(table->sum(values.data(), dim), expected, tolerance(dim, magnitude)) << dim;
  }
}

TEST_P(Distance, FirstNotFiniteIsFoundAtEveryPlace) {
  auto values = random_floats(100, 7);
  values[0] = kMax;
  values[1] = -kMax;
  values[2] = std::numeric_limits<float>::denorm_min();
  for (std::size_t count = 0; count <= values.size(); ++count) {
    ASSERT_EQ(table->first_not_finite(values.data(), count), count);
    for (std::size_t i = 0; i < count; ++i) {
      for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
        auto damaged = values;
        damaged[i] = bad;
        damaged[count - 1] = kNaN;  // the first counts, not the last
        ASSERT_EQ(table->first_not_finite(damaged.data(), count), i);
      }
    }
  }
}

TEST_P(Distance, ValuesPastTheEndAreNotJudged) {
  std::vector<float> values(64, 1.0f);
  for (std::size_t count = 0; count < values.size(); ++count) {
    values[count] = kNaN;
    ASSERT_EQ(table->first_not_finite(values.data(), count), count);
    values[count] = 1;
  }
}

}  // namespace
}  // namespace boon::kernels
