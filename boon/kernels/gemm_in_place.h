// Internal: products whose right operand is read where it lies, since packing it would not pay: there are few rows to
// use it, or it is small. Of the left operand each strip is packed for all columns; if its rows are contiguous, on the
// way, by the first tile that reads it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_microkernel.h"
#include "boon/kernels/gemm_vector_tile.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {
namespace {

template <class Kernel>
struct GemmInPlace {
  using Tile = VectorTile<Kernel>;
  using Loops = GemmLoops<Tile>;
  using Unit = typename Kernel::Unit;
  using Sum = typename Kernel::Sum;
  using Update = typename Kernel::Update;
  using Operand = Matrix<const Unit>;

  // Packing an element of the right operand takes as long as multiplying it by some 20 rows; reading it in place, where
  // a cache line is shared by 16 steps of depth, costs a thirtieth.
  static bool suits(Operand a, Operand b, Matrix<Sum> c) noexcept {
    const std::size_t depth = std::min(a.columns, Kernel::kDepthBlock);
    return c.row_stride == 1 && (c.rows <= Kernel::kRowsBlock || depth * b.columns <= Kernel::kInPlaceMax);
  }

  static void run(Operand a, Operand b, Matrix<Sum> c, Update update, Unit* workspace) noexcept {
    const auto blocks = Loops::Blocks::of(c.rows, c.columns, a.columns);
    const std::size_t columns =
        std::max(Kernel::kInPlaceMax / blocks.units / Tile::kColumns, std::size_t{1}) * Tile::kColumns;
    for (std::size_t p = 0; p < a.columns; p += blocks.units) {
      const std::size_t depth = std::min(blocks.units, a.columns - p);
      const Update now = p == 0 ? update : Kernel::next(update);
      for (std::size_t i = 0; i < c.rows; i += blocks.rows) {
        const std::size_t rows = std::min(blocks.rows, c.rows - i);
        for (std::size_t j = 0; j < c.columns; j += columns) {
          const std::size_t width = std::min(columns, c.columns - j);
          multiply_block(a.block(i, p, rows, depth), b.block(p, j, depth, width), c.block(i, j, rows, width), now,
                         workspace, j == 0, columns < c.columns);
        }
      }
    }
  }

 private:
  using Micro = void (*)(Operand left, Unit* packed, Operand right, Update update, TileOfC<Sum> c) noexcept;

  // `first`: the left strips are not packed yet. `keep`: they will be needed again; if not, one place serves them all,
  // and stays in L1.
  static void multiply_block(Operand a, Operand b, Matrix<Sum> c, Update update, Unit* strip, bool first,
                             bool keep) noexcept {
    for (std::size_t i = 0; i < c.rows; i += Tile::kRows, strip += keep ? Tile::left_strip(a.columns) : 0) {
      const std::size_t rows = std::min(Tile::kRows, c.rows - i);
      const Operand left = a.block(i, 0, rows, a.columns);
      if (first && a.row_stride != 1) Tile::pack_left(left, strip);
      for (std::size_t j = 0, width = 0; j < c.columns; j += width) {
        const std::size_t cell = width_cell(c.columns - j);
        width = width_of(cell);
        const bool packs = first && j == 0 && a.row_stride == 1;
        micro(rows, cell, packs)(left, strip, b.block(0, j, b.rows, width), update,
                                 {&c(i, j), c.column_stride, rows, width});
      }
    }
  }

  template <std::size_t vectors, std::size_t columns>
  static void packed_micro(Operand left, Unit* packed, Operand right, Update update, TileOfC<Sum> c) noexcept {
    MicroKernel<Kernel, vectors, columns>::run(
        PackedLeft<Kernel>{packed}, RightInPlace<Kernel, columns>{right.data, right.row_stride, right.column_stride},
        left.columns, update, c);
  }
  // `edge`: the last vector's rows do not all exist.
  template <std::size_t vectors, std::size_t columns, bool edge>
  static void packing_micro(Operand left, Unit* packed, Operand right, Update update, TileOfC<Sum> c) noexcept {
    const std::size_t valid = c.rows - (vectors - 1) * Kernel::kWidth;
    MicroKernel<Kernel, vectors, columns>::run(
        PackingLeft<Kernel, edge>{left.data, left.column_stride, valid, packed},
        RightInPlace<Kernel, columns>{right.data, right.row_stride, right.column_stride}, left.columns, update, c);
  }

  // Tiles are as wide as they may be, then narrower by steps, then 2 and 1: twelve columns of each kind would take the
  // compiler half a minute.
  static constexpr std::size_t kBelowStep = std::bit_width(Kernel::kColumnStep) - 1;
  static constexpr std::size_t kWidths = kBelowStep + Tile::kColumns / Kernel::kColumnStep;
  static constexpr std::size_t width_of(std::size_t cell) noexcept {
    return cell < kBelowStep ? std::size_t{1} << cell : (cell - kBelowStep + 1) * Kernel::kColumnStep;
  }
  static constexpr std::size_t width_cell(std::size_t columns) noexcept {
    if (columns < Kernel::kColumnStep) return std::bit_width(columns) - 1;
    return kBelowStep + std::min(columns, Tile::kColumns) / Kernel::kColumnStep - 1;
  }

  // For each number of vectors, each width.
  template <std::size_t... i>
  static constexpr auto packed_table(std::index_sequence<i...> /*cells*/) noexcept {
    return std::array<Micro, sizeof...(i)>{packed_micro<i / kWidths + 1, width_of(i % kWidths)>...};
  }
  template <bool edge, std::size_t... i>
  static constexpr auto packing_table(std::index_sequence<i...> /*cells*/) noexcept {
    return std::array<Micro, sizeof...(i)>{packing_micro<i / kWidths + 1, width_of(i % kWidths), edge>...};
  }
  static Micro micro(std::size_t rows, std::size_t width, bool packs) noexcept {
    constexpr auto kCells = std::make_index_sequence<Kernel::kVectors * kWidths>{};
    static constexpr auto kPacked = packed_table(kCells);
    static constexpr auto kPacking = packing_table<false>(kCells);
    static constexpr auto kPackingEdge = packing_table<true>(kCells);
    const std::size_t cell = (rows - 1) / Kernel::kWidth * kWidths + width;
    if (!packs) return kPacked[cell];
    return rows % Kernel::kWidth == 0 ? kPacking[cell] : kPackingEdge[cell];
  }
};

// The loops, or in place.
template <class Kernel>
constexpr auto gemm_kernel_in_place() noexcept {
  auto kernel = gemm_kernel<VectorTile<Kernel>>();
  kernel.run = [](auto a, auto b, auto c, auto update, std::byte* workspace) noexcept {
    if (GemmInPlace<Kernel>::suits(a, b, c)) {
      GemmInPlace<Kernel>::run(a, b, c, update, reinterpret_cast<typename Kernel::Unit*>(workspace));
    } else {
      GemmLoops<VectorTile<Kernel>>::run(a, b, c, update, workspace);
    }
  };
  return kernel;
}

}  // namespace
}  // namespace boon::kernels
