// The search for block scales without intrinsics; the others are tested against it to the bit.
#include <cmath>

#include "boon/codec/code_tables.h"
#include "boon/codec/e2m1.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_search.h"
#include "boon/kernels/target.h"

// Without FMA whatever -march says: see Nvfp4Search.
BOON_TARGET_BEGIN("no-avx")

namespace boon::codec {
namespace {

using Block = std::array<float, kNvfp4Block>;

float round_to_e2m1(float y) noexcept {
  const float rounder = y < 2 ? kRoundsToHalves : y < 4 ? kRoundsToOnes : kRoundsToTwos;
  const float rounded = (y + rounder) - rounder;
  return rounded < kE2m1Max ? rounded : kE2m1Max;
}

float sum_of(Block terms) noexcept {
  for (std::size_t width = terms.size() / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) terms[i] += terms[i + width];
  }
  return terms[0];
}

float squared_error(const Block& magnitudes, std::uint8_t byte) noexcept {
  const float scale = e4m3_to_float(byte), inverse = kScaleInverses[byte];
  Block terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const float error = round_to_e2m1(magnitudes[i] * inverse) * scale - magnitudes[i];
    terms[i] = error * error;
  }
  return sum_of(terms);
}

}  // namespace

void nvfp4_search_scalar(const float* x, float inverse, std::size_t blocks, std::uint8_t* codes, std::uint8_t* scales,
                         Nvfp4Sums& sums) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, x += kNvfp4Block, codes += kNvfp4BlockBytes) {
    Block magnitudes, squares, products;
    float largest = 0;
    for (std::size_t i = 0; i < kNvfp4Block; ++i) {
      magnitudes[i] = std::abs(x[i]) * inverse;
      squares[i] = magnitudes[i] * magnitudes[i];
      largest = largest < magnitudes[i] ? magnitudes[i] : largest;
    }
    const ScaleCandidates candidates = ScaleCandidates::around(largest);
    std::size_t best = 0;
    float least = squared_error(magnitudes, candidates.byte[0]);
    for (std::size_t i = 1; i < kScaleFactors.size(); ++i) {
      const float error = squared_error(magnitudes, candidates.byte[i]);
      if (error < least) {
        least = error;
        best = i;
      }
    }
    const std::uint8_t byte = candidates.byte[best];
    for (std::size_t i = 0; i < kNvfp4Block; ++i) {
      const float value = round_to_e2m1(magnitudes[i] * kScaleInverses[byte]);
      products[i] = magnitudes[i] * value;
      const std::uint8_t code = to_e2m1(std::copysign(value, x[i]));
      codes[i / 2] = static_cast<std::uint8_t>(i % 2 == 0 ? code : codes[i / 2] | code << 4);
    }
    scales[b] = byte;
    sums.squared_norm += sum_of(squares);
    sums.product += static_cast<double>(sum_of(products)) * e4m3_to_float(byte);
  }
}

}  // namespace boon::codec
BOON_TARGET_END
