// bfloat16: the upper half of an fp32.
#pragma once

#include <bit>
#include <cstdint>

namespace boon::kernels {

struct Bf16 {
  std::uint16_t bits = 0;
};

constexpr float to_float(Bf16 x) noexcept {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
}

// The nearest, ties to even. A NaN stays one.
constexpr Bf16 to_bf16(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  if (nan) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

}  // namespace boon::kernels
