// e2m1: 4-bit floats, the elements of NVFP4 and MXFP4. A sign, two bits of exponent, one of mantissa; no infinity, no
// NaN. OCP Microscaling Formats (MX) specification 1.0, section 5.3.3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace boon::codec {

inline constexpr float kE2m1Max = 6;

// The value of each code, 0 to 15.
inline constexpr std::array<float, 16> kE2m1 = {0, .5F, 1, 1.5F, 2, 3, 4, 6, -0.F, -.5F, -1, -1.5F, -2, -3, -4, -6};

constexpr float e2m1_to_float(std::uint8_t code) noexcept {
  return kE2m1[code & 15U];
}

// The nearest, ties to the even mantissa; past 6 it is 6. Keeps the sign, of zero too: -0.1 is code 8. A NaN is +6, as
// CUDA's conversion has it.
constexpr std::uint8_t to_e2m1(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const float y = std::bit_cast<float>(bits & 0x7fffffffU);
  if (y != y) return 7;
  const auto sign = static_cast<std::uint8_t>(bits >> 31 << 3);
  const int magnitude = (y > .25F) + (y >= .75F) + (y > 1.25F) + (y >= 1.75F) + (y > 2.5F) + (y >= 3.5F) + (y > 5);
  return static_cast<std::uint8_t>(sign | magnitude);
}

}  // namespace boon::codec
