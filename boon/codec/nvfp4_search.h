// Internal: the search for block scales, as nvfp4.h describes it: the interface of its kernels and what they share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "boon/codec/e4m3.h"

namespace boon::codec {

// Block scales that are tried: the canonical one, max / 6, times 2^(k/8), k = -2..6: from a sixth smaller, where the
// largest is clipped, to two thirds larger, where it becomes a 4. On Gaussian data the squared error is .667% of the
// whole, .755% if only the factors 1 and 1.5 are tried, .905% without a search.
inline constexpr std::array kScaleFactors = {0.840896F, 0.917004F, 1.F,       1.090508F, 1.189207F,
                                             1.296840F, 1.414214F, 1.542211F, 1.681793F};

// 1 / scale for each byte that is one, from a table as a division takes as long as the rest; 0 for 0, so that all codes
// are 0.
inline constexpr auto kScaleInverses = [] {
  std::array<float, 0x7f> inverses{};
  for (std::size_t byte = 1; byte < inverses.size(); ++byte) {
    inverses[byte] = 1 / e4m3_to_float(static_cast<std::uint8_t>(byte));
  }
  return inverses;
}();

struct ScaleCandidates {
  std::uint8_t byte[kScaleFactors.size()];

  static ScaleCandidates around(float largest) noexcept {
    ScaleCandidates result;
    const float canonical = largest * (1.F / 6);
    for (std::size_t i = 0; i < kScaleFactors.size(); ++i) result.byte[i] = to_e4m3(canonical * kScaleFactors[i]);
    return result;
  }
};

// Adding and taking away 1.5 * 2^23 rounds to whole numbers, ties to even; half of it to halves, twice to twos. e2m1
// has steps of 1/2 below 2, of 1 below 4, of 2 up to 6, so this rounds as to_e2m1() does, for y >= 0 without a
// comparison a code.
inline constexpr float kRoundsToHalves = 0x1.8p22F, kRoundsToOnes = 0x1.8p23F, kRoundsToTwos = 0x1.8p24F;

// Sums over the vector, in units of its scale.
struct Nvfp4Sums {
  double squared_norm = 0;
  double product = 0;  // of the vector and its decoded self
};

// Encodes `blocks` whole blocks of x * inverse and adds to the sums. Every instruction set gives the same bits: a sum
// over a block is taken in halves (i and i + 8, then i and i + 4, ...), and no product is fused with an addition unless
// it is exact.
using Nvfp4Search = void (*)(const float* x, float inverse, std::size_t blocks, std::uint8_t* codes,
                             std::uint8_t* scales, Nvfp4Sums& sums) noexcept;

}  // namespace boon::codec
