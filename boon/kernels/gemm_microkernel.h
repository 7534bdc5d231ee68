// Internal: the micro-kernels, one tile of C in registers while the depth runs. A file per instruction set defines a
// Kernel and includes this inside its target region.
//
// A Kernel has, for the elements of C: Vector, kWidth of them, zero(), reads(update), whether the old C counts,
// update<reads>(c, sums, update) and update_first<reads>(c, n, sums, update), which changes the first n only; for
// packed operands, whose units have four bytes each (one fp32, two bf16, four int8): load(units), broadcast(unit) and
// multiply_add(x, y, sums); the shape of the largest tile, kVectors by kColumns, and kColumnStep, by which tiles at the
// end of C are narrower; kBias, whether a strip of the left operand begins with what its sums start from.
#pragma once

#include <cstddef>

#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/target.h"

namespace boon::kernels {
namespace {

// The left operand, packed: kVectors vectors for each unit of depth.
template <class Kernel>
struct PackedLeft {
  static constexpr std::size_t kRows = Kernel::kVectors * Kernel::kWidth;
  const typename Kernel::Unit* units;

  typename Kernel::Vector start(std::size_t vector) noexcept {
    if constexpr (Kernel::kBias) return Kernel::load(units + vector * Kernel::kWidth);
    return Kernel::zero();
  }
  void begin() noexcept { units += Kernel::kBias ? kRows : 0; }
  typename Kernel::Vector load(std::size_t vector, bool /*last*/) const noexcept {
    return Kernel::load(units + vector * Kernel::kWidth);
  }
  void advance() noexcept { units += kRows; }
};

// The right operand, packed: kColumns units for each unit of depth.
template <class Kernel>
struct PackedRight {
  const typename Kernel::Unit* units;

  typename Kernel::Vector broadcast(std::size_t column) const noexcept { return Kernel::broadcast(units + column); }
  void advance() noexcept { units += Kernel::kColumns; }
};

// The left operand where it lies, its rows contiguous, packed as it is read. Of its last vector, if that has an edge,
// only the first `valid` may be read.
template <class Kernel, bool kEdge>
struct PackingLeft {
  static constexpr std::size_t kRows = Kernel::kVectors * Kernel::kWidth;
  const typename Kernel::Unit* units;
  std::size_t step;
  std::size_t valid;
  typename Kernel::Unit* packed;

  typename Kernel::Vector start(std::size_t /*vector*/) const noexcept { return Kernel::zero(); }
  void begin() const noexcept {}
  typename Kernel::Vector load(std::size_t vector, bool last) const noexcept {
    const auto* first = units + vector * Kernel::kWidth;
    const auto x = kEdge && last ? Kernel::load_first(first, valid) : Kernel::load(first);
    Kernel::store(packed + vector * Kernel::kWidth, x);
    return x;
  }
  void advance() noexcept {
    units += step;
    packed += kRows;
  }
};

// The right operand where it lies.
// Three columns share a pointer, so that each is reached from it by an index of one or two strides: twelve offsets
// would not fit the registers.
template <class Kernel, std::size_t columns>
struct RightInPlace {
  static constexpr std::size_t kPointers = (columns + 2) / 3;
  const typename Kernel::Unit* units[kPointers];
  std::size_t step;
  std::size_t column_stride;

  RightInPlace(const typename Kernel::Unit* first, std::size_t depth_stride, std::size_t stride) noexcept
      : step(depth_stride), column_stride(stride) {
    for (std::size_t i = 0; i < kPointers; ++i) units[i] = first + 3 * i * stride;
  }
  typename Kernel::Vector broadcast(std::size_t column) const noexcept {
    return Kernel::broadcast(units[column / 3] + column % 3 * column_stride);
  }
  void advance() noexcept {
    BOON_UNROLL(8)
    for (std::size_t i = 0; i < kPointers; ++i) {
      units[i] += step;
      // Or the compiler would replace the pointers by one, and twelve offsets that it keeps on the stack.
      asm("" : "+r"(units[i]));
    }
  }
};

template <class Kernel, std::size_t vectors, std::size_t columns>
struct MicroKernel {
  using Vector = typename Kernel::Vector;
  using Sum = typename Kernel::Sum;
  using Update = typename Kernel::Update;
  using Sums = Vector[columns][vectors];
  static constexpr std::size_t kWidth = Kernel::kWidth;

  // Each sum takes its products in the order of depth, whatever the tile's shape: an element of C has the same bits in
  // every tile that it may fall into.
  template <class Left, class Right>
  static void run(Left left, Right right, std::size_t depth, Update update, TileOfC<Sum> c) noexcept {
    Sums sums;
    BOON_UNROLL(16)
    for (std::size_t n = 0; n < columns; ++n) {
      BOON_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v) sums[n][v] = left.start(v);
    }
    prefetch(c);
    left.begin();
    for (; depth > 0; --depth) step(sums, left, right);
    if (Kernel::reads(update)) {
      store<true>(sums, update, c);
    } else {
      store<false>(sums, update, c);
    }
  }

 private:
  template <class Left, class Right>
  static void step(Sums& sums, Left& left, Right& right) noexcept {
    Vector x[vectors];
    BOON_UNROLL(4)
    for (std::size_t v = 0; v < vectors; ++v) x[v] = left.load(v, v + 1 == vectors);
    BOON_UNROLL(16)
    for (std::size_t n = 0; n < columns; ++n) {
      const Vector y = right.broadcast(n);
      BOON_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v) sums[n][v] = Kernel::multiply_add(x[v], y, sums[n][v]);
    }
    left.advance();
    right.advance();
  }

  static void prefetch(const TileOfC<Sum>& c) noexcept {
    for (std::size_t n = 0; n < c.columns; ++n) {
      BOON_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v) __builtin_prefetch(c.data + n * c.column_stride + v * kWidth, 1);
    }
  }

  template <bool reads>
  static void store(const Sums& sums, Update update, const TileOfC<Sum>& c) noexcept {
    const std::size_t last = c.rows - (vectors - 1) * kWidth;  // rows of the last vector
    Sum* column = c.data;
    BOON_UNROLL(16)
    for (std::size_t n = 0; n < columns; ++n, column += c.column_stride) {
      if (n >= c.columns) return;
      BOON_UNROLL(4)
      for (std::size_t v = 0; v + 1 < vectors; ++v) {
        Kernel::template update<reads>(column + v * kWidth, sums[n][v], update);
      }
      Sum* end = column + (vectors - 1) * kWidth;
      if (last == kWidth) {
        Kernel::template update<reads>(end, sums[n][vectors - 1], update);
      } else {
        Kernel::template update_first<reads>(end, last, sums[n][vectors - 1], update);
      }
    }
  }
};

}  // namespace
}  // namespace boon::kernels
