// Products of matrices with AVX2: fp32, bf16 widened to fp32, bytes widened to 16 bits, and bytes by AVX-VNNI.
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
#include <cstring>
#include <utility>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_sums_avx2.h"
#include "boon/kernels/gemm_tables.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"
#include "boon/kernels/units_avx2.h"

BOON_TARGET_BEGIN("avx2,fma")
#include "boon/kernels/gemm_in_place.h"
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_vector_tile.h"

namespace boon::kernels {
namespace {

struct Fp32Kernel : FloatSums256 {
  using LeftSource = FloatSource<Units256>;
  using RightSource = FloatSource<Units256>;
};

struct Bf16Kernel : FloatSums256 {
  using LeftSource = WideBf16Source<Units256>;
  using RightSource = WideBf16Source<Units256>;
};

struct Int8Kernel : IntSums256 {
  using LeftSource = WordPairSource<Units256>;
  using RightSource = WordPairSource<Units256>;
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
  }
};

// As in gemm_avx512_vnni.cc.
struct VnniKernel : IntSums256 {
  using LeftSource = BytesSource<Units256, 0>;
  using RightSource = BytesSource<Units256, 0x80>;
  static constexpr bool kBias = true;

  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(y), "x"(x));
    return sum;
  }
  static void put_bias(const std::uint32_t* units, std::size_t count, std::uint32_t* bias) noexcept {
    Vector sums[kVectors] = {};
    for (; count > 0; --count, units += kVectors * kWidth) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[v] = multiply_add(load(units + v * kWidth), _mm256_set1_epi8(-128), sums[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      Units256::store(bias + v * kWidth, _mm256_sub_epi32(zero(), sums[v]));
    }
  }
};

}  // namespace

constinit const Fp32Gemm kAvx2Fp32Gemm = gemm_kernel_in_place<Fp32Kernel>();
constinit const Bf16Gemm kAvx2Bf16Gemm = gemm_kernel<VectorTile<Bf16Kernel>>();
constinit const Int8Gemm kAvx2Int8Gemm = gemm_kernel<VectorTile<Int8Kernel>>();
constinit const Int8Gemm kAvxVnniInt8Gemm = gemm_kernel<VectorTile<VnniKernel>>();

}  // namespace boon::kernels
BOON_TARGET_END
