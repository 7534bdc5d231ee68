// Scalar formats against their definition: the nearest of all values, found in double precision, ties to the even code.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "boon/codec/e2m1.h"
#include "boon/codec/e4m3.h"
#include "boon/core/random.h"
#include "boon/kernels/bf16.h"
#include "boon/kernels/fp16.h"
#include "boon/kernels/isa_skip.h"

namespace boon::codec {
namespace {

using kernels::Fp16;
using kernels::kFp16Max;
using kernels::Overflow;
using kernels::to_fp16;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

// Magnitudes in the order of their codes. Halfway between two of them the even code is right; past the last, the last.
std::uint32_t nearest_code(const std::vector<double>& magnitudes, double x) {
  const auto above = std::upper_bound(magnitudes.begin(), magnitudes.end(), x);
  if (above == magnitudes.end()) return static_cast<std::uint32_t>(magnitudes.size() - 1);
  const auto code = static_cast<std::uint32_t>(above - magnitudes.begin());
  const double to_upper = magnitudes[code] - x, to_lower = x - magnitudes[code - 1];
  if (to_upper == to_lower) return code % 2 == 0 ? code : code - 1;
  return to_upper < to_lower ? code : code - 1;
}

// Every value, every midpoint, their neighbours in fp32, and random floats of every exponent; both signs.
std::vector<float> probes(const std::vector<double>& magnitudes) {
  std::vector<float> all = {0, kInfinity, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
  for (std::size_t i = 0; i + 1 < magnitudes.size(); ++i) {
    for (const double x : {magnitudes[i], (magnitudes[i] + magnitudes[i + 1]) / 2, magnitudes[i + 1]}) {
      const auto y = static_cast<float>(x);
      all.insert(all.end(), {y, std::nextafter(y, 0.F), std::nextafter(y, kInfinity)});
    }
  }
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7f800000U))));
    all.push_back(static_cast<float>(random.uniform() * 2 * magnitudes.back()));
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  return all;
}

TEST(E2m1, HasTheValuesOfItsBits) {
  for (std::uint8_t code = 0; code < 16; ++code) {
    const int exponent = code >> 1 & 3, mantissa = code & 1;
    const double magnitude = exponent == 0 ? mantissa * .5 : std::ldexp(1 + mantissa * .5, exponent - 1);
    EXPECT_EQ(std::abs(e2m1_to_float(code)), magnitude) << int{code};
    EXPECT_EQ(std::signbit(e2m1_to_float(code)), code >= 8) << int{code};
    EXPECT_EQ(to_e2m1(e2m1_to_float(code)), code);
  }
}

TEST(E2m1, IsTheNearestWithTiesToEven) {
  const std::vector<double> magnitudes(kE2m1.begin(), kE2m1.begin() + 8);
  for (const float x : probes(magnitudes)) {
    const std::uint32_t sign = std::signbit(x) ? 8 : 0;
    ASSERT_EQ(to_e2m1(x), sign + nearest_code(magnitudes, std::abs(double{x}))) << x;
  }
}

TEST(E2m1, KeepsTheSignOfZeroAndTakesNaNForSix) {
  EXPECT_EQ(to_e2m1(-0.F), 8);
  EXPECT_EQ(to_e2m1(-.1F), 8);
  EXPECT_EQ(to_e2m1(kNaN), 7);
  EXPECT_EQ(to_e2m1(-kNaN), 7);
  EXPECT_EQ(to_e2m1(kInfinity), 7);
  EXPECT_EQ(to_e2m1(-kInfinity), 15);
}

std::vector<double> e4m3_magnitudes() {
  std::vector<double> all;
  for (int byte = 0; byte < 0x7f; ++byte) {
    const int exponent = byte >> 3, mantissa = byte & 7;
    all.push_back(exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10));
  }
  return all;
}

