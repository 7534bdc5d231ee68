#include "boon/codec/gemv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "boon/codec/testing.h"

namespace boon::codec {
namespace {

// Random codes, all sixteen, and block scales from 2^-4 to 2, in rows and in tiles.
struct Problem {
  Problem(std::size_t m, std::size_t k, std::uint64_t seed) : rows(m), columns(k), tiles(k) {
    Random random(seed);
    const std::size_t code_bytes = k / 2, scale_bytes = k / 16;
    const auto fill = [&](std::uint8_t* to, std::uint8_t* scales_to) {
      for (std::size_t i = 0; i < code_bytes; ++i) to[i] = static_cast<std::uint8_t>(random.next());
      for (std::size_t i = 0; i < scale_bytes; ++i) scales_to[i] = static_cast<std::uint8_t>(0x18 + random.below(0x28));
    };
    data.resize(m * (code_bytes + scale_bytes));
    for (std::size_t i = 0; i < m; ++i) {
      std::uint8_t* row = &data[i * (code_bytes + scale_bytes)];
      fill(row, row + code_bytes);
      tiles.add({{row, code_bytes}, {row + code_bytes, scale_bytes}, 1});
    }
    codes.resize(code_bytes);
    scales.resize(scale_bytes);
    fill(codes.data(), scales.data());
  }
  Nvfp4Matrix matrix() const { return {rows, columns, data.data(), tiles.bytes().data(), .25F}; }
  Nvfp4View vector() const { return {codes, scales, .5F}; }
  std::vector<float> row(std::size_t i) const {
    std::vector<float> x(columns);
    const std::uint8_t* from = &data[i * columns / 16 * 9];
    nvfp4_decode({{from, columns / 2}, {from + columns / 2, columns / 16}, .25F}, x);
    return x;
  }
  std::size_t rows, columns;
  std::vector<std::uint8_t> data, codes, scales;
  Nvfp4Tiles tiles;
};

TEST(Gemv, EachWayIsTheReferenceOnEachInstructionSet) {
  ThreadPool pool(3);
  for (const auto isa : {kernels::Isa::scalar, kernels::Isa::avx2, kernels::Isa::avx512}) {
    const CodeKernelList list = code_kernels(isa);
    for (std::size_t t = 0; t < list.count; ++t) {
      for (const auto& [m, k] : {std::pair{1, 64}, {3, 192}, {16, 256}, {17, 320}, {300, 1024}}) {
        const Problem problem(static_cast<std::size_t>(m), static_cast<std::size_t>(k), 1);
        const GemvVector x(problem.vector());
        std::vector<float> decoded(problem.columns);
        nvfp4_decode(problem.vector(), decoded);
        for (const GemvWay way : kGemvWays) {
          std::vector<kernels::Fp16> y(problem.rows);
          gemv(way, problem.matrix(), x, *list.table[t], pool, y);
          for (std::size_t i = 0; i < problem.rows; ++i) {
            const double expected = dot(problem.row(i), decoded);
            // What the competition asked for: rtol = atol = 1e-3, of results in fp16.
            ASSERT_NEAR(to_float(y[i]), expected, 1e-3 + 1e-3 * std::abs(expected))
                << name(way) << " " << list.table[t]->name << ", row " << i << " of " << m << " x " << k;
          }
        }
      }
    }
  }
}

TEST(Gemv, SumsHaveTheSameBitsOnEachInstructionSet) {
  const Problem problem(40, 512, 2);
  const GemvVector x(problem.vector());
  std::vector<float> expected;
  for (const auto isa : {kernels::Isa::scalar, kernels::Isa::avx2, kernels::Isa::avx512}) {
    const CodeKernelList list = code_kernels(isa);
    for (std::size_t t = 0; t < list.count; ++t) {
      std::vector<float> sums(problem.rows + 48);
      const CodeRows rows{problem.data.data(), problem.matrix().row_bytes(), nullptr, 0};
      list.table[t]->nvfp4(x.query(), rows, problem.rows, sums.data());
      list.table[t]->nvfp4_tiles(x.query(), problem.tiles.bytes().data(), 8, 3, sums.data() + problem.rows);
      if (expected.empty()) expected = sums;
      EXPECT_EQ(sums, expected) << list.table[t]->name;
    }
  }
}

TEST(Gemv, AVectorWithABadScaleIsRefused) {
  Problem problem(1, 64, 3);
  problem.scales[2] = 0xff;
  EXPECT_EQ(error_of([&] { GemvVector x(problem.vector()); }), "vector, block 2: its scale, byte ff, is NaN");
}

TEST(Gemv, AVectorOfWhichCodesAndScalesDoNotFitIsRefused) {
  Problem problem(1, 64, 4);
  problem.codes.pop_back();
  EXPECT_EQ(error_of([&] { GemvVector x(problem.vector()); }),
            "vector: 31 bytes of codes and 4 block scales; each block has 8 bytes");
}

}  // namespace
}  // namespace boon::codec
