// fp16: IEEE 754 binary16. Largest 65504, smallest normal 2^-14, subnormals k * 2^-24.
#pragma once

#include <bit>
#include <cstdint>

namespace boon::kernels {

inline constexpr float kFp16Max = 65504;

struct Fp16 {
  std::uint16_t bits = 0;
};

// What becomes of a finite number that rounds to more than 65504.
enum class Overflow { infinity, saturate };

constexpr float to_float(Fp16 x) noexcept {
  const std::uint32_t sign = (x.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = x.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  // As in e4m3.h: the difference of the biases, 127 - 15, by a product that is exact for subnormals too.
  return std::bit_cast<float>(sign | magnitude << 13) * 0x1p112F;
}

// The nearest, ties to even. Infinities stay infinite, a NaN stays one.
constexpr Fp16 to_fp16(float x, Overflow overflow = Overflow::infinity) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  constexpr std::uint32_t kSmallestNormal = (127 - 14) << 23;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U | (magnitude >> 13 & 0x3ffU);
  } else if (magnitude == 0x7f800000U) {
    half = 0x7c00U;
  } else if (magnitude < kSmallestNormal) {
    // In steps of 2^-24: the sum is rounded as the processor rounds, and 0x400 is the smallest normal.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24F + 0x1p23F) & 0x7ffU;
  } else {
    half = (magnitude + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
    half -= (127U - 15) << 10;
    if (half > 0x7bffU) half = overflow == Overflow::saturate ? 0x7bffU : 0x7c00U;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

}  // namespace boon::kernels