TEST(E4m3, HasTheValuesOfItsBits) {
  const auto magnitudes = e4m3_magnitudes();
  for (int byte = 0; byte < 256; ++byte) {
    const float x = e4m3_to_float(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(std::signbit(x), byte >= 0x80) << byte;
    if ((byte & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(x)) << byte;
    } else {
      EXPECT_EQ(std::abs(x), magnitudes[byte & 0x7f]) << byte;
      EXPECT_EQ(to_e4m3(x), byte);
    }
  }
  EXPECT_EQ(magnitudes.back(), kE4m3Max);
}

TEST(E4m3, IsTheNearestWithTiesToEven) {
  const auto magnitudes = e4m3_magnitudes();
  for (const float x : probes(magnitudes)) {
    const std::uint32_t sign = std::signbit(x) ? 0x80 : 0;
    ASSERT_EQ(to_e4m3(x), sign + nearest_code(magnitudes, std::abs(double{x}))) << x;
  }
}

TEST(E4m3, SaturatesAndTakesNaNForNaN) {
  EXPECT_EQ(to_e4m3(464), 0x7e);
  EXPECT_EQ(to_e4m3(465), 0x7e);
  EXPECT_EQ(to_e4m3(kInfinity), 0x7e);
  EXPECT_EQ(to_e4m3(-kInfinity), 0xfe);
  EXPECT_EQ(to_e4m3(kNaN), 0x7f);
  EXPECT_EQ(to_e4m3(-kNaN), 0x7f);
  EXPECT_EQ(to_e4m3(0x1p-10F), 0);
}

TEST(E4m3, ScalesArePositiveAndFinite) {
  for (int byte = 0; byte < 256; ++byte) {
    const float x = e4m3_to_float(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(is_scale(static_cast<std::uint8_t>(byte)), !std::isnan(x) && !std::signbit(x)) << byte;
  }
}

std::vector<double> fp16_magnitudes() {
  std::vector<double> all;
  for (int half = 0; half < 0x7c00; ++half) {
    const int exponent = half >> 10, mantissa = half & 0x3ff;
    all.push_back(exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
  }
  return all;
}

TEST(Fp16, HasTheValuesOfItsBits) {
  const auto magnitudes = fp16_magnitudes();
  for (std::uint32_t half = 0; half <= 0xffff; ++half) {
    const Fp16 x{static_cast<std::uint16_t>(half)};
    EXPECT_EQ(std::signbit(to_float(x)), half >= 0x8000) << half;
    if ((half & 0x7fff) < 0x7c00) {
      ASSERT_EQ(std::abs(to_float(x)), magnitudes[half & 0x7fff]) << half;
      ASSERT_EQ(to_fp16(to_float(x)).bits, half);
    } else if ((half & 0x7fff) == 0x7c00) {
      ASSERT_TRUE(std::isinf(to_float(x)));
      ASSERT_EQ(to_fp16(to_float(x)).bits, half);
    } else {
      ASSERT_TRUE(std::isnan(to_float(x))) << half;
    }
  }
}

TEST(Fp16, IsTheNearestWithTiesToEven) {
  const auto magnitudes = fp16_magnitudes();
  for (const float x : probes(magnitudes)) {
    if (std::isinf(x)) continue;
    const std::uint32_t sign = std::signbit(x) ? 0x8000 : 0;
    ASSERT_EQ(to_fp16(x, Overflow::saturate).bits, sign + nearest_code(magnitudes, std::abs(double{x}))) << x;
  }
}

TEST(Fp16, OverflowGoesWhereThePolicySays) {
  const float last = std::nextafter(65520.F, 0.F);  // 65520 is halfway to 65536, which would be next
  EXPECT_EQ(to_fp16(last).bits, 0x7bff);
  EXPECT_EQ(to_fp16(65520).bits, 0x7c00);
  EXPECT_EQ(to_fp16(-65520).bits, 0xfc00);
  EXPECT_EQ(to_fp16(65520, Overflow::saturate).bits, 0x7bff);
  EXPECT_EQ(to_fp16(std::numeric_limits<float>::max(), Overflow::saturate).bits, 0x7bff);
  EXPECT_EQ(to_fp16(kInfinity, Overflow::saturate).bits, 0x7c00);
  EXPECT_TRUE(std::isnan(to_float(to_fp16(kNaN))));
  EXPECT_TRUE(std::isnan(to_float(to_fp16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(Fp16, DenormalsAreKept) {
  EXPECT_EQ(to_fp16(0x1p-24F).bits, 1);
  EXPECT_EQ(to_fp16(0x1p-25F).bits, 0);
  EXPECT_EQ(to_fp16(0x1.8p-24F).bits, 2);
  EXPECT_EQ(to_fp16(std::nextafter(0x1p-14F, 0.F)).bits, 0x400);
  EXPECT_EQ(bits(to_float(Fp16{0x8001})), bits(-0x1p-24F));
}

// All three are constant expressions.
static_assert(to_e2m1(-2.5F) == 12 && to_e4m3(1.0625F) == 0x38 && to_e4m3(0x1.8p-9F) == 2);
static_assert(to_fp16(1).bits == 0x3c00 && to_float(Fp16{0x7bff}) == kFp16Max && e4m3_to_float(0x7e) == kE4m3Max);

TEST(Bf16, IsTheNearestWithTiesToEven) {
  std::vector<double> magnitudes;
  for (std::uint32_t half = 0; half < 0x7f80; ++half) {
    magnitudes.push_back(kernels::to_float(kernels::Bf16{static_cast<std::uint16_t>(half)}));
  }
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7f7f0000U)));
    ASSERT_EQ(kernels::to_bf16(x).bits, nearest_code(magnitudes, x)) << x;
  }
}

}  // namespace
}  // namespace boon::codec
