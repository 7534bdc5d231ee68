// For tests: blocks and the bytes that the canonical encoder gives them. Inputs and bytes agree between the host code
// of the CUDA 13.0 headers and an independent version in Python.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace boon::codec {

struct Nvfp4TestVector {
  int number;
  std::string_view what;
  float scale;  // of the vector
  std::array<float, 16> x;
  std::uint8_t block_scale;
  std::array<std::uint8_t, 8> codes;
};

inline constexpr auto kNvfp4TestVectors = [] {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  // clang-format off
  return std::to_array<Nvfp4TestVector>({
    {1, "all +0", 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0x00, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {2, "all -0", 1, {-0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F, -0.F}, 0x00, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {3, "every code, packing order", 1, {0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.F, -0.5F, -1, -1.5F, -2, -3, -4, -6}, 0x38, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe}},
    {4, "ties to even", 1, {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5, 6, -0.25F, -0.75F, -1.25F, -1.75F, -2.5F, -3.5F, -5, -6}, 0x38, {0x20, 0x42, 0x64, 0x76, 0xa8, 0xca, 0xec, 0xfe}},
    {6, "scale tie 1.0625 -> 1.0 (even); amax saturates", 1, {6.375F, -6.375F, 3.1875F, 1, -1, 0.5F, 0.26F, 0.24F, 2, 2.6F, 3.6F, 5.2F, -0.25F, 0, 4, 6}, 0x38, {0xf7, 0x25, 0x1a, 0x01, 0x54, 0x76, 0x08, 0x76}},
    {7, "scale tie 1.1875 -> 1.25 (even)", 1, {7.125F, 1, 2, 3, 4, 5, 6, 7, -7.125F, -1, -2, -3, -4, -5, -6, -7}, 0x3a, {0x27, 0x43, 0x65, 0x76, 0xaf, 0xcb, 0xed, 0xfe}},
    {8, "scale rounds up to 1.125: max lands at 5.78", 1, {6.5F, 6, 5.5F, 5, 4.5F, 4, 3.5F, 3, 2.5F, 2, 1.5F, 1, 0.5F, 0.25F, -0.5F, -6.5F}, 0x39, {0x77, 0x66, 0x66, 0x55, 0x44, 0x23, 0x01, 0xf9}},
    {10, "amax = 448*6: scale 7e", 1, {2688, -2688, 1344, 896, 672, 448, 224, 112, 111, -224, -448, -672, -896, -1344, 56, 0}, 0x7e, {0xf7, 0x45, 0x23, 0x01, 0x90, 0xba, 0xdc, 0x00}},
    {11, "scale saturates at 448; elements clamp", 1, {1.e+06F, -1.e+06F, 2688, 2240, 2241, 1000, 500, 112, 113, 0, -112, -113, -1000, -2240, -2241, 1}, 0x7e, {0xf7, 0x67, 0x47, 0x02, 0x01, 0x98, 0xec, 0x0f}},
    {13, "smallest subnormal scale 2^-9", 1, {0.01171875F, -0.005859375F, 0.001953125F, 0.0009765625F, 0.00048828125F, 0.0007324219F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0x01, {0xd7, 0x12, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {14, "subnormal scale tie 1.5*2^-9 -> 2*2^-9", 1, {0.017578125F, -0.00390625F, 0.001953125F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0078125F}, 0x02, {0xa6, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40}},
    {15, "scale tie 2^-10 -> 0: block flushed", 1, {0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, -0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F, 0.005859375F}, 0x00, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {17, "fp32 denormals", 1, {9.99995e-41F, 9.99995e-41F, 9.99995e-41F, -9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F, 9.99995e-41F}, 0x00, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {18, "unit-norm-like block, no s2: subnormal scale", 1, {0.031F, -0.0125F, 0.044F, -0.0071F, 0.0029F, -0.0533F, 0.0188F, -0.0246F, 0.0102F, 0.0374F, -0.0415F, 0.0006F, -0.0219F, 0.0293F, -0.0087F, 0.0157F}, 0x05, {0xb5, 0x96, 0xf1, 0xd4, 0x62, 0x0e, 0x5c, 0x3a}},
    {19, "same block, s2 = 0.118/2688", 4.389881e-05F, {0.031F, -0.0125F, 0.044F, -0.0071F, 0.0029F, -0.0533F, 0.0188F, -0.0246F, 0.0102F, 0.0374F, -0.0415F, 0.0006F, -0.0219F, 0.0293F, -0.0087F, 0.0157F}, 0x75, {0xb5, 0xa6, 0xf1, 0xd4, 0x62, 0x0e, 0x5c, 0x3a}},
    {22, "Inf (policy: reject at ingest; encoder clamps)", 1, {kInfinity, -kInfinity, 1, -1, 448, -448, 100000, -100000, 0, 112, 113, -112, -113, 336, 2240, 2688}, 0x7e, {0xf7, 0x80, 0xa2, 0xf7, 0x00, 0x81, 0x29, 0x76}},
    {23, "NaN ignored in amax, encodes as 7 (policy: reject at ingest)", 1, {kNaN, 6, -6, 1, kNaN, 0, 0.5F, -0.5F, 2, -2, 3, -3, 4, -4, 1.5F, -1.5F}, 0x38, {0x77, 0x2f, 0x07, 0x91, 0xc4, 0xd5, 0xe6, 0xb3}},
    {24, "plain data", 1, {0.7F, -0.3F, 0.11F, 0.05F, -0.62F, 0.48F, -0.09F, 0.2F, 0.33F, -0.41F, 0.57F, -0.15F, 0.02F, 0.66F, -0.5F, 0.25F}, 0x1f, {0xd7, 0x12, 0x6f, 0x3a, 0xd5, 0xb6, 0x70, 0x4e}},
  });
  // clang-format on
}();

}  // namespace boon::codec
