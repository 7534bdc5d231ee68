#include "boon/codec/nvfp4.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "boon/codec/code_kernels.h"
#include "boon/codec/e2m1.h"
#include "boon/codec/e4m3.h"
#include "boon/core/check.h"
#include "boon/core/error.h"

namespace boon::codec {
namespace {

using Block = std::array<float, kNvfp4Block>;
using Codes = std::array<std::uint8_t, kNvfp4Block>;

Block block_of(std::span<const float> x, std::size_t b) noexcept {
  Block block{};
  const auto part = x.subspan(b * kNvfp4Block, std::min(kNvfp4Block, x.size() - b * kNvfp4Block));
  std::copy(part.begin(), part.end(), block.begin());
  return block;
}

// The largest magnitude; std::max(m, NaN) is m.
float largest(std::span<const float> x) noexcept {
  float m = 0;
  for (const float value : x) m = std::max(m, std::abs(value));
  return m;
}

void write(const Codes& codes, std::size_t b, Nvfp4Span out) noexcept {
  for (std::size_t i = 0; i < kNvfp4BlockBytes; ++i) {
    out.codes[b * kNvfp4BlockBytes + i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4);
  }
}

Codes round_to_codes(const Block& x, std::uint8_t scale_byte, float scale) noexcept {
  Codes codes{};
  const float unit = e4m3_to_float(scale_byte) * scale;
  for (std::size_t i = 0; i < kNvfp4Block; ++i) codes[i] = to_e2m1(x[i] / unit);
  return codes;
}

bool fits(std::size_t dim, std::size_t codes, std::size_t scales) noexcept {
  return scales == nvfp4_blocks(dim) && codes == scales * kNvfp4BlockBytes;
}

}  // namespace

void nvfp4_encode_canonical(std::span<const float> x, float scale, Nvfp4Span out) noexcept {
  BOON_CHECK(fits(x.size(), out.codes.size(), out.scales.size()));
  for (std::size_t b = 0; b < out.scales.size(); ++b) {
    const Block block = block_of(x, b);
    const std::uint8_t byte = to_e4m3(largest(block) / (kE2m1Max * scale));
    out.scales[b] = byte;
    write(byte == 0 ? Codes{} : round_to_codes(block, byte, scale), b, out);
  }
}

float nvfp4_encode_canonical(std::span<const float> x, Nvfp4Span out) noexcept {
  float scale = std::min(largest(x), std::numeric_limits<float>::max()) / (kE4m3Max * kE2m1Max);
  if (scale == 0) scale = 1;
  nvfp4_encode_canonical(x, scale, out);
  return scale;
}

float nvfp4_encode(std::span<const float> x, Nvfp4Span out) noexcept {
  return nvfp4_encode(x, out, code_kernels().nvfp4_search);
}

float nvfp4_encode(std::span<const float> x, Nvfp4Span out, Nvfp4Search search) noexcept {
  BOON_CHECK(fits(x.size(), out.codes.size(), out.scales.size()));
  // The block of the largest gets 256 rather than 448, so that the search can go up from there too.
  const float vector_scale = largest(x) / (256 * kE2m1Max);
  const float inverse = 1 / vector_scale;
  if (!std::isfinite(inverse)) {  // zeros, and what is so small that its scale would be a denormal
    std::ranges::fill(out.codes, std::uint8_t{0});
    std::ranges::fill(out.scales, std::uint8_t{0});
    return 1;
  }
  Nvfp4Sums sums;
  const std::size_t whole = x.size() / kNvfp4Block;
  search(x.data(), inverse, whole, out.codes.data(), out.scales.data(), sums);
  if (whole < out.scales.size()) {
    const Block last = block_of(x, whole);
    search(last.data(), inverse, 1, &out.codes[whole * kNvfp4BlockBytes], &out.scales[whole], sums);
  }
  return static_cast<float>(vector_scale * (sums.squared_norm / sums.product));
}

void nvfp4_decode(const Nvfp4View& vector, std::span<float> out) noexcept {
  BOON_CHECK(fits(out.size(), vector.codes.size(), vector.scales.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(vector.codes[i / 2] >> i % 2 * 4 & 15);
    const float unit = e4m3_to_float(vector.scales[i / kNvfp4Block]) * vector.scale;
    out[i] = e2m1_to_float(code) * unit;
  }
}

void nvfp4_check(const Nvfp4View& vector, std::string_view what) {
  if (vector.codes.size() != vector.scales.size() * kNvfp4BlockBytes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: {} bytes of codes and {} block scales; each block has 8 bytes", what,
                            vector.codes.size(), vector.scales.size()));
  }
  for (std::size_t b = 0; b < vector.scales.size(); ++b) {
    if (is_scale(vector.scales[b])) continue;
    throw Error(ErrorCode::corrupted,
                fmt::format("{}, block {}: its scale, byte {:02x}, is {}", what, b, vector.scales[b],
                            (vector.scales[b] & 0x7f) == 0x7f ? "NaN" : "negative"));
  }
  if (!(vector.scale > 0) || std::isinf(vector.scale)) {
    throw Error(ErrorCode::corrupted,
                fmt::format("{}: its scale is {}; a scale is positive and finite", what, vector.scale));
  }
}

}  // namespace boon::codec
