// Products of matrices on each instruction set that this machine has, against sums in double precision or exact ones.
#include "boon/kernels/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/core/random.h"
#include "boon/kernels/amx_trap.h"
#include "boon/kernels/gemm_testing.h"

namespace boon::kernels {
namespace {

using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool same_bits(float x, float y) {
  return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

struct Shape {
  std::size_t m, n, k;
};

// Every edge of every tile (8 x 4, 16 x 6, 32 x 12, 32 x 32), and depths around units, AMX's rows and blocks.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::size_t n = 1; n <= 40; ++n) {
    all.push_back({n, 7, 9});
    all.push_back({6, n, 5});
    all.push_back({5, 3, n});
    all.push_back({n, 41 - n, n + 30});
  }
  for (const std::size_t k : {63, 64, 65, 127, 128, 129, 255, 256, 257, 383, 384, 385, 700, 1537}) {
    all.push_back({33, 13, k});
  }
  for (const Shape shape : {Shape{65, 65, 65},
                            {100, 37, 50},
                            {37, 100, 50},
                            {481, 25, 40},
                            {1000, 2, 3},
                            {2, 1000, 3},
                            {1, 1, 3000},
                            {1, 300, 300},
                            {300, 1, 300},
                            {160, 150, 401},
                            {50, 400, 600},
                            {400, 50, 600},
                            {800, 40, 1100},
                            {40, 800, 530},
                            {390, 200, 513}}) {
    all.push_back(shape);
  }
  return all;
}

float value(float x) {
  return x;
}
float value(Bf16 x) {
  return to_float(x);
}
template <class T>
T drawn(Random& random) {
  const auto x = static_cast<float>(2 * random.uniform() - 1);
  if constexpr (std::is_same_v<T, Bf16>) {
    return to_bf16(x);
  } else {
    return x;
  }
}

// One product of floats or bf16 against its sums in double.
template <class T>
void expect_product(const TestKernel& kernel, Shape s, Lies of_a, Lies of_b, Lies of_c, GemmScale scale) {
  const std::string where = kernel.name + " " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
                            std::to_string(s.k) + ", lies " + std::to_string(static_cast<int>(of_a)) +
                            std::to_string(static_cast<int>(of_b)) + std::to_string(static_cast<int>(of_c));
  Random random(s.m * 1000003 + s.n * 1009 + s.k);
  TestMatrix<T> a(s.m, s.k, of_a), b(s.k, s.n, of_b);
  TestMatrix<float> c(s.m, s.n, of_c, kNaN), old(s.m, s.n, Lies::by_rows);
  a.fill([&] { return drawn<T>(random); });
  b.fill([&] { return drawn<T>(random); });
  old.fill([&] { return drawn<float>(random); });
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) (*c)(i, j) = scale.beta == 0 ? kNaN : (*old)(i, j);
  }
  gemm(*a, *b, *c, scale, kernel.options());
  EXPECT_TRUE(c.marks_are_left(same_bits)) << where;
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < s.k; ++k) {
        const double product = double{value((*a)(i, k))} * double{value((*b)(k, j))};
        sum += product;
        magnitude += std::abs(product);
      }
      const double before = scale.beta == 0 ? 0 : double{scale.beta} * double{(*old)(i, j)};
      const double expected = double{scale.alpha} * sum + before;
      const double allowed = (static_cast<double>(s.k) + 4) * std::numeric_limits<float>::epsilon() *
                             (std::abs(double{scale.alpha}) * magnitude + std::abs(before));
      ASSERT_NEAR((*c)(i, j), expected, allowed) << where << " at " << i << ", " << j;
    }
  }
}

// Sums and products without a sign, so that they wrap.
void expect_exact(const TestKernel& kernel, Shape s, Lies of_a, Lies of_b, Lies of_c, GemmAdd add, bool extremes) {
  const std::string where = kernel.name + " " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
                            std::to_string(s.k) + ", lies " + std::to_string(static_cast<int>(of_a)) +
                            std::to_string(static_cast<int>(of_b)) + std::to_string(static_cast<int>(of_c));
  constexpr std::int32_t kMark = 0x5eed5eed;
  Random random(s.m * 1000003 + s.n * 1009 + s.k);
  const auto byte = [&] {
    return static_cast<std::int8_t>(extremes ? (random.below(8) == 0 ? 127 : -128)
                                             : static_cast<int>(random.below(256)) - 128);
  };
  TestMatrix<std::int8_t> a(s.m, s.k, of_a), b(s.k, s.n, of_b);
  TestMatrix<std::int32_t> c(s.m, s.n, of_c, kMark), old(s.m, s.n, Lies::by_rows);
  a.fill(byte);
  b.fill(byte);
  old.fill([&] { return static_cast<std::int32_t>(random.next()); });
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) (*c)(i, j) = (*old)(i, j);
  }
  gemm(*a, *b, *c, add, kernel.options());
  EXPECT_TRUE(c.marks_are_left([](std::int32_t x, std::int32_t y) { return x == y; })) << where;
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      std::uint32_t sum = add.to_old ? static_cast<std::uint32_t>((*old)(i, j)) : 0;
      for (std::size_t k = 0; k < s.k; ++k) sum += static_cast<std::uint32_t>((*a)(i, k) * (*b)(k, j));
      ASSERT_EQ((*c)(i, j), static_cast<std::int32_t>(sum)) << where << " at " << i << ", " << j;
    }
  }
}

