// Internal: how elements become the units of four bytes that packed operands consist of. Units are the vectors of an
// instruction set (units_avx512.h and its like): `along` takes kWidth units that follow each other in depth, `across`
// one unit of each of kWidth rows, whose elements are contiguous at each depth, `step` elements apart. `packed` is the
// plain version: what becomes of one element.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/kernels/bf16.h"

namespace boon::kernels {
namespace {

inline __m128i load_16_bytes(const void* p) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
inline __m128i load_8_bytes(const void* p) noexcept {
  return _mm_loadl_epi64(static_cast<const __m128i*>(p));
}
// Four units, behind `count` others.
inline void store_units(void* units, std::size_t count, __m128i four) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(static_cast<std::uint32_t*>(units) + count), four);
}

// fp32 as it is.
template <class Vectors>
struct FloatSource : Vectors {
  using Element = float;
  using Unit = float;
  static constexpr std::size_t kDepth = 1;

  static float packed(float x) noexcept { return x; }
  static typename Vectors::Units along(const float* p) noexcept { return Vectors::load(p); }
  static typename Vectors::Units along_first(const float* p, std::size_t elements) noexcept {
    return Vectors::load_first(p, elements * sizeof(float));
  }
  static void across(const float* p, std::size_t /*step*/, void* out) noexcept {
    Vectors::store(out, Vectors::load(p));
  }
};

// bf16 widened to fp32.
template <class Vectors>
struct WideBf16Source : Vectors {
  using Element = Bf16;
  using Unit = float;
  static constexpr std::size_t kDepth = 1;

  static float packed(Bf16 x) noexcept { return to_float(x); }
  static typename Vectors::Units along(const Bf16* p) noexcept { return Vectors::widen_bf16(Vectors::load_half(p)); }
  static typename Vectors::Units along_first(const Bf16* p, std::size_t elements) noexcept {
    return Vectors::widen_bf16(Vectors::load_half_first(p, elements * sizeof(Bf16)));
  }
  static void across(const Bf16* p, std::size_t /*step*/, void* out) noexcept { Vectors::store(out, along(p)); }
};

// Pairs of bf16.
template <class Vectors>
struct Bf16PairSource : Vectors {
  using Element = Bf16;
  using Unit = std::uint32_t;
  static constexpr std::size_t kDepth = 2;

  static Bf16 packed(Bf16 x) noexcept { return x; }
  static typename Vectors::Units along(const Bf16* p) noexcept { return Vectors::load(p); }
  static typename Vectors::Units along_first(const Bf16* p, std::size_t elements) noexcept {
    return Vectors::load_first(p, elements * sizeof(Bf16));
  }
  static void across(const Bf16* p, std::size_t step, void* out) noexcept {
    for (std::size_t i = 0; i < Vectors::kWidth; i += 8) {
      const __m128i even = load_16_bytes(p + i);
      const __m128i odd = load_16_bytes(p + step + i);
      store_units(out, i, _mm_unpacklo_epi16(even, odd));
      store_units(out, i + 4, _mm_unpackhi_epi16(even, odd));
    }
  }
};

// Pairs of bytes widened to 16 bits: their products and the sum of two fit 32 bits, so nothing saturates.
template <class Vectors>
struct WordPairSource : Vectors {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  static constexpr std::size_t kDepth = 2;

  static std::int16_t packed(std::int8_t x) noexcept { return x; }
  static typename Vectors::Units along(const std::int8_t* p) noexcept {
    return Vectors::widen_bytes(Vectors::load_half(p));
  }
  static typename Vectors::Units along_first(const std::int8_t* p, std::size_t elements) noexcept {
    return Vectors::widen_bytes(Vectors::load_half_first(p, elements));
  }
  static void across(const std::int8_t* p, std::size_t step, void* out) noexcept {
    for (std::size_t i = 0; i < Vectors::kWidth; i += 8) {
      const __m128i pairs = _mm_unpacklo_epi8(load_8_bytes(p + i), load_8_bytes(p + step + i));
      const __m128i signs = _mm_cmpgt_epi8(_mm_setzero_si128(), pairs);
      store_units(out, i, _mm_unpacklo_epi8(pairs, signs));
      store_units(out, i + 4, _mm_unpackhi_epi8(pairs, signs));
    }
  }
};

// Four bytes; with kFlip = 0x80 each becomes x + 128, unsigned.
template <class Vectors, std::uint8_t kFlip>
struct BytesSource : Vectors {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  static constexpr std::size_t kDepth = 4;

  static std::uint8_t packed(std::int8_t x) noexcept { return static_cast<std::uint8_t>(x) ^ kFlip; }
  static typename Vectors::Units zero() noexcept { return Vectors::flip(Vectors::zero(), kFlip); }
  static typename Vectors::Units along(const std::int8_t* p) noexcept { return Vectors::flip(Vectors::load(p), kFlip); }
  static typename Vectors::Units along_first(const std::int8_t* p, std::size_t elements) noexcept {
    return Vectors::flip(Vectors::load_first(p, elements), kFlip);
  }
  static void across(const std::int8_t* p, std::size_t step, void* out) noexcept {
    const __m128i flip = _mm_set1_epi8(static_cast<char>(kFlip));
    for (std::size_t i = 0; i < Vectors::kWidth; i += 8) {
      const __m128i low = _mm_unpacklo_epi8(load_8_bytes(p + i), load_8_bytes(p + step + i));
      const __m128i high = _mm_unpacklo_epi8(load_8_bytes(p + 2 * step + i), load_8_bytes(p + 3 * step + i));
      store_units(out, i, _mm_xor_si128(_mm_unpacklo_epi16(low, high), flip));
      store_units(out, i + 4, _mm_xor_si128(_mm_unpackhi_epi16(low, high), flip));
    }
  }
};

}  // namespace
}  // namespace boon::kernels
