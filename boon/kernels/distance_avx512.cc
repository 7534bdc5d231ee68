// Distances with AVX-512: sixteen floats a vector, tails under a mask register.
#ifndef __clang__
// g++ 12 warns of its own _mm512_castps512_ps256 and _mm512_extractf32x8_ps (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/distance.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/kernels/simd_distance.h"

namespace boon::kernels {
namespace {

struct Lanes {
  using Vector = __m512;
  static constexpr std::size_t kWidth = 16;

  static Vector zero() noexcept { return _mm512_setzero_ps(); }
  static void store(float* p, Vector x) noexcept { _mm512_storeu_ps(p, x); }
  static Vector load(const float* p) noexcept { return _mm512_loadu_ps(p); }
  static Vector load_first(const float* p, std::size_t n) noexcept {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
  }
  static Vector load(const std::uint8_t* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Vector load_first(const std::uint8_t* p, std::size_t n) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << n) - 1), p)));
  }
  static Vector load(const Fp16* p) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Vector load_first(const Fp16* p, std::size_t n) noexcept { return _mm512_cvtph_ps(load_halves(p, n)); }
  static Vector load(const Bf16* p) noexcept {
    return of_bf16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Vector load_first(const Bf16* p, std::size_t n) noexcept { return of_bf16(load_halves(p, n)); }
  static Vector of_bf16(__m256i halves) noexcept {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
  }
  static __m256i load_halves(const void* p, std::size_t n) noexcept {
    return _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << n) - 1), p);
  }
  static Vector add(Vector x, Vector y) noexcept { return _mm512_add_ps(x, y); }
  static Vector subtract(Vector x, Vector y) noexcept { return _mm512_sub_ps(x, y); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm512_fmadd_ps(x, y, sum); }
  static __m128 halve_to_4(Vector v) noexcept {
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  // An exponent of all ones is an infinity or a NaN.
  static std::uint32_t not_finite(Vector v) noexcept {
    const __m512i exponent = _mm512_set1_epi32(0x7f800000);
    return _mm512_cmpeq_epi32_mask(_mm512_and_si512(_mm512_castps_si512(v), exponent), exponent);
  }

  using Words = __m512i;
  static constexpr std::size_t kWords = 32;
  static Words zero_words() noexcept { return _mm512_setzero_si512(); }
  static Words load_words(const std::uint8_t* p) noexcept {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Words load_first_words(const std::uint8_t* p, std::size_t n) noexcept {
    return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8((1u << n) - 1, p));
  }
  static Words add_words(Words x, Words y) noexcept { return _mm512_add_epi32(x, y); }
  static Words add_square_of_difference(Words sum, Words x, Words y) noexcept {
    const Words difference = _mm512_sub_epi16(x, y);
    return _mm512_add_epi32(sum, _mm512_madd_epi16(difference, difference));
  }
  static __m128i halve_words_to_4(Words v) noexcept {
    const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }
};

}  // namespace

constinit const DistanceTable kAvx512Table = SimdDistance<Lanes>::table(Isa::avx512, "avx512");

}  // namespace boon::kernels
BOON_TARGET_END
