// Internal: the product of two matrices as BLIS arranges it (Van Zee and van de Geijn, ACM TOMS 41(3), 2015): five
// loops around a micro-kernel, so that each packed piece stays in the cache from which it is read.
//
//   columns of C, kColumnsBlock at a time
//     depth, kDepthBlock units at a time: the right operand is packed, and stays in L3
//       rows of C, kRowsBlock at a time: the left operand is packed, and stays in L2
//         strips of kColumns: one of the right operand stays in L1
//           strips of kRows: the micro-kernel
//
// Tile has the types Element, Unit, Sum and Update; the extents of a tile of C and of the blocks; kDepth, the elements
// of a unit; kUnitsMultiple, of which the units of a packed depth are a multiple; how many units a strip takes; how one
// is packed, of which the rest is 0 where the matrix ends; State, which lives on the thread for as long as the loops
// run; and multiply(), the micro-kernel, for a tile of C of which the rows are contiguous.
#pragma once

#include <algorithm>
#include <cstddef>

#include "boon/kernels/gemm_ahead.h"
#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t unit) noexcept {
  return (n + unit - 1) / unit * unit;
}

// The size of equal pieces, multiples of `unit`, of which none is above `limit` and as few as possible make `n`.
constexpr std::size_t even_piece(std::size_t n, std::size_t limit, std::size_t unit) noexcept {
  const std::size_t pieces = (n + limit - 1) / limit;
  return round_up((n + pieces - 1) / pieces, unit);
}

// A tile of C: `rows` by `columns`, its rows contiguous.
template <class Sum>
struct TileOfC {
  Sum* data;
  std::size_t column_stride;
  std::size_t rows;
  std::size_t columns;
};

template <class Tile>
struct GemmLoops {
  using Unit = typename Tile::Unit;
  using Sum = typename Tile::Sum;
  using Update = typename Tile::Update;
  using Operand = Matrix<const typename Tile::Element>;
  using C = Matrix<Sum>;

  // Extents of the blocks of one product. That of the depth follows from the depth alone: an element of C has the same
  // bits when only a part of C is computed.
  struct Blocks {
    std::size_t rows, columns, units;

    static Blocks of(std::size_t rows, std::size_t columns, std::size_t depth) noexcept {
      return {even_piece(rows, Tile::kRowsBlock, Tile::kRows), even_piece(columns, Tile::kColumnsBlock, Tile::kColumns),
              even_piece((depth + Tile::kDepth - 1) / Tile::kDepth, Tile::kDepthBlock, Tile::kUnitsMultiple)};
    }
    // Of the workspace; each part begins on a cache line.
    std::size_t left_units() const noexcept { return padded(rows / Tile::kRows * Tile::left_strip(units)); }
    std::size_t right_units() const noexcept { return padded(columns / Tile::kColumns * Tile::right_strip(units)); }

   private:
    static std::size_t padded(std::size_t n) noexcept { return round_up(n + kPackSlack, 16); }
  };

  static std::size_t workspace_bytes(std::size_t rows, std::size_t columns, std::size_t depth) noexcept {
    const Blocks blocks = Blocks::of(rows, columns, depth);
    return (blocks.left_units() + blocks.right_units()) * sizeof(Unit);
  }

  static void run(Operand a, Operand b, C c, Update update, std::byte* workspace) noexcept {
    const Blocks blocks = Blocks::of(c.rows, c.columns, a.columns);
    const std::size_t depth_block = blocks.units * Tile::kDepth;
    auto* left = reinterpret_cast<Unit*>(workspace);
    Unit* right = left + blocks.left_units();
    typename Tile::State state;

    for (std::size_t j = 0; j < c.columns; j += blocks.columns) {
      const std::size_t columns = std::min(blocks.columns, c.columns - j);
      for (std::size_t p = 0; p < a.columns; p += depth_block) {
        const std::size_t depth = std::min(depth_block, a.columns - p);
        const std::size_t units = round_up((depth + Tile::kDepth - 1) / Tile::kDepth, Tile::kUnitsMultiple);
        const Update now = p == 0 ? update : Tile::next(update);
        pack<Tile::kColumns>(b.block(p, j, depth, columns).transposed(), right, Tile::right_strip(units),
                             Tile::pack_right);
        for (std::size_t i = 0; i < c.rows; i += blocks.rows) {
          const std::size_t rows = std::min(blocks.rows, c.rows - i);
          pack<Tile::kRows>(a.block(i, p, rows, depth), left, Tile::left_strip(units), Tile::pack_left);
          Ahead next = next_blocks(blocks, a, b, {i, j, p, rows, columns, depth});
          multiply_block(state, left, right, units, now, c.block(i, j, rows, columns), next);
        }
      }
    }
  }

