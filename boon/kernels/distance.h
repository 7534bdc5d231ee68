// Distances between vectors of fp32, and to rows of fp16, bf16, or bytes that stand for whole numbers from 0 to 255;
// one table of functions per instruction set.
//
// The table is picked once, at first use: the best the processor has, or the one BOON_ISA names
// (scalar, avx2 or avx512; amx is avx512 here). Vectors need no alignment. A row's value does not depend on how it is
// asked for: alone, in a gather or in a run of rows, the result has the same bits. l2(a, b) == l2(b, a) and dot(a, b)
// == dot(b, a) to the bit. A row of another element gives a query of floats the bits that the same row of floats would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "boon/kernels/bf16.h"
#include "boon/kernels/fp16.h"
#include "boon/kernels/isa.h"

namespace boon::kernels {

// Distances of a query of floats to rows of another element; as below, and strides count elements.
template <class Element>
struct RowDistances {
  void (*l2_gather)(const float* query, std::size_t dim, const Element* base, std::size_t stride,
                    const std::uint32_t* ids, std::size_t count, float* out) noexcept;
  void (*dot_gather)(const float* query, std::size_t dim, const Element* base, std::size_t stride,
                     const std::uint32_t* ids, std::size_t count, float* out) noexcept;
  void (*l2_rows)(const float* query, std::size_t dim, const Element* base, std::size_t stride, std::size_t count,
                  float* out) noexcept;
  void (*dot_rows)(const float* query, std::size_t dim, const Element* base, std::size_t stride, std::size_t count,
                   float* out) noexcept;
  // Writes a row's components as floats.
  void (*widen)(const Element* row, std::size_t dim, float* out) noexcept;
};

struct DistanceTable {
  Isa isa;
  std::string_view name;

  // Sum of squared differences, and inner product, of two vectors of `dim` floats, accumulated in fp32.
  float (*l2)(const float* a, const float* b, std::size_t dim) noexcept;
  float (*dot)(const float* a, const float* b, std::size_t dim) noexcept;

  // out[i] = distance(query, base + ids[i] * stride); strides count floats. Prefetches the rows to come.
  void (*l2_gather)(const float* query, std::size_t dim, const float* base, std::size_t stride,
                    const std::uint32_t* ids, std::size_t count, float* out) noexcept;
  void (*dot_gather)(const float* query, std::size_t dim, const float* base, std::size_t stride,
                     const std::uint32_t* ids, std::size_t count, float* out) noexcept;

  // out[i] = distance(query, base + i * stride), for i < count.
  void (*l2_rows)(const float* query, std::size_t dim, const float* base, std::size_t stride, std::size_t count,
                  float* out) noexcept;
  void (*dot_rows)(const float* query, std::size_t dim, const float* base, std::size_t stride, std::size_t count,
                   float* out) noexcept;

  // The same with rows of bytes; strides count bytes. Two vectors of bytes are summed in whole numbers, mod 2^32 (so of
  // up to 66,051 components), and rounded to fp32 once.
  float (*l2_u8)(const std::uint8_t* a, const std::uint8_t* b, std::size_t dim) noexcept;
  void (*l2_u8_gather)(const std::uint8_t* query, std::size_t dim, const std::uint8_t* base, std::size_t stride,
                       const std::uint32_t* ids, std::size_t count, float* out) noexcept;
  void (*l2_u8_rows)(const std::uint8_t* query, std::size_t dim, const std::uint8_t* base, std::size_t stride,
                     std::size_t count, float* out) noexcept;
  void (*l2_f32_u8_gather)(const float* query, std::size_t dim, const std::uint8_t* base, std::size_t stride,
                           const std::uint32_t* ids, std::size_t count, float* out) noexcept;
  void (*l2_f32_u8_rows)(const float* query, std::size_t dim, const std::uint8_t* base, std::size_t stride,
                         std::size_t count, float* out) noexcept;

  RowDistances<Fp16> fp16;
  RowDistances<Bf16> bf16;

  // Index of the first value that is NaN or infinite; `count` if there is none.
  std::size_t (*first_not_finite)(const float* values, std::size_t count) noexcept;

  // Sum of the values: the plain read that the kernels' bandwidth is compared with.
  float (*sum)(const float* values, std::size_t count) noexcept;
};

// The table's distances of floats to rows of an element. There are no inner products with bytes, and only halves are
// widened.
template <class Element>
RowDistances<Element> row_distances(const DistanceTable& table) noexcept {
  if constexpr (std::is_same_v<Element, float>) {
    return {table.l2_gather, table.dot_gather, table.l2_rows, table.dot_rows, nullptr};
  } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
    return {table.l2_f32_u8_gather, nullptr, table.l2_f32_u8_rows, nullptr, nullptr};
  } else if constexpr (std::is_same_v<Element, Fp16>) {
    return table.fp16;
  } else {
    return table.bf16;
  }
}

// The table in use. Throws Error{invalid_argument} if BOON_ISA names no instruction set, and Error{unsupported} if it
// names one that this processor lacks.
const DistanceTable& distances();

// The table of one instruction set, or null where the processor lacks it.
const DistanceTable* distances(Isa isa) noexcept;

}  // namespace boon::kernels
