// Tiles: the software ones against plain loops, and those of AMX against the software ones.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/amx_trap.h"
#include "boon/kernels/bf16.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/peak_loops.h"
#include "boon/kernels/soft_tiles.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("amx-tile,amx-int8,amx-bf16")
#include "boon/kernels/amx_tiles.h"
BOON_TARGET_END

namespace boon::kernels {
namespace {

// Sums in tile 0, its rows of `a` in tile 2, those of `b` in tile 5.
struct Shape {
  std::size_t m = 16, n = 16, k = 16;  // k counts groups of four bytes

  TileConfig config() const {
    TileConfig config;
    config.set(0, m, 4 * n);
    config.set(2, m, 4 * k);
    config.set(5, k, 4 * n);
    return config;
  }
};

struct Operands {
  std::vector<std::uint8_t> a, b, sum;  // rows 80, 96 and 112 bytes apart

  explicit Operands(std::uint64_t seed) : a(16 * 80), b(16 * 96), sum(16 * 112) {
    Random random(seed);
    for (auto* bytes : {&a, &b, &sum}) {
      for (auto& byte : *bytes) byte = static_cast<std::uint8_t>(random.below(256));
    }
  }
  // As bf16 and fp32: numbers around 1, denormals and zeros of both signs among them, neither infinity nor NaN.
  void make_finite() {
    const auto tame = [](std::vector<std::uint8_t>& bytes, std::size_t width) {
      for (std::size_t i = width - 1; i < bytes.size(); i += width) {
        const bool tiny = bytes[i] % 8 == 0;
        bytes[i] = static_cast<std::uint8_t>((bytes[i] & 0x80) | (tiny ? 0 : 0x3f));
        if (tiny) bytes[i - 1] &= 0x7f;
      }
    };
    tame(a, 2);
    tame(b, 2);
    tame(sum, 4);
  }
};

template <class T>
T element(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

enum class Product { s8, u8_s8, bf16 };

BOON_TARGET_BEGIN("amx-tile,amx-int8,amx-bf16")
template <class Tiles>
std::vector<std::uint8_t> multiply(const Shape& shape, const Operands& operands, Product product) {
  std::vector<std::uint8_t> out = operands.sum;
  const TileConfig config = shape.config();
  Tiles tiles(config);
  tiles.template load<0>(operands.sum.data(), 112);
  tiles.template load<2>(operands.a.data(), 80);
  tiles.template load<5>(operands.b.data(), 96);
  if (product == Product::s8) tiles.template multiply_s8<0, 2, 5>();
  if (product == Product::u8_s8) tiles.template multiply_u8_s8<0, 2, 5>();
  if (product == Product::bf16) tiles.template multiply_bf16<0, 2, 5>();
  tiles.template store<0>(out.data(), 112);
  return out;
}
BOON_TARGET_END

std::vector<Shape> shapes() {
  std::vector<Shape> all{{}, {1, 1, 1}, {16, 16, 1}, {1, 16, 16}, {16, 1, 16}};
  for (std::size_t i = 2; i < 16; ++i) all.push_back({i, 17 - i, (7 * i) % 16 + 1});
  return all;
}

TEST(SoftTiles, ProductsOfBytesAreThoseOfPlainLoops) {
  for (const Shape& shape : shapes()) {
    const Operands operands(shape.m * 256 + shape.n);
    const auto s8 = multiply<SoftTiles>(shape, operands, Product::s8);
    const auto u8 = multiply<SoftTiles>(shape, operands, Product::u8_s8);
    for (std::size_t m = 0; m < shape.m; ++m) {
      for (std::size_t n = 0; n < shape.n; ++n) {
        std::int64_t expected = element<std::int32_t>(operands.sum, m * 112 + 4 * n);
        std::int64_t expected_u8 = expected;
        for (std::size_t k = 0; k < 4 * shape.k; ++k) {
          const std::uint8_t x = operands.a[m * 80 + k];
          const auto y = static_cast<std::int8_t>(operands.b[k / 4 * 96 + 4 * n + k % 4]);
          expected += static_cast<std::int8_t>(x) * y;
          expected_u8 += x * y;
        }
        EXPECT_EQ(element<std::uint32_t>(s8, m * 112 + 4 * n), static_cast<std::uint32_t>(expected));
        EXPECT_EQ(element<std::uint32_t>(u8, m * 112 + 4 * n), static_cast<std::uint32_t>(expected_u8));
      }
    }
    for (std::size_t m = 0; m < 16; ++m) {
      for (std::size_t i = m < shape.m ? 4 * shape.n : 0; i < 112; ++i) {
        EXPECT_EQ(s8[m * 112 + i], operands.sum[m * 112 + i]) << "outside of the tile, row " << m << " byte " << i;
      }
    }
  }
}

TEST(SoftTiles, ProductsOfBf16AreNearThoseInDouble) {
  for (const Shape& shape : shapes()) {
    Operands operands(shape.m * 256 + shape.n);
    operands.make_finite();
    const auto out = multiply<SoftTiles>(shape, operands, Product::bf16);
    for (std::size_t m = 0; m < shape.m; ++m) {
      for (std::size_t n = 0; n < shape.n; ++n) {
        double expected = element<float>(operands.sum, m * 112 + 4 * n);
        double size = std::fabs(expected);
        for (std::size_t k = 0; k < 2 * shape.k; ++k) {
          const double x = to_float(element<Bf16>(operands.a, m * 80 + 2 * k));
          const double y = to_float(element<Bf16>(operands.b, k / 2 * 96 + 4 * n + 2 * (k % 2)));
          expected += x * y;
          size += std::fabs(x * y);
        }
        EXPECT_NEAR(element<float>(out, m * 112 + 4 * n), expected, size * 20 * 0x1p-24 + 40 * 0x1p-126)
            << "what is flushed included";
      }
    }
  }
}

TEST(SoftTiles, DenormalsCountAsZero) {
  Operands operands(1);
  for (auto* bytes : {&operands.a, &operands.b, &operands.sum})
    std::fill(bytes->begin(), bytes->end(), std::uint8_t{0});
  const auto put = [](std::vector<std::uint8_t>& bytes, std::size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  put(operands.a, 0, Bf16{0x0001});  // times 2^100 it would be 2^-33
  put(operands.b, 0, to_bf16(0x1p100f));
  put(operands.a, 80, to_bf16(0x1p-70f));  // times itself, 2^-140, is denormal
  put(operands.b, 4, to_bf16(0x1p-70f));
  put(operands.sum, 8, 0x1p-130f);  // a denormal sum from before
  const auto out = multiply<SoftTiles>({}, operands, Product::bf16);
  EXPECT_EQ(element<float>(out, 0), 0.0f);
  EXPECT_EQ(element<float>(out, 112 + 4), 0.0f);
  EXPECT_EQ(element<float>(out, 8), 0.0f);
}

TEST(SoftTiles, UseAgainstTheConfigurationEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        TileConfig config = full_tiles();
        config.set(5, 8, 64);  // K of the two sides differ
        SoftTiles tiles(config);
        tiles.multiply_bytes<std::int8_t>(0, 2, 5);
      },
      "");
  EXPECT_DEATH(
      {
        TileConfig config;
        config.set(0, 17, 64);
        const SoftTiles tiles(config);
      },
      "");
}

// Where the processor has tiles, they are compared; elsewhere the instructions are trapped.
class AmxTilesTest : public testing::Test {
 protected:
  AmxTilesTest() {
    if (!isa_support().has(Isa::amx)) trap_.emplace();
  }

