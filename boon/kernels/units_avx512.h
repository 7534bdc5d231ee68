// Internal: sixteen units of four bytes in a vector of 512 bits, as packing moves them. In a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")

namespace boon::kernels {
namespace {

struct Units512 {
  using Units = __m512i;
  using Half = __m256i;
  static constexpr std::size_t kWidth = 16;

  static Units zero() noexcept { return _mm512_setzero_si512(); }
  static Units load(const void* p) noexcept { return _mm512_loadu_si512(p); }
  // The first `bytes`, fewer than the vector has; the others are 0.
  static Units load_first(const void* p, std::size_t bytes) noexcept {
    return _mm512_maskz_loadu_epi8((__mmask64{1} << bytes) - 1, p);
  }
  static Half load_half(const void* p) noexcept { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Half load_half_first(const void* p, std::size_t bytes) noexcept {
    return _mm256_maskz_loadu_epi8((__mmask32{1} << bytes) - 1, p);
  }
  static void store(void* p, Units x) noexcept { _mm512_storeu_si512(p, x); }

  static Units widen_bf16(Half x) noexcept { return _mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16); }
  static Units widen_bytes(Half x) noexcept { return _mm512_cvtepi8_epi16(x); }
  static Units flip(Units x, std::uint8_t bits) noexcept {
    return _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(bits)));
  }

  // Pairs of rows, then fours, then lanes of fours.
  static void transpose(Units (&rows)[16]) noexcept {
    Units t[16];
    BOON_UNROLL(8)
    for (std::size_t i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 16; i += 4) {
      rows[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
      rows[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
      rows[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
      rows[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xdd);
      t[i + 8] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x88);
      t[i + 12] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xdd);
    }
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
      rows[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
      rows[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
      rows[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
      rows[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
