// Internal: sixteen lanes of AVX-512 for the loops of exact search, in a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/element.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")

namespace boon::kernels {
namespace {

struct KnnLanesAvx512 {
  static constexpr std::size_t kLanes = 16;
  static constexpr std::uint32_t kAllSigns = 0xffff;
  // 24 sums, two vectors of rows and one of a query, of 32 registers.
  static constexpr std::size_t kQueries = 12;

  using Float = __m512;
  static Float zero() noexcept { return _mm512_setzero_ps(); }
  static Float load(const float* p) noexcept { return _mm512_loadu_ps(p); }
  static void store(float* p, Float x) noexcept { _mm512_storeu_ps(p, x); }
  static Float broadcast(const float* p) noexcept { return _mm512_set1_ps(*p); }
  static Float widen(const float* p) noexcept { return load(p); }
  static Float widen(const std::uint8_t* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Float widen(const Fp16* p) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Float widen(const Bf16* p) noexcept {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
  }
  // Hidden from the compiler, which would fuse it with a sum that follows and so round once.
  static Float multiply(Float x, Float y) noexcept {
    Float product = _mm512_mul_ps(x, y);
    asm("" : "+v"(product));
    return product;
  }
  // By pairs, by fours, then fours of lanes as they are.
  static void transpose(Float (&v)[kLanes]) noexcept {
    Float w[kLanes];
    BOON_UNROLL(8)
    for (std::size_t i = 0; i < 16; i += 2) {
      w[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
      w[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    // v[4 g + j]: in each quarter c, column 4 c + j of rows 4 g to 4 g + 3.
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 16; i += 4) {
      const auto pair = [&](std::size_t j) { return _mm512_castps_pd(w[i + j]); };
      v[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(pair(0), pair(2)));
      v[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(pair(0), pair(2)));
      v[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(pair(1), pair(3)));
      v[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(pair(1), pair(3)));
    }
    BOON_UNROLL(4)
    for (std::size_t j = 0; j < 4; ++j) {
      w[j] = _mm512_shuffle_f32x4(v[j], v[4 + j], 0x44);      // quarters 0 and 1
      w[4 + j] = _mm512_shuffle_f32x4(v[j], v[4 + j], 0xee);  // 2 and 3
      w[8 + j] = _mm512_shuffle_f32x4(v[8 + j], v[12 + j], 0x44);
      w[12 + j] = _mm512_shuffle_f32x4(v[8 + j], v[12 + j], 0xee);
    }
    BOON_UNROLL(4)
    for (std::size_t j = 0; j < 4; ++j) {
      v[j] = _mm512_shuffle_f32x4(w[j], w[8 + j], 0x88);
      v[4 + j] = _mm512_shuffle_f32x4(w[j], w[8 + j], 0xdd);
      v[8 + j] = _mm512_shuffle_f32x4(w[4 + j], w[12 + j], 0x88);
      v[12 + j] = _mm512_shuffle_f32x4(w[4 + j], w[12 + j], 0xdd);
    }
  }
  static Float larger(Float x, Float y) noexcept { return _mm512_max_ps(x, y); }
  static Float size(Float x) noexcept { return _mm512_abs_ps(x); }
  static Float subtract(Float x, Float y) noexcept { return _mm512_sub_ps(x, y); }
  static Float multiply_add(Float x, Float y, Float sum) noexcept { return _mm512_fmadd_ps(x, y, sum); }
  static Float clamp(Float x, float limit) noexcept {
    return _mm512_max_ps(_mm512_min_ps(x, _mm512_set1_ps(limit)), _mm512_set1_ps(-limit));
  }
  static Float both(Float x, Float y) noexcept { return _mm512_and_ps(x, y); }
  static std::uint32_t signs(Float x) noexcept { return signs(_mm512_castps_si512(x)); }

  using Int = __m512i;
  static Int no_words() noexcept { return _mm512_setzero_si512(); }
  static Int load(const std::uint8_t* p) noexcept { return _mm512_loadu_si512(p); }
  static Int load_words(const std::int32_t* p) noexcept { return _mm512_loadu_si512(p); }
  static void store(std::int32_t* p, Int x) noexcept { _mm512_storeu_si512(p, x); }
  static Int broadcast(const std::int32_t* p) noexcept { return _mm512_set1_epi32(*p); }
  static Int broadcast(const std::int8_t* four) noexcept {
    std::int32_t word;
    std::memcpy(&word, four, sizeof word);
    return _mm512_set1_epi32(word);
  }
  static Int add(Int x, Int y) noexcept { return _mm512_add_epi32(x, y); }
  static Int subtract(Int x, Int y) noexcept { return _mm512_sub_epi32(x, y); }
  static Int both(Int x, Int y) noexcept { return _mm512_and_si512(x, y); }
  static std::uint32_t signs(Int x) noexcept { return _mm512_movepi32_mask(x); }
  static std::uint32_t* list_clear(Int x, std::uint32_t first, std::uint32_t* out) noexcept {
    const __mmask16 clear = _knot_mask16(_mm512_movepi32_mask(x));
    const Int numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(clear, numbers));
    return out + __builtin_popcount(clear);
  }
  static std::uint32_t* list_clear(Float x, std::uint32_t first, std::uint32_t* out) noexcept {
    return list_clear(_mm512_castps_si512(x), first, out);
  }
  static Int round(Float x) noexcept { return _mm512_cvtps_epi32(x); }
  static Float convert(Int x) noexcept { return _mm512_cvtepi32_ps(x); }
  static void store_bytes(std::int8_t* p, Int x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(x));
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