class Gemm : public testing::TestWithParam<TestKernel> {};

TEST_P(Gemm, EveryEdge) {
  std::size_t turn = 0;
  for (const Shape shape : shapes()) {
    const Lies a = kLies[turn % 5], b = kLies[turn / 5 % 5], c = kLies[turn / 2 % 5];
    ++turn;
    expect_product<float>(GetParam(), shape, a, b, c, {});
    expect_product<Bf16>(GetParam(), shape, a, b, c, {});
    expect_exact(GetParam(), shape, a, b, c, {}, turn % 3 == 0);
  }
}

TEST_P(Gemm, EveryWayToLie) {
  for (const Lies a : kLies) {
    for (const Lies b : kLies) {
      for (const Lies c : kLies) {
        for (const Shape shape : {Shape{35, 29, 70}, {50, 47, 391}}) {
          expect_product<float>(GetParam(), shape, a, b, c, {.alpha = -2, .beta = 0.5});
          expect_product<Bf16>(GetParam(), shape, a, b, c, {.alpha = 3, .beta = 1});
          expect_exact(GetParam(), shape, a, b, c, {.to_old = true}, false);
        }
      }
    }
  }
}

TEST_P(Gemm, AlphaAndBetaScale) {
  for (const GemmScale scale : {GemmScale{1, 1}, {0, 0}, {0, 1}, {0, 2}, {-1.5, 0}, {0.25, -3}}) {
    for (const Shape shape : {Shape{17, 9, 12}, {40, 30, 800}}) {
      for (const Lies c : {Lies::by_rows, Lies::padded_columns}) {
        expect_product<float>(GetParam(), shape, Lies::by_rows, Lies::by_rows, c, scale);
        expect_product<Bf16>(GetParam(), shape, Lies::by_rows, Lies::by_rows, c, scale);
      }
    }
  }
}

TEST_P(Gemm, ExtremeBytesWrapAsTheirSumsDo) {
  // 140,000 products of 128 * 128 go beyond 2^31.
  expect_exact(GetParam(), {3, 2, 140000}, Lies::by_rows, Lies::by_columns, Lies::by_rows, {.to_old = true}, true);
}

TEST_P(Gemm, APartHasTheBitsOfTheWhole) {
  constexpr std::size_t kM = 70, kN = 53, kK = 900;
  Random random(3);
  TestMatrix<float> a(kM, kK, Lies::by_rows), b(kK, kN, Lies::by_rows), rows(kM, kN, Lies::by_rows),
      columns(kM, kN, Lies::by_columns), part(kM, kN, Lies::scattered);
  a.fill([&] { return drawn<float>(random); });
  b.fill([&] { return drawn<float>(random); });
  for (const std::size_t depth : {std::size_t{60}, kK}) {  // in place, and packed
    const Matrix<const float> left = a->block(0, 0, kM, depth), right = b->block(0, 0, depth, kN);
    gemm(left, right, *rows, {}, GetParam().options());
    gemm(left, right, *columns, {}, GetParam().options());
    for (std::size_t i = 0; i < kM; ++i) {
      const std::size_t j = i * 7 % kN, height = std::min<std::size_t>(kM - i, 1 + i % 40), width = kN - j;
      gemm(left.block(i, 0, height, depth), right.block(0, j, depth, width), part->block(i, j, height, width), {},
           GetParam().options());
      EXPECT_TRUE(same_bits((*rows)(i, j), (*part)(i, j))) << i << ", " << j;
      EXPECT_TRUE(same_bits((*rows)(i, kN - 1), (*part)(i, kN - 1))) << i;
      EXPECT_TRUE(same_bits((*rows)(i, j), (*columns)(i, j))) << i << ", " << j;
    }
  }
}

