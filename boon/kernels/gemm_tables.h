// Internal: what gemm.cc calls. Only what the processor can run may be called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boon/kernels/bf16.h"
#include "boon/kernels/gemm.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {

// One thread's product C = A * B under `update`; none of its extents is 0. Of C's two strides the row's is 1, if one of
// them is. `workspace` begins on 64 bytes and holds workspace_bytes(rows, columns, depth).
template <class T, class SumT, class UpdateT>
struct GemmKernel {
  using Element = T;
  using Sum = SumT;
  using Update = UpdateT;

  void (*run)(Matrix<const T> a, Matrix<const T> b, Matrix<Sum> c, Update update, std::byte* workspace) noexcept;
  std::size_t (*workspace_bytes)(std::size_t rows, std::size_t columns, std::size_t depth) noexcept;
  // Pieces of C that threads take are multiples of these, but at its ends.
  std::size_t rows_a_tile;
  std::size_t columns_a_tile;
};

using Fp32Gemm = GemmKernel<float, float, GemmScale>;
using Bf16Gemm = GemmKernel<Bf16, float, GemmScale>;
using Int8Gemm = GemmKernel<std::int8_t, std::int32_t, GemmAdd>;

extern const Fp32Gemm kScalarFp32Gemm, kAvx2Fp32Gemm, kAvx512Fp32Gemm;
// Bytes as 16-bit words, and by the dot products of VNNI.
extern const Int8Gemm kScalarInt8Gemm, kAvx2Int8Gemm, kAvxVnniInt8Gemm, kAvx512Int8Gemm, kAvx512VnniInt8Gemm,
    kAmxInt8Gemm;
// bf16 as fp32, and by dot products.
extern const Bf16Gemm kScalarBf16Gemm, kAvx2Bf16Gemm, kAvx512Bf16Gemm, kAvx512DotBf16Gemm, kAmxBf16Gemm;

}  // namespace boon::kernels
