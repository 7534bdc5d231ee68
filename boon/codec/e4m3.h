// e4m3 (fn): 8-bit floats with no infinity, the block scales of NVFP4. Bias 7, largest 448 (7e), smallest normal 2^-6
// (08), subnormals k * 2^-9 (01 to 07), NaN 7f and ff. Micikevicius et al., "FP8 formats for deep learning",
// arXiv:2209.05433.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace boon::codec {

inline constexpr float kE4m3Max = 448;

// Scales are positive and finite, so 127 of the 256 bytes are refused by whoever reads them: NaN (7f) and all with a
// sign (80 and above).
constexpr bool is_scale(std::uint8_t byte) noexcept {
  return byte < 0x7f;
}

constexpr float e4m3_to_float(std::uint8_t byte) noexcept {
  const std::uint32_t sign = (byte & 0x80U) << 24;
  const std::uint32_t magnitude = byte & 0x7fU;
  if (magnitude == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000U);
  // The fields stand where those of an fp32 do; multiplying takes the difference of the biases, 127 - 7, and makes
  // normal numbers of the subnormals.
  return std::bit_cast<float>(sign | magnitude << 20) * 0x1p120F;
}

// The nearest, ties to even; past 448, and from either infinity, it is 448 of that sign ("satfinite"). A NaN is 7f.
constexpr std::uint8_t to_e4m3(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint8_t>(bits >> 24 & 0x80U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return 0x7f;
  constexpr std::uint32_t kSmallestNormal = (127 - 6) << 23;
  std::uint32_t byte = 0;
  if (magnitude < kSmallestNormal) {
    // In steps of 2^-9: adding 2^23 leaves no room for a fraction, so the sum is rounded as the processor rounds.
    byte = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 512 + 0x1p23F) & 0xfU;
  } else {
    const std::uint32_t rounded = magnitude + 0x7ffffU + (magnitude >> 20 & 1U);
    byte = std::min((rounded >> 20) - ((127U - 7) << 3), 0x7eU);
  }
  return static_cast<std::uint8_t>(sign | byte);
}

}  // namespace boon::codec
