// Internal: eight units of four bytes in a vector of 256 bits, as packing moves them. In a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2")

namespace boon::kernels {
namespace {

struct Units256 {
  using Units = __m256i;
  using Half = __m128i;
  static constexpr std::size_t kWidth = 8;

  static Units zero() noexcept { return _mm256_setzero_si256(); }
  static Units load(const void* p) noexcept { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  // The first `bytes`, fewer than the vector has; the others are 0.
  static Units load_first(const void* p, std::size_t bytes) noexcept {
    if (bytes % 4 == 0) {
      const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
      const __m256i first = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(bytes / 4)), lanes);
      return _mm256_maskload_epi32(static_cast<const int*>(p), first);
    }
    alignas(32) unsigned char copy[32] = {};
    std::memcpy(copy, p, bytes);
    return load(copy);
  }
  static Half load_half(const void* p) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static Half load_half_first(const void* p, std::size_t bytes) noexcept {
    return _mm256_castsi256_si128(load_first(p, bytes));
  }
  static void store(void* p, Units x) noexcept { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }

  static Units widen_bf16(Half x) noexcept { return _mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16); }
  static Units widen_bytes(Half x) noexcept { return _mm256_cvtepi8_epi16(x); }
  static Units flip(Units x, std::uint8_t bits) noexcept {
    return _mm256_xor_si256(x, _mm256_set1_epi8(static_cast<char>(bits)));
  }

  // Pairs of rows, then fours, then halves.
  static void transpose(Units (&rows)[8]) noexcept {
    Units t[8];
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
      t[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    BOON_UNROLL(2)
    for (std::size_t i = 0; i < 8; i += 4) {
      rows[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
      rows[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
      rows[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
      rows[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
      t[i] = _mm256_permute2x128_si256(rows[i], rows[i + 4], 0x20);
      t[i + 4] = _mm256_permute2x128_si256(rows[i], rows[i + 4], 0x31);
    }
    BOON_UNROLL(8)
    for (std::size_t i = 0; i < 8; ++i) rows[i] = t[i];
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
