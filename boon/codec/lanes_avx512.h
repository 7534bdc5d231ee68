// Internal: 64 bytes, or sixteen floats, of AVX-512 for the loops over codes, in a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")

namespace boon::codec {
namespace {

struct LanesAvx512 {
  using Vector = __m512;
  static constexpr std::size_t kWidth = 16;

  static Vector zero() noexcept { return _mm512_setzero_ps(); }
  static Vector load(const float* p) noexcept { return _mm512_loadu_ps(p); }
  static Vector load(const std::uint8_t* p) noexcept { return of_bytes(_mm_loadu_si128(at<__m128i>(p))); }
  static Vector load_first(const float* p, std::size_t n) noexcept { return _mm512_maskz_loadu_ps(first(n), p); }
  static Vector load_first(const std::uint8_t* p, std::size_t n) noexcept {
    return of_bytes(_mm_maskz_loadu_epi8(first(n), p));
  }
  static Vector add(Vector x, Vector y) noexcept { return _mm512_add_ps(x, y); }
  static Vector subtract(Vector x, Vector y) noexcept { return _mm512_sub_ps(x, y); }
  static Vector multiply(Vector x, float y) noexcept { return _mm512_mul_ps(x, _mm512_set1_ps(y)); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm512_fmadd_ps(x, y, sum); }
  static void store(float* p, Vector x) noexcept { _mm512_storeu_ps(p, x); }
  static Vector multiply(Vector x, Vector y) noexcept { return _mm512_mul_ps(x, y); }
  static Vector number(float x) noexcept { return _mm512_set1_ps(x); }
  static Vector magnitude(Vector x) noexcept { return _mm512_andnot_ps(_mm512_set1_ps(-0.F), x); }
  static Vector least(Vector x, Vector y) noexcept { return _mm512_min_ps(x, y); }
  static Vector most(Vector x, Vector y) noexcept { return _mm512_max_ps(x, y); }
  static Vector select_less(Vector a, Vector b, Vector x, Vector y) noexcept {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
  }
  static Vector exact(Vector x) noexcept {
    asm("" : "+v"(x));
    return x;
  }
  static __m128 halve_to_4(Vector v) noexcept {
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }

  template <class To>
  static const To* at(const void* p) noexcept {
    return static_cast<const To*>(p);
  }
  static __mmask16 first(std::size_t n) noexcept { return static_cast<__mmask16>((1u << n) - 1); }
  static Vector of_bytes(__m128i bytes) noexcept { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)); }

  using Bytes = __m512i;
  static constexpr std::size_t kBytes = 64;

  static Bytes no_bytes() noexcept { return _mm512_setzero_si512(); }
  static Bytes load_bytes(const void* p) noexcept { return _mm512_loadu_si512(p); }
  static Bytes load_first_bytes(const std::uint8_t* p, std::size_t n) noexcept {
    return _mm512_maskz_loadu_epi8((std::uint64_t{1} << n) - 1, p);
  }
  static Bytes values_table() noexcept {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0));
  }
  static Bytes look_up(Bytes index) noexcept {
    return _mm512_shuffle_epi8(values_table(), _mm512_and_si512(index, _mm512_set1_epi8(15)));
  }
  static Bytes low_values(Bytes codes) noexcept { return look_up(codes); }
  static Bytes high_values(Bytes codes) noexcept { return look_up(_mm512_srli_epi16(codes, 4)); }

  // Two products are at most 2 * 24 * 127, far from the 16 bits that maddubs saturates at.
  static Bytes add_products(Bytes sum, Bytes u, Bytes s) noexcept {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(u, s), _mm512_set1_epi16(1)));
  }
  // Two products of any bytes would not fit 16 bits, so they are widened.
  static constexpr std::int32_t kSignedOffset = 0;
  static Bytes add_signed(Bytes sum, Bytes row, Bytes query) noexcept {
    const Bytes low = _mm512_cvtepi8_epi16(_mm512_castsi512_si256(row));
    const Bytes high = _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(row, 1));
    return add_wide(sum, low, high, query);
  }
  static Bytes add_unsigned(Bytes sum, Bytes row, Bytes query) noexcept {
    const Bytes low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(row));
    const Bytes high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(row, 1));
    return add_wide(sum, low, high, query);
  }
  static Bytes add_wide(Bytes sum, Bytes low, Bytes high, Bytes query) noexcept {
    low = _mm512_madd_epi16(low, _mm512_cvtepi8_epi16(_mm512_castsi512_si256(query)));
    high = _mm512_madd_epi16(high, _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(query, 1)));
    return _mm512_add_epi32(sum, _mm512_add_epi32(low, high));
  }
  static Bytes add(Bytes x, Bytes y) noexcept { return _mm512_add_epi32(x, y); }
  static Bytes fold(Bytes a, Bytes b) noexcept {
    const Bytes even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const Bytes odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return _mm512_add_epi32(_mm512_permutex2var_epi32(a, even, b), _mm512_permutex2var_epi32(a, odd, b));
  }
  static std::int32_t total(Bytes v) noexcept { return _mm512_reduce_add_epi32(v); }
  static Bytes word(std::int32_t n) noexcept { return _mm512_set1_epi32(n); }
  static Bytes four_bytes(const std::int8_t* p) noexcept {
    std::int32_t n;
    std::memcpy(&n, p, sizeof n);
    return word(n);
  }
  static Vector to_float(Bytes words) noexcept { return _mm512_cvtepi32_ps(words); }
  static Vector scales_of(__m128i bytes) noexcept {
    return _mm512_cvtph_ps(_mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 7));
  }
  static Vector scales(const std::uint8_t* p) noexcept { return scales_of(_mm_loadu_si128(at<__m128i>(p))); }
  static Vector first_scales(const std::uint8_t* p, std::size_t n) noexcept {
    return scales_of(_mm_maskz_loadu_epi8(first(n), p));
  }

  static Bytes both(Bytes x, Bytes y) noexcept { return _mm512_and_si512(x, y); }
  static Bytes count_bits(Bytes v) noexcept {
    const Bytes table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const Bytes nibble = _mm512_set1_epi8(15);
    const Bytes low = _mm512_shuffle_epi8(table, _mm512_and_si512(v, nibble));
    const Bytes high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble));
    return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
  }
  template <int shift>
  static Bytes add_shifted(Bytes sum, Bytes v) noexcept {
    return _mm512_add_epi64(sum, _mm512_slli_epi64(v, shift));
  }
};

}  // namespace
}  // namespace boon::codec

BOON_TARGET_END
