// Internal: sixteen lanes of AVX-512 for the loops of exact search, in a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

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
  // Hidden from the compiler, which would fuse it with a sum that follows and so round once.
  static Float multiply(Float x, Float y) noexcept {
    Float product = _mm512_mul_ps(x, y);
    asm("" : "+v"(product));
    return product;
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
  static Int round(Float x) noexcept { return _mm512_cvtps_epi32(x); }
  static Float convert(Int x) noexcept { return _mm512_cvtepi32_ps(x); }
  static void store_bytes(std::int8_t* p, Int x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(x));
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
