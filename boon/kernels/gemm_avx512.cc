// Products of matrices with AVX-512: fp32, bf16 widened to fp32, and bytes widened to 16 bits.
#ifndef __clang__
// g++ 12 warns of its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_sums_avx512.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"
#include "boon/kernels/units_avx512.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/kernels/gemm_in_place.h"
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_vector_tile.h"

namespace boon::kernels {
namespace {

struct FloatProducts : FloatSums512 {
  using Unit = float;
  static Vector load(const float* p) noexcept { return _mm512_loadu_ps(p); }
  static Vector load_first(const float* p, std::size_t n) noexcept { return _mm512_maskz_loadu_ps(first(n), p); }
  static void store(float* p, Vector x) noexcept { _mm512_storeu_ps(p, x); }
  static Vector broadcast(const float* p) noexcept { return _mm512_set1_ps(*p); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm512_fmadd_ps(x, y, sum); }
};

struct Fp32Kernel : FloatProducts {
  using LeftSource = FloatSource<Units512>;
  using RightSource = FloatSource<Units512>;
};

struct Bf16Kernel : FloatProducts {
  using LeftSource = WideBf16Source<Units512>;
  using RightSource = WideBf16Source<Units512>;
};

struct Int8Kernel : IntSums512 {
  using LeftSource = WordPairSource<Units512>;
  using RightSource = WordPairSource<Units512>;
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
  }
};

}  // namespace

constinit const Fp32Gemm kAvx512Fp32Gemm = gemm_kernel_in_place<Fp32Kernel>();
constinit const Bf16Gemm kAvx512Bf16Gemm = gemm_kernel<VectorTile<Bf16Kernel>>();
constinit const Int8Gemm kAvx512Int8Gemm = gemm_kernel<VectorTile<Int8Kernel>>();

}  // namespace boon::kernels
BOON_TARGET_END