 private:
  template <std::size_t kStrip, class PackStrip>
  static void pack(Operand from, Unit* to, std::size_t strip_units, PackStrip pack_strip) noexcept {
    for (std::size_t i = 0; i < from.rows; i += kStrip, to += strip_units) {
      pack_strip(from.block(i, 0, from.rows - i, from.columns), to);
    }
  }

  static void multiply_block(typename Tile::State& state, const Unit* left, const Unit* right, std::size_t units,
                             Update update, C c, Ahead& next) noexcept {
    for (std::size_t j = 0; j < c.columns; j += Tile::kColumns, right += Tile::right_strip(units)) {
      const std::size_t columns = std::min(Tile::kColumns, c.columns - j);
      const Unit* strip = left;
      for (std::size_t i = 0; i < c.rows; i += Tile::kRows, strip += Tile::left_strip(units)) {
        const std::size_t rows = std::min(Tile::kRows, c.rows - i);
        next.step();
        multiply_tile(state, strip, right, units, update, c.block(i, j, rows, columns));
      }
    }
  }

  // A tile whose rows are not contiguous is computed in a copy.
  static void multiply_tile(typename Tile::State& state, const Unit* left, const Unit* right, std::size_t units,
                            Update update, C c) noexcept {
    if (c.row_stride == 1) {
      Tile::multiply(state, left, right, units, update, {c.data, c.column_stride, c.rows, c.columns});
      return;
    }
    alignas(64) Sum copy[Tile::kRows * Tile::kColumns];
    for (std::size_t j = 0; j < c.columns && Tile::reads(update); ++j) {
      for (std::size_t i = 0; i < c.rows; ++i) copy[j * Tile::kRows + i] = c(i, j);
    }
    Tile::multiply(state, left, right, units, update, {copy, Tile::kRows, c.rows, c.columns});
    for (std::size_t j = 0; j < c.columns; ++j) {
      for (std::size_t i = 0; i < c.rows; ++i) c(i, j) = copy[j * Tile::kRows + i];
    }
  }

  struct Place {
    std::size_t i, j, p, rows, columns, depth;
  };
  // What will be packed next: the rows of A below; at the last ones, the first rows at the next depth. Of B's next
  // depth each block of rows fetches its share.
  static Ahead next_blocks(const Blocks& blocks, Operand a, Operand b, Place at) noexcept {
    Ahead next(round_up(at.rows, Tile::kRows) / Tile::kRows * (round_up(at.columns, Tile::kColumns) / Tile::kColumns));
    const std::size_t below = at.i + at.rows, deeper = at.p + at.depth;
    const std::size_t depth = std::min(blocks.units * Tile::kDepth, a.columns - deeper);
    if (below < a.rows) {
      next.add(a.block(below, at.p, std::min(blocks.rows, a.rows - below), at.depth));
    } else if (depth > 0) {
      next.add(a.block(0, deeper, std::min(blocks.rows, a.rows), depth));
    }
    if (depth > 0) {
      const std::size_t begin = at.columns * at.i / a.rows, end = at.columns * below / a.rows;
      next.add(b.block(deeper, at.j + begin, depth, end - begin));
    }
    return next;
  }
};

template <class Tile>
constexpr auto gemm_kernel() noexcept {
  using Loops = GemmLoops<Tile>;
  return GemmKernel<typename Tile::Element, typename Tile::Sum, typename Tile::Update>{
      Loops::run, Loops::workspace_bytes, Tile::kRows, Tile::kColumns};
}

}  // namespace
}  // namespace boon::kernels
