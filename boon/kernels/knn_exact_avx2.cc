// Exact distances in double with AVX2: the eight sums are two registers.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/knn_exact.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,f16c")
#include "boon/kernels/knn_exact_loop.h"

namespace boon::kernels {
namespace {

struct Lanes {
  struct Sums {
    __m256d low, high;
  };
  static Sums zero() noexcept { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Sums load(const double* p) noexcept { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static Sums widen(const float* p) noexcept {
    return {_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))};
  }
  static Sums widen(const std::uint8_t* p) noexcept {
    const __m256i words = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(words)), _mm256_cvtepi32_pd(_mm256_extracti128_si256(words, 1))};
  }
  static Sums widen(const Fp16* p) noexcept {
    return widen(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Sums widen(const Bf16* p) noexcept {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return widen(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16)));
  }
  static Sums widen(__m256 x) noexcept {
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
  }
  static Sums broadcast(double x) noexcept { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static Sums add(Sums x, Sums y) noexcept { return {_mm256_add_pd(x.low, y.low), _mm256_add_pd(x.high, y.high)}; }
  static Sums subtract(Sums x, Sums y) noexcept { return {_mm256_sub_pd(x.low, y.low), _mm256_sub_pd(x.high, y.high)}; }
  // Hidden from the compiler, which with -march=native would fuse it with the sum that follows and so round once.
  static Sums multiply(Sums x, Sums y) noexcept {
    Sums product{_mm256_mul_pd(x.low, y.low), _mm256_mul_pd(x.high, y.high)};
    asm("" : "+x"(product.low), "+x"(product.high));
    return product;
  }
  static void store(double* p, Sums x) noexcept {
    _mm256_storeu_pd(p, x.low);
    _mm256_storeu_pd(p + 4, x.high);
  }
};

}  // namespace

constinit const ExactTable kExactAvx2 = KnnExactLoop<Lanes>::table();

}  // namespace boon::kernels
BOON_TARGET_END
