// Internal: products too small to gain by packing. The right operand is read where it lies; of the left one too, if its
// rows are contiguous, and else a strip at a time is packed.
#pragma once

#include <algorithm>
#include <array>
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
  using Unit = typename Kernel::Unit;
  using Sum = typename Kernel::Sum;
  using Update = typename Kernel::Update;
  using Operand = Matrix<const Unit>;
  static constexpr std::size_t kRows = Tile::kRows;
  static constexpr std::size_t kColumns = Tile::kColumns;

  // Read in place, cache lines and pages are half used: beyond what L2 holds, packing gains. A depth of more than one
  // block would be summed in another order.
  static bool suits(Operand a, Operand b, Matrix<Sum> c) noexcept {
    return c.row_stride == 1 && a.columns <= Kernel::kDepthBlock &&
           a.rows * a.columns + b.rows * b.columns <= Kernel::kInPlaceMax;
  }

  static void run(Operand a, Operand b, Matrix<Sum> c, Update update, Unit* workspace) noexcept {
    for (std::size_t i = 0; i < c.rows; i += kRows) {
      const std::size_t rows = std::min(kRows, c.rows - i);
      Operand left = a.block(i, 0, rows, a.columns);
      const bool packed = a.row_stride != 1;
      if (packed) {
        Tile::pack_left(left, workspace);
        left = column_major<const Unit>(workspace, rows, a.columns, kRows);
      }
      for (std::size_t j = 0; j < c.columns; j += kColumns) {
        const std::size_t columns = std::min(kColumns, c.columns - j);
        micro(rows, columns, packed)(left, b.block(0, j, b.rows, columns), update,
                                     {&c(i, j), c.column_stride, rows, columns});
      }
    }
  }

 private:
  using Micro = void (*)(Operand left, Operand right, Update update, TileOfC<Sum> c) noexcept;

  // `edge`: the last vector's rows do not all exist.
  template <std::size_t vectors, std::size_t columns, bool edge>
  static void in_place_micro(Operand left, Operand right, Update update, TileOfC<Sum> c) noexcept {
    const std::size_t valid = c.rows - (vectors - 1) * Kernel::kWidth;
    MicroKernel<Kernel, vectors, columns>::run(
        LeftInPlace<Kernel, edge>{left.data, left.column_stride, valid},
        RightInPlace<Kernel, columns>{right.data, right.row_stride, right.column_stride}, left.columns, update, c);
  }

  // For each number of vectors, each number of columns.
  template <bool edge, std::size_t... i>
  static constexpr auto micro_table(std::index_sequence<i...> /*cells*/) noexcept {
    return std::array<Micro, sizeof...(i)>{in_place_micro<i / kColumns + 1, i % kColumns + 1, edge>...};
  }
  static Micro micro(std::size_t rows, std::size_t columns, bool packed) noexcept {
    static constexpr auto kWhole = micro_table<false>(std::make_index_sequence<Kernel::kVectors * kColumns>{});
    static constexpr auto kEdge = micro_table<true>(std::make_index_sequence<Kernel::kVectors * kColumns>{});
    const std::size_t cell = (rows - 1) / Kernel::kWidth * kColumns + columns - 1;
    return packed || rows % Kernel::kWidth == 0 ? kWhole[cell] : kEdge[cell];
  }
};

// The loops, and small products in place.
template <class Kernel>
constexpr auto small_in_place() noexcept {
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
