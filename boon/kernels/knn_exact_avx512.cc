// Exact distances in double with AVX-512: the eight sums are one register.
#ifndef __clang__
// g++ 12 warns of its own _mm512_cvtps_pd (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/knn_exact.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,f16c")
#include "boon/kernels/knn_exact_loop.h"

namespace boon::kernels {
namespace {

struct Lanes {
  using Sums = __m512d;
  static Sums zero() noexcept { return _mm512_setzero_pd(); }
  static Sums load(const double* p) noexcept { return _mm512_loadu_pd(p); }
  static Sums widen(const float* p) noexcept { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  static Sums widen(const std::uint8_t* p) noexcept {
    return _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Sums widen(const Fp16* p) noexcept {
    return _mm512_cvtps_pd(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Sums widen(const Bf16* p) noexcept {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16)));
  }
  static Sums broadcast(double x) noexcept { return _mm512_set1_pd(x); }
  static Sums add(Sums x, Sums y) noexcept { return _mm512_add_pd(x, y); }
  static Sums subtract(Sums x, Sums y) noexcept { return _mm512_sub_pd(x, y); }
  // Hidden from the compiler, which would fuse it with the sum that follows and so round once.
  static Sums multiply(Sums x, Sums y) noexcept {
    Sums product = _mm512_mul_pd(x, y);
    asm("" : "+v"(product));
    return product;
  }
  static void store(double* p, Sums x) noexcept { _mm512_storeu_pd(p, x); }
};

}  // namespace

constinit const ExactTable kExactAvx512 = KnnExactLoop<Lanes>::table();

}  // namespace boon::kernels
BOON_TARGET_END
