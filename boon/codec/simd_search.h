// Internal: the search for block scales, for vectors of 8 or 16 floats. Included inside a target region, as
// simd_codes.h is.
//
// Lanes has, beside what simd_codes.h names, exact(v), which keeps the compiler from fusing a product with what
// follows; magnitude(v); least(x, y), most(x, y); select_less(a, b, x, y), x where a < b, else y; number(x) in every
// lane.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/codec/e2m1.h"
#include "boon/codec/e4m3.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_search.h"
#include "boon/kernels/simd_distance.h"

namespace boon::codec {

template <class Lanes>
struct SimdSearch {
  using Vector = typename Lanes::Vector;
  static constexpr std::size_t kFloats = Lanes::kWidth;
  static constexpr std::size_t kParts = kNvfp4Block / kFloats;

  static Vector round_to_e2m1(Vector y) noexcept {
    const Vector below_4 =
        Lanes::select_less(y, Lanes::number(4), Lanes::number(kRoundsToOnes), Lanes::number(kRoundsToTwos));
    const Vector rounder = Lanes::select_less(y, Lanes::number(2), Lanes::number(kRoundsToHalves), below_4);
    return Lanes::least(Lanes::subtract(Lanes::add(y, rounder), rounder), Lanes::number(kE2m1Max));
  }

  // Of a block, whose second half, if apart, is b.
  static float sum_of(Vector a, Vector b) noexcept {
    if constexpr (kParts == 2) a = Lanes::add(a, b);
    return kernels::SimdDistance<Lanes>::sum_of_lanes(Lanes::halve_to_4(a));
  }
  static float largest_of(Vector a, Vector b) noexcept {
    if constexpr (kParts == 2) a = Lanes::most(a, b);
    float values[kFloats];
    Lanes::store(values, a);
    float largest = 0;
    for (const float value : values) largest = largest < value ? value : largest;
    return largest;
  }

  static float squared_error(const Vector* magnitudes, std::uint8_t byte) noexcept {
    const float scale = e4m3_to_float(byte), inverse = kScaleInverses[byte];
    Vector terms[kParts];
    for (std::size_t part = 0; part < kParts; ++part) {
      const Vector rounded = round_to_e2m1(Lanes::exact(Lanes::multiply(magnitudes[part], inverse)));
      const Vector error = Lanes::subtract(Lanes::multiply(rounded, scale), magnitudes[part]);
      terms[part] = Lanes::exact(Lanes::multiply(error, error));
    }
    return sum_of(terms[0], terms[kParts - 1]);
  }

  // Values of 0 to 6 and the numbers whose signs they get, as codes.
  static void write_codes(const float* values, const float* signs, std::uint8_t* codes) noexcept {
    const auto doubled = [values](int i) noexcept {
      const __m128 four = _mm_loadu_ps(values + 4 * i);
      return _mm_cvtps_epi32(_mm_add_ps(four, four));
    };
    const auto word = [signs](int i) noexcept {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(signs + 4 * i));
    };
    const __m128i index =
        _mm_packs_epi16(_mm_packs_epi32(doubled(0), doubled(1)), _mm_packs_epi32(doubled(2), doubled(3)));
    const __m128i sign = _mm_packs_epi16(_mm_packs_epi32(word(0), word(1)), _mm_packs_epi32(word(2), word(3)));
    const __m128i code = _mm_shuffle_epi8(_mm_setr_epi8(0, 1, 2, 3, 4, 0, 5, 0, 6, 0, 0, 0, 7, 0, 0, 0), index);
    const __m128i all = _mm_or_si128(code, _mm_and_si128(_mm_cmplt_epi8(sign, _mm_setzero_si128()), _mm_set1_epi8(8)));
    const __m128i pairs = _mm_maddubs_epi16(all, _mm_set1_epi16(0x1001));  // low + 16 * high
    _mm_storel_epi64(reinterpret_cast<__m128i*>(codes), _mm_packus_epi16(pairs, pairs));
  }

  static void run(const float* x, float inverse, std::size_t blocks, std::uint8_t* codes, std::uint8_t* scales,
                  Nvfp4Sums& sums) noexcept {
    for (std::size_t b = 0; b < blocks; ++b, x += kNvfp4Block, codes += kNvfp4BlockBytes) {
      Vector magnitudes[kParts], squares[kParts], products[kParts];
      for (std::size_t part = 0; part < kParts; ++part) {
        const Vector magnitude = Lanes::magnitude(Lanes::load(x + part * kFloats));
        magnitudes[part] = Lanes::exact(Lanes::multiply(magnitude, inverse));
        squares[part] = Lanes::exact(Lanes::multiply(magnitudes[part], magnitudes[part]));
      }
      const auto candidates = ScaleCandidates::around(largest_of(magnitudes[0], magnitudes[kParts - 1]));
      std::size_t best = 0;
      float least = squared_error(magnitudes, candidates.byte[0]);
      for (std::size_t i = 1; i < kScaleFactors.size(); ++i) {
        const float error = squared_error(magnitudes, candidates.byte[i]);
        const bool better = error < least;  // no branch: it would be mispredicted in every other block
        least = better ? error : least;
        best = better ? i : best;
      }
      const std::uint8_t byte = candidates.byte[best];
      float values[kNvfp4Block];
      for (std::size_t part = 0; part < kParts; ++part) {
        const Vector value = round_to_e2m1(Lanes::exact(Lanes::multiply(magnitudes[part], kScaleInverses[byte])));
        Lanes::store(values + part * kFloats, value);
        products[part] = Lanes::exact(Lanes::multiply(magnitudes[part], value));
      }
      write_codes(values, x, codes);
      scales[b] = byte;
      sums.squared_norm += sum_of(squares[0], squares[kParts - 1]);
      sums.product += static_cast<double>(sum_of(products[0], products[kParts - 1])) * e4m3_to_float(byte);
    }
  }
};

}  // namespace boon::codec
