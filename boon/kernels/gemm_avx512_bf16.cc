// Products of matrices of bf16 by the dot products of AVX-512 BF16.
#ifndef __clang__
// g++ 12 warns of its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_sums_avx512.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"
#include "boon/kernels/units_avx512.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,avx512bf16")
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_vector_tile.h"

namespace boon::kernels {
namespace {

struct Bf16Kernel : FloatSums512 {
  using Unit = std::uint32_t;
  using LeftSource = Bf16PairSource<Units512>;
  using RightSource = Bf16PairSource<Units512>;
  static Vector load(const std::uint32_t* units) noexcept { return _mm512_loadu_ps(units); }
  static Vector broadcast(const std::uint32_t* unit) noexcept {
    return _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(*unit)));
  }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
  }
};

}  // namespace

constinit const Bf16Gemm kAvx512DotBf16Gemm = gemm_kernel<VectorTile<Bf16Kernel>>();

}  // namespace boon::kernels
BOON_TARGET_END
