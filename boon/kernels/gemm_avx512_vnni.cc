// Products of matrices of bytes by the dot products of AVX-512 VNNI.
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

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")
#include "boon/kernels/gemm_loops.h"
#include "boon/kernels/gemm_vector_tile.h"

namespace boon::kernels {
namespace {

// The instruction takes unsigned bytes from one side: the right one's become x + 128, and sums start from the
// -128 * (sum of the left row) that this adds. It is written out, as g++ 12 keeps half of 24 sums on the stack.
struct Int8Kernel : IntSums512 {
  using LeftSource = BytesSource<Units512, 0>;
  using RightSource = BytesSource<Units512, 0x80>;
  static constexpr bool kBias = true;

  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(y), "v"(x));
    return sum;
  }
  static void put_bias(const std::uint32_t* units, std::size_t count, std::uint32_t* bias) noexcept {
    Vector sums[kVectors] = {};
    for (; count > 0; --count, units += kVectors * kWidth) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[v] = multiply_add(load(units + v * kWidth), _mm512_set1_epi8(-128), sums[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm512_storeu_si512(bias + v * kWidth, _mm512_sub_epi32(zero(), sums[v]));
    }
  }
};

}  // namespace

constinit const Int8Gemm kAvx512VnniInt8Gemm = gemm_kernel<VectorTile<Int8Kernel>>();

}  // namespace boon::kernels
BOON_TARGET_END
