// NVFP4: vectors of 4-bit floats (e2m1) with one e4m3 scale for each block of 16 and one fp32 scale for the vector.
// A component is e2m1(code) * e4m3(block scale) * vector scale. Bytes: docs/formats/codec.md.
//
// Invariants
//  1. Element 2i is the low nibble of byte i, element 2i + 1 the high one, as NVIDIA's processors want it.
//  2. The last block is padded with zeros, which have code 0.
//  3. A block scale is a byte below 7f: positive and finite. Readers refuse others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "boon/codec/nvfp4_search.h"

namespace boon::codec {

inline constexpr std::size_t kNvfp4Block = 16;
inline constexpr std::size_t kNvfp4BlockBytes = kNvfp4Block / 2;  // of codes

constexpr std::size_t nvfp4_blocks(std::size_t dim) noexcept {
  return (dim + kNvfp4Block - 1) / kNvfp4Block;
}

// One vector's codes, 8 bytes a block, and scales, 1 byte a block, in someone else's memory.
struct Nvfp4Span {
  std::span<std::uint8_t> codes;
  std::span<std::uint8_t> scales;
};
struct Nvfp4View {
  std::span<const std::uint8_t> codes;
  std::span<const std::uint8_t> scales;
  float scale = 1;  // of the vector
};

// Writes x as NVIDIA's tools do: the largest of each block lands near 6. Returns the scale of the vector, max|x| /
// 2688. For files that others read, and the base line of tests. Inf saturates and NaN becomes 6; codecs refuse both.
float nvfp4_encode_canonical(std::span<const float> x, Nvfp4Span out) noexcept;

// The same under a given vector scale: the form in which test vectors are published.
void nvfp4_encode_canonical(std::span<const float> x, float scale, Nvfp4Span out) noexcept;

// Writes x with less error: of nine block scales around the canonical one, the one of least squared error. The scale
// that is returned makes <x, decoded x> = |x|^2, so that inner products with x are estimated without bias (RaBitQ, Gao
// & Long, arXiv:2405.12497, does so for 1-bit codes). On Gaussian data the squared error is .67% of |x|^2, against
// .91%. x is finite. The bytes are the same on every processor.
float nvfp4_encode(std::span<const float> x, Nvfp4Span out) noexcept;
// The same with a given kernel.
float nvfp4_encode(std::span<const float> x, Nvfp4Span out, Nvfp4Search search) noexcept;

// Writes x.size() components, of the view's nvfp4_blocks(out.size()) blocks.
void nvfp4_decode(const Nvfp4View& vector, std::span<float> out) noexcept;

// Throws Error{invalid_argument} unless there are 8 bytes of codes to each block scale, and Error{corrupted} if a block
// scale is no scale or the vector's is not positive and finite; the text begins with `what` ("row 17") and names the
// block.
void nvfp4_check(const Nvfp4View& vector, std::string_view what);

}  // namespace boon::codec
