// Internal: packing at speed. What lies where is said in gemm_layout.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_sources.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"

namespace boon::kernels {
namespace {

template <class Source, std::size_t kStrip>
struct StripPacker {
  using Element = typename Source::Element;
  using Unit = typename Source::Unit;
  using From = Matrix<const Element>;
  static constexpr std::size_t kWidth = Source::kWidth;
  static constexpr std::size_t kDepth = Source::kDepth;
  // A vector that reaches over the strip's end is overwritten by the next unit of depth, so there may be one only.
  static_assert(kStrip % kWidth == 0 || kStrip < kWidth);

  // Packs the first kStrip rows of `from`, or those that there are; the others become 0. Columns are depth.
  static void pack(From from, Unit* to) noexcept {
    if (from.row_stride == 1) {
      across_rows(from, to);
    } else if (from.column_stride == 1) {
      along_rows(from, to);
    } else {
      one_by_one(from, to);
    }
  }

 private:
  // A vector of rows at a time.
  static void across_rows(From from, Unit* to) noexcept {
    constexpr std::size_t kReach = kStrip < kWidth ? kWidth : kStrip;
    const Element* at = from.data;
    std::size_t k = 0;
    for (; k + kDepth <= from.columns; k += kDepth, at += kDepth * from.column_stride, to += kStrip) {
      if (from.rows >= kReach) {
        BOON_UNROLL(4)
        for (std::size_t i = 0; i < kStrip; i += kWidth) Source::across(at + i, from.column_stride, to + i);
      } else {
        for (std::size_t i = 0; i < kStrip; i += kWidth) {
          const std::size_t rows = i < from.rows ? from.rows - i : 0;
          if (rows >= kWidth) {
            Source::across(at + i, from.column_stride, to + i);
          } else {
            across_first(at + i, rows, from.column_stride, to + i);
          }
        }
      }
    }
    if (k < from.columns) one_by_one(from.block(0, k, from.rows, from.columns - k), to);
  }

  // Of the vector's rows only the first `rows` exist, fewer than it has.
  static void across_first(const Element* at, std::size_t rows, std::size_t step, Unit* to) noexcept {
    // Of each depth a whole vector is stored; the next depth, or nothing, comes where it is too long.
    alignas(64) Element elements[kDepth * kWidth + sizeof(typename Source::Units)];
    for (std::size_t depth = 0; depth < kDepth; ++depth) {
      Source::store(elements + depth * kWidth, Source::load_first(at + depth * step, rows * sizeof(Element)));
    }
    Source::across(elements, kWidth, to);
  }

  // kWidth rows by kWidth units at a time, transposed in registers.
  static void along_rows(From from, Unit* to) noexcept {
    for (std::size_t i = 0; i < kStrip; i += kWidth) {
      const Element* at = from.data + i * from.row_stride;
      const std::size_t rows = i < from.rows ? from.rows - i : 0;
      std::size_t k = 0;
      if (rows >= kRowsOfBlock) {
        for (; k + kWidth * kDepth <= from.columns; k += kWidth * kDepth) {
          typename Source::Units block[kWidth];
          BOON_UNROLL(16)
          for (std::size_t row = 0; row < kWidth; ++row) {
            block[row] = row < kRowsOfBlock ? Source::along(at + row * from.row_stride + k) : Source::zero();
          }
          put_transposed(block, kWidth, to + k / kDepth * kStrip + i);
        }
      }
      for (; k < from.columns; k += kWidth * kDepth) {
        const std::size_t elements = std::min(kWidth * kDepth, from.columns - k);
        typename Source::Units block[kWidth];
        for (std::size_t row = 0; row < kWidth; ++row) {
          const Element* first = at + row * from.row_stride + k;
          block[row] = row >= rows                   ? Source::zero()
                       : elements == kWidth * kDepth ? Source::along(first)
                                                     : Source::along_first(first, elements);
        }
        put_transposed(block, (elements + kDepth - 1) / kDepth, to + k / kDepth * kStrip + i);
      }
    }
  }

  static constexpr std::size_t kRowsOfBlock = std::min(kWidth, kStrip);

  static void put_transposed(typename Source::Units (&block)[kWidth], std::size_t units, Unit* to) noexcept {
    Source::transpose(block);
    if (units == kWidth) {
      BOON_UNROLL(16)
      for (std::size_t unit = 0; unit < kWidth; ++unit) Source::store(to + unit * kStrip, block[unit]);
    } else {
      for (std::size_t unit = 0; unit < units; ++unit) Source::store(to + unit * kStrip, block[unit]);
    }
  }

  static void one_by_one(From from, Unit* to) noexcept {
    using Packed = decltype(Source::packed(Element{}));
    pack_by_layout<kStrip, kDepth>(from, reinterpret_cast<Packed*>(to), Source::packed);
  }
};

}  // namespace
}  // namespace boon::kernels
