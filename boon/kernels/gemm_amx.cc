// Products of matrices with AMX: tiles of 16 rows of 64 bytes, multiplied as wholes.
#ifndef __clang__
// g++ 12 warns of its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_sums_avx512.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"
#include "boon/kernels/tile_config.h"
#include "boon/kernels/units_avx512.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,amx-tile,amx-int8,amx-bf16")
#include "boon/kernels/amx_tiles.h"
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_pack.h"

namespace boon::kernels {
namespace {

struct Int8Tiles : IntSums512 {
  using Source = BytesSource<Units512, 0>;
  template <int sum, int a, int b>
  static void multiply(AmxTiles& tiles) noexcept {
    tiles.multiply_s8<sum, a, b>();
  }
};

struct Bf16Tiles : FloatSums512 {
  using Unit = std::uint32_t;
  using Source = Bf16PairSource<Units512>;
  template <int sum, int a, int b>
  static void multiply(AmxTiles& tiles) noexcept {
    tiles.multiply_bf16<sum, a, b>();
  }
};

// 32 rows and 32 columns of C in four tiles. A tile of sums has columns of C as its rows, so the instruction's first
// operand is ours on the right: 32 columns of 16 units each, one tile below the other, then the next 16 units. Its
// second, ours on the left, is 16 units of 32 rows each, two tiles side by side: the strip that vectors use too.
template <class Kernel>
struct AmxTile : Kernel {
  using Element = typename Kernel::Source::Element;
  using Unit = std::uint32_t;
  using Sum = typename Kernel::Sum;
  using Update = typename Kernel::Update;
  static constexpr std::size_t kRows = 32;
  static constexpr std::size_t kColumns = 32;
  static constexpr std::size_t kDepth = Kernel::Source::kDepth;
  static constexpr std::size_t kUnitsMultiple = kTileBytes / sizeof(Unit);

  struct State {
    AmxTiles tiles{full_tiles()};
    alignas(64) Sum sums[kColumns][kRows];
  };

  static constexpr std::size_t left_strip(std::size_t units) noexcept { return kRows * units; }
  static constexpr std::size_t right_strip(std::size_t units) noexcept { return kColumns * units; }

  static void pack_left(Matrix<const Element> from, Unit* to) noexcept {
    StripPacker<typename Kernel::Source, kRows>::pack(from, to);
    const std::size_t units = (from.columns + kDepth - 1) / kDepth;
    std::fill(to + left_strip(units), to + left_strip(round_up(units, kUnitsMultiple)), Unit{0});
  }
  static void pack_right(Matrix<const Element> from, Unit* to) noexcept {
    constexpr std::size_t kTileDepth = kUnitsMultiple * kDepth;
    const std::size_t columns = std::min(from.rows, kColumns);
    for (std::size_t k = 0; k < from.columns; k += kTileDepth, to += kColumns * kUnitsMultiple) {
      const std::size_t depth = std::min(kTileDepth, from.columns - k);
      const bool whole = columns == kColumns && depth == kTileDepth;
      if (whole && from.column_stride == 1) {
        for (std::size_t n = 0; n < kColumns; ++n) std::memcpy(to + n * kUnitsMultiple, &from(n, k), kTileBytes);
      } else if (whole && from.row_stride == 1) {
        pack_across(from.block(0, k, kColumns, kTileDepth), to);
      } else {
        using Packed = decltype(Kernel::Source::packed(Element{}));
        pack_by_layout<kColumns, kTileDepth>(from.block(0, k, columns, depth), reinterpret_cast<Packed*>(to),
                                             Kernel::Source::packed);
      }
    }
  }

  static void multiply(State& state, const Unit* left, const Unit* right, std::size_t units, Update update,
                       TileOfC<Sum> c) noexcept {
    AmxTiles& tiles = state.tiles;
    tiles.zero<0>();
    tiles.zero<1>();
    tiles.zero<2>();
    tiles.zero<3>();
    for (std::size_t unit = 0; unit < units; unit += kUnitsMultiple) {
      tiles.load<4>(right, kTileBytes);
      tiles.load<6>(left, kRows * sizeof(Unit));
      tiles.load<7>(left + kTileRows, kRows * sizeof(Unit));
      Kernel::template multiply<0, 4, 6>(tiles);
      Kernel::template multiply<1, 4, 7>(tiles);
      tiles.load<5>(right + kTileRows * kUnitsMultiple, kTileBytes);
      Kernel::template multiply<2, 5, 6>(tiles);
      Kernel::template multiply<3, 5, 7>(tiles);
      left += kRows * kUnitsMultiple;
      right += kColumns * kUnitsMultiple;
    }
    tiles.store<0>(&state.sums[0][0], sizeof state.sums[0]);
    tiles.store<1>(&state.sums[0][kTileRows], sizeof state.sums[0]);
    tiles.store<2>(&state.sums[kTileRows][0], sizeof state.sums[0]);
    tiles.store<3>(&state.sums[kTileRows][kTileRows], sizeof state.sums[0]);
    if (Kernel::reads(update)) {
      put<true>(state, update, c);
    } else {
      put<false>(state, update, c);
    }
  }

 private:
  static constexpr std::size_t kWidth = Kernel::kWidth;

  // Sixteen columns by sixteen units at a time, transposed in registers.
  static void pack_across(Matrix<const Element> from, Unit* to) noexcept {
    for (std::size_t n = 0; n < kColumns; n += kWidth, to += kWidth * kUnitsMultiple) {
      __m512i block[kUnitsMultiple];
      for (std::size_t unit = 0; unit < kUnitsMultiple; ++unit) {
        alignas(64) Unit units[kWidth];
        Kernel::Source::across(&from(n, unit * kDepth), from.column_stride, units);
        block[unit] = Units512::load(units);
      }
      Units512::transpose(block);
      for (std::size_t i = 0; i < kWidth; ++i) Units512::store(to + i * kUnitsMultiple, block[i]);
    }
  }

  template <bool reads>
  static void put(const State& state, Update update, const TileOfC<Sum>& c) noexcept {
    for (std::size_t n = 0; n < c.columns; ++n) {
      Sum* column = c.data + n * c.column_stride;
      for (std::size_t i = 0; i < c.rows; i += kWidth) {
        typename Kernel::Vector sums;
        std::memcpy(&sums, &state.sums[n][i], sizeof sums);
        if (c.rows - i >= kWidth) {
          Kernel::template update<reads>(column + i, sums, update);
        } else {
          Kernel::template update_first<reads>(column + i, c.rows - i, sums, update);
        }
      }
    }
  }
};

}  // namespace

constinit const Int8Gemm kAmxInt8Gemm = gemm_kernel<AmxTile<Int8Tiles>>();
constinit const Bf16Gemm kAmxBf16Gemm = gemm_kernel<AmxTile<Bf16Tiles>>();

}  // namespace boon::kernels
BOON_TARGET_END