TEST_P(Gemm, AWorkspaceIsKept) {
  GemmWorkspace workspace;
  for (const Shape s : {Shape{40, 30, 50}, {300, 200, 400}, {40, 30, 50}}) {
    const std::size_t before = workspace.capacity_bytes();
    Random random(5);
    TestMatrix<float> a(s.m, s.k, Lies::by_rows), b(s.k, s.n, Lies::by_rows), own(s.m, s.n, Lies::by_rows),
        kept(s.m, s.n, Lies::by_rows);
    a.fill([&] { return drawn<float>(random); });
    b.fill([&] { return drawn<float>(random); });
    gemm(*a, *b, *own, {}, GetParam().options());
    gemm(*a, *b, *kept, {}, GetParam().options(nullptr, &workspace));
    for (std::size_t i = 0; i < s.m; ++i) {
      for (std::size_t j = 0; j < s.n; ++j) ASSERT_TRUE(same_bits((*own)(i, j), (*kept)(i, j))) << i << ", " << j;
    }
    EXPECT_GE(workspace.capacity_bytes(), before);
  }
}

template <class T, class Sum, class Update>
void expect_threads_agree(const TestKernel& kernel, Shape s, Lies of_c, Update update, const std::vector<T>& values) {
  TestMatrix<T> a(s.m, s.k, Lies::by_rows), b(s.k, s.n, Lies::by_columns);
  std::size_t i = 0;
  const auto next = [&] { return values[i++ % values.size()]; };
  a.fill(next);
  b.fill(next);
  TestMatrix<Sum> one(s.m, s.n, of_c);
  gemm(*a, *b, *one, update, kernel.options());
  for (const std::size_t threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    GemmWorkspace workspace;
    TestMatrix<Sum> more(s.m, s.n, of_c);
    gemm(*a, *b, *more, update, kernel.options(&pool, threads == 2 ? nullptr : &workspace));
    for (std::size_t row = 0; row < s.m; ++row) {
      for (std::size_t column = 0; column < s.n; ++column) {
        ASSERT_EQ((*one)(row, column), (*more)(row, column))
            << kernel.name << ", " << threads << " threads, at " << row << ", " << column;
      }
    }
  }
}