  std::optional<AmxTrap> trap_;
};

TEST_F(AmxTilesTest, GiveWhatTheSoftwareTilesGive) {
  for (const Shape& shape : shapes()) {
    for (const Product product : {Product::s8, Product::u8_s8, Product::bf16}) {
      Operands operands(shape.m * 256 + shape.n);
      if (product == Product::bf16) operands.make_finite();
      EXPECT_EQ(multiply<AmxTiles>(shape, operands, product), multiply<SoftTiles>(shape, operands, product));
    }
  }
  EXPECT_FALSE(AmxTrap::tiles_in_use());
}

TEST_F(AmxTilesTest, TheProbeOfThePeakMultipliesWhatItCounts) {
  for (const Arithmetic what : {Arithmetic::int8, Arithmetic::bf16}) {
    const PeakLoop loop = peak_loop_amx(what, {});
    const std::size_t before = AmxTrap::products();
    loop.run(3);
    if (trap_) {
      EXPECT_EQ(AmxTrap::products() - before, 3 * 4);
      EXPECT_FALSE(AmxTrap::tiles_in_use());
    }
    EXPECT_EQ(loop.operations_a_turn, 4 * 2 * 16 * 16 * (what == Arithmetic::int8 ? 64 : 32));
  }
}

TEST(Bf16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(to_bf16(1.0f).bits, 0x3f80);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3f808000u)).bits, 0x3f80);  // a tie goes to even
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3f818000u)).bits, 0x3f82);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3f808001u)).bits, 0x3f81);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x7f7fffffu)).bits, 0x7f80);  // the largest fp32 rounds to infinity
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_EQ(to_float({0xbf80}), -1.0f);
}

}  // namespace
}  // namespace boon::kernels
