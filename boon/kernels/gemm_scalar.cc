// Products of matrices without vectors: packed by their layouts, multiplied by loops that the compiler may vectorise
// for any x86-64. The plain version of the others.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {
namespace {

struct PlainTile {
  static constexpr std::size_t kRows = 8;
  static constexpr std::size_t kColumns = 4;
  static constexpr std::size_t kDepth = 1;
  static constexpr std::size_t kUnitsMultiple = 1;
  static constexpr std::size_t kRowsBlock = 128;
  static constexpr std::size_t kDepthBlock = 256;
  static constexpr std::size_t kColumnsBlock = 1024;
  struct State {};

  static constexpr std::size_t left_strip(std::size_t units) noexcept { return kRows * units; }
  static constexpr std::size_t right_strip(std::size_t units) noexcept { return kColumns * units; }
};

template <class Value>
void sum_products(const Value* left, const Value* right, std::size_t depth, Value* sums) noexcept {
  constexpr std::size_t kRows = PlainTile::kRows;
  for (; depth > 0; --depth, left += kRows, right += PlainTile::kColumns) {
    for (std::size_t column = 0; column < PlainTile::kColumns; ++column) {
      for (std::size_t row = 0; row < kRows; ++row) sums[column * kRows + row] += left[row] * right[column];
    }
  }
}

// fp32, and bf16 as it.
template <class T>
struct FloatTile : PlainTile {
  using Element = T;
  using Unit = float;
  using Sum = float;
  using Update = GemmScale;

  static bool reads(GemmScale scale) noexcept { return scale.beta != 0; }
  static GemmScale next(GemmScale scale) noexcept { return {scale.alpha, 1}; }
  static float value(float x) noexcept { return x; }
  static float value(Bf16 x) noexcept { return to_float(x); }
  static void pack_left(Matrix<const Element> from, float* to) noexcept {
    pack_by_layout<kRows, 1>(from, to, [](Element x) { return value(x); });
  }
  static void pack_right(Matrix<const Element> from, float* to) noexcept {
    pack_by_layout<kColumns, 1>(from, to, [](Element x) { return value(x); });
  }
  static void multiply(State& /*none*/, const float* left, const float* right, std::size_t units, GemmScale scale,
                       TileOfC<float> c) noexcept {
    std::array<float, kRows * kColumns> sums{};
    sum_products(left, right, units, sums.data());
    for (std::size_t column = 0; column < c.columns; ++column) {
      for (std::size_t row = 0; row < c.rows; ++row) {
        float& old = c.data[column * c.column_stride + row];
        const float sum = scale.alpha * sums[column * kRows + row];
        old = reads(scale) ? sum + scale.beta * old : sum;
      }
    }
  }
};

// Unsigned, so that sums wrap as they do in vectors.
struct Int8Tile : PlainTile {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  using Sum = std::int32_t;
  using Update = GemmAdd;

  static bool reads(GemmAdd add) noexcept { return add.to_old; }
  static GemmAdd next(GemmAdd /*add*/) noexcept { return {true}; }
  static Unit value(std::int8_t x) noexcept { return static_cast<Unit>(x); }
  static void pack_left(Matrix<const Element> from, Unit* to) noexcept { pack_by_layout<kRows, 1>(from, to, value); }
  static void pack_right(Matrix<const Element> from, Unit* to) noexcept {
    pack_by_layout<kColumns, 1>(from, to, value);
  }
  static void multiply(State& /*none*/, const Unit* left, const Unit* right, std::size_t units, GemmAdd add,
                       TileOfC<std::int32_t> c) noexcept {
    std::array<Unit, kRows * kColumns> sums{};
    sum_products(left, right, units, sums.data());
    for (std::size_t column = 0; column < c.columns; ++column) {
      for (std::size_t row = 0; row < c.rows; ++row) {
        std::int32_t& old = c.data[column * c.column_stride + row];
        const Unit sum = sums[column * kRows + row];
        old = static_cast<std::int32_t>(reads(add) ? sum + static_cast<Unit>(old) : sum);
      }
    }
  }
};

}  // namespace

constinit const Fp32Gemm kScalarFp32Gemm = gemm_kernel<FloatTile<float>>();
constinit const Bf16Gemm kScalarBf16Gemm = gemm_kernel<FloatTile<Bf16>>();
constinit const Int8Gemm kScalarInt8Gemm = gemm_kernel<Int8Tile>();

}  // namespace boon::kernels