// Large enough for all eight, or for six.
TEST_P(Gemm, ThreadsGiveTheSameBits) {
  Random random(4);
  std::vector<float> floats(9973);
  std::vector<Bf16> halves(9973);
  std::vector<std::int8_t> bytes(9973);
  for (float& x : floats) x = drawn<float>(random);
  for (Bf16& x : halves) x = drawn<Bf16>(random);
  for (std::int8_t& x : bytes) x = static_cast<std::int8_t>(random.below(256));
  for (const Shape s : {Shape{201, 307, 140}, {40, 300, 600}}) {
    expect_threads_agree<float, float>(GetParam(), s, Lies::by_rows, GemmScale{}, floats);
    expect_threads_agree<Bf16, float>(GetParam(), s, Lies::scattered, GemmScale{2, 1}, halves);
    expect_threads_agree<std::int8_t, std::int32_t>(GetParam(), s, Lies::by_columns, GemmAdd{}, bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Gemm, testing::ValuesIn(test_kernels()),
                         [](const auto& kernel) { return kernel.param.name; });

// AMX where there is none: its instructions are run in software, so that all but their speed is tested. Many are
// needed for little, so it gets fewer shapes.
TEST(GemmAmx, EveryEdge) {
  if (!isa_support().avx512) GTEST_SKIP() << "the code around the tiles is AVX-512, which this processor lacks";
  const IsaSupport have = isa_support();
  IsaSupport support = have;
  support.amx_int8 = support.amx_bf16 = true;
  const TestKernel amx{Isa::amx, support, "amx"};
  std::optional<AmxTrap> trap;
  if (!have.has(Isa::amx)) trap.emplace();
  std::size_t turn = 0;
  for (const Shape shape : {Shape{1, 1, 1},
                            {32, 32, 64},
                            {31, 33, 63},
                            {33, 31, 65},
                            {64, 64, 128},
                            {40, 70, 130},
                            {70, 40, 31},
                            {17, 15, 33},
                            {5, 100, 3},
                            {100, 5, 1600},
                            {65, 64, 16},
                            {48, 16, 17}}) {
    for (std::size_t i = 0; i < 5; ++i, ++turn) {
      const Lies a = kLies[turn % 5], b = kLies[turn / 5 % 5], c = kLies[turn / 2 % 5];
      expect_product<Bf16>(amx, shape, a, b, c, {.alpha = 2, .beta = i % 2 == 0 ? 0.0f : 1.0f});
      expect_exact(amx, shape, a, b, c, {.to_old = i % 2 == 0}, i == 3);
    }
  }
  EXPECT_FALSE(AmxTrap::tiles_in_use());
  if (trap) {
    EXPECT_GT(AmxTrap::products(), 100u);
  }
}

TEST(GemmShapes, NothingOfNothing) {
  std::vector<float> c(6, 2);
  const std::vector<float> none(1);
  const auto empty = [&](std::size_t rows, std::size_t columns) { return row_major(none.data(), rows, columns); };
  gemm(empty(2, 0), empty(0, 3), row_major(c.data(), 2, 3), {.alpha = 1, .beta = 0.5});
  EXPECT_EQ(c, std::vector<float>(6, 1));
  gemm(empty(0, 5), empty(5, 3), row_major(c.data(), 0, 3));
  gemm(empty(2, 5), empty(5, 0), row_major(c.data(), 2, 0));
  EXPECT_EQ(c, std::vector<float>(6, 1));
  gemm(empty(2, 0), empty(0, 3), row_major(c.data(), 2, 3));
  EXPECT_EQ(c, std::vector<float>(6, 0));

  std::vector<std::int32_t> sums(6, 2);
  const std::int8_t byte = 0;
  gemm(row_major(&byte, 2, 0), row_major(&byte, 0, 3), row_major(sums.data(), 2, 3), {.to_old = true});
  EXPECT_EQ(sums, std::vector<std::int32_t>(6, 2));
  gemm(row_major(&byte, 2, 0), row_major(&byte, 0, 3), row_major(sums.data(), 2, 3));
  EXPECT_EQ(sums, std::vector<std::int32_t>(6, 0));
}

TEST(GemmShapes, WithAlphaZeroNothingIsRead) {
  const std::vector<float> a(4, kNaN);
  std::vector<float> c(4, 3);
  const auto m = row_major(a.data(), 2, 2);
  gemm(m, m, row_major(c.data(), 2, 2), {.alpha = 0, .beta = 2});
  EXPECT_EQ(c, std::vector<float>(4, 6));
}

TEST(GemmShapes, WhatIsNotFiniteGoesOn) {
  const std::vector<float> a = {kNaN, 1, 0, 1}, b = {1, 0, 0, std::numeric_limits<float>::infinity()};
  std::vector<float> c(4);
  gemm(row_major(a.data(), 2, 2), row_major(b.data(), 2, 2), row_major(c.data(), 2, 2));
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 0);
  EXPECT_EQ(c[3], std::numeric_limits<float>::infinity());
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(GemmShapes, WhatDoesNotMatchIsRefused) {
  const std::vector<float> a(100);
  std::vector<float> c(100, 7);
  const auto m = [&](std::size_t rows, std::size_t columns) { return row_major(a.data(), rows, columns); };
  const auto to = [&](std::size_t rows, std::size_t columns) { return row_major(c.data(), rows, columns); };
  EXPECT_EQ(refusal([&] { gemm(m(2, 3), m(4, 5), to(2, 5)); }),
            "no product: A is 2 x 3, B is 4 x 5 and C is 2 x 5; they must be m x k, k x n and m x n");
  EXPECT_NE(refusal([&] { gemm(m(2, 3), m(3, 5), to(5, 2)); }), "");
  EXPECT_NE(refusal([&] { gemm(m(0, 3), m(3, 5), to(1, 5)); }), "");
  EXPECT_THAT(refusal([&] { gemm(m(2, 3), m(3, 5), row_major(c.data(), 2, 5, 4)); }),
              HasSubstr("neither rows nor columns of C follow each other: it is 2 x 5 with a row stride of 4 and a "
                        "column stride of 1"));
  EXPECT_NE(refusal([&] { gemm(m(2, 3), m(3, 5), Matrix<float>{c.data(), 2, 5, 0, 1}); }), "");
  EXPECT_EQ(refusal([&] { gemm(m(1, 3), m(3, 5), Matrix<float>{c.data(), 1, 5, 0, 1}); }), "");
  EXPECT_EQ(std::vector<float>(c.begin() + 5, c.end()), std::vector<float>(95, 7));
}

TEST(GemmShapes, AMissingInstructionSetIsRefused) {
  const float x = 1;
  float c = 7;
  const auto call = [&] {
    gemm(row_major(&x, 1, 1), row_major(&x, 1, 1), row_major(&c, 1, 1), {}, {.isa = Isa::avx512, .support = {}});
  };
  EXPECT_THROW(call(), Error);
  EXPECT_EQ(c, 7);
}

}  // namespace
}  // namespace boon::kernels
