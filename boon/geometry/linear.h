// Internal: the loops that the transforms are made of: sums of products, and the Walsh-Hadamard transform.
//
// Invariants
//  1. Bits don't depend on the instruction set: products are rounded before they are added (the module is compiled
//     without contraction to fused multiply-adds), and each sum is taken in the order of its terms. What a transform
//     makes of a vector can so be stored on one machine and searched on another.
//  2. Nothing past the end of a row is read or written.
#pragma once

#include <cstddef>

#include "boon/kernels/isa.h"

namespace boon::geometry {

struct LinearTable {
  // out[j] += sum over i < depth of a[i * a_step] * b[i * b_stride + j], for j < n, in the order of i.
  void (*add_products_f32)(const float* a, std::size_t a_step, std::size_t depth, const float* b, std::size_t b_stride,
                           float* out, std::size_t n) noexcept;
  void (*add_products_f64)(const double* a, std::size_t a_step, std::size_t depth, const double* b,
                           std::size_t b_stride, double* out, std::size_t n) noexcept;
  // A plane rotation of two rows: x becomes c x - s y, and y becomes s x + c y.
  void (*rotate_rows)(double* x, double* y, double c, double s, std::size_t n) noexcept;
  // The transform of n values in place, unscaled, n a power of two: butterflies of neighbours first. Intermediate
  // values are at most sqrt(n) times the vector's length.
  void (*hadamard)(float* values, std::size_t n) noexcept;
};

// For the instruction set in use (BOON_ISA). Throws what kernels::isa_in_use() throws.
const LinearTable& linear();

// For one set, which the processor must have; amx is avx512 here.
const LinearTable& linear(kernels::Isa isa) noexcept;

}  // namespace boon::geometry
