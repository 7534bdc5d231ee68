#include "boon/codec/query.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "boon/codec/nvfp4.h"

namespace boon::codec {
namespace {

constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + kQueryBytes - 1) / kQueryBytes * kQueryBytes;
}

// Bits of numbers without sign are ordered as the numbers are, and the compiler makes vectors of the largest whole
// number, which it cannot of the largest float.
float largest_magnitude(std::span<const float> x) noexcept {
  std::int32_t largest = 0;
  for (const float value : x) largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

// SSE2, which every x86-64 has: a search waits for this before it can begin.

// Sixteen products, at most 127 in magnitude, to the nearest whole numbers, ties to even.
__m128i rounded(const float* x, __m128 factor) noexcept {
  const auto four = [&](std::size_t i) { return _mm_cvtps_epi32(_mm_mul_ps(_mm_loadu_ps(x + i), factor)); };
  return _mm_packs_epi16(_mm_packs_epi32(four(0), four(4)), _mm_packs_epi32(four(8), four(12)));
}

__m128i load(const std::int8_t* codes) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
}
void store(std::int8_t* out, __m128i codes) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), codes);
}

std::int32_t sum_of(__m128i codes) noexcept {
  // Without sign they are 128 more each.
  const __m128i halves = _mm_sad_epu8(_mm_xor_si128(codes, _mm_set1_epi8(-128)), _mm_setzero_si128());
  return _mm_cvtsi128_si32(halves) + _mm_cvtsi128_si32(_mm_srli_si128(halves, 8)) - 16 * 128;
}

}  // namespace

Int8Vector::Int8Vector(std::span<const float> x) : dim_(x.size()), codes_(padded(x.size())) {
  constexpr std::size_t kTogether = 16;
  const float largest = largest_magnitude(x);
  const float inverse = 127 / largest;
  if (!std::isfinite(inverse)) return;
  scale_ = largest / 127;
  const __m128 factor = _mm_set1_ps(inverse);
  for (std::size_t i = 0; i < dim_; i += kTogether) {
    float last[kTogether] = {};
    const float* from = x.data() + i;
    if (i + kTogether > dim_) {
      std::copy(from, x.data() + dim_, last);
      from = last;
    }
    const __m128i codes = rounded(from, factor);
    store(codes_.data() + i, codes);
    sum_ += sum_of(codes);
  }
}

Nvfp4Planes::Nvfp4Planes(std::span<const float> x)
    : blocks_(nvfp4_blocks(x.size())),
      planes_(2 * padded(blocks_ * kNvfp4BlockBytes)),
      offsets_(padded(blocks_ * kNvfp4BlockBytes) / kNvfp4BlockBytes) {
  static_assert(kNvfp4Block == 16);
  const Int8Vector whole(x);
  scale_ = whole.scale();
  const std::int8_t* const codes = whole.codes().data();  // zeros behind them, to whole kQueryBytes
  std::int8_t* const even = planes_.data();
  std::int8_t* const odd = even + planes_.size() / 2;
  for (std::size_t block = 0; block < blocks_; block += 2) {
    const __m128i first = load(codes + block * kNvfp4Block), second = load(codes + (block + 1) * kNvfp4Block);
    // Each 16 bits hold an even component, and above it an odd one.
    const auto low = [](__m128i pairs) { return _mm_srai_epi16(_mm_slli_epi16(pairs, 8), 8); };
    const auto high = [](__m128i pairs) { return _mm_srai_epi16(pairs, 8); };
    store(even + block * kNvfp4BlockBytes, _mm_packs_epi16(low(first), low(second)));
    store(odd + block * kNvfp4BlockBytes, _mm_packs_epi16(high(first), high(second)));
    offsets_[block] = -12 * sum_of(first);
    if (block + 1 < blocks_) offsets_[block + 1] = -12 * sum_of(second);
  }
}

BitPlanes::BitPlanes(std::span<const float> x) : row_bytes_((x.size() + 7) / 8), planes_(4 * padded(row_bytes_)) {
  if (x.empty()) return;
  const auto [least, most] = std::ranges::minmax(x);
  low_ = least;
  const float inverse = 15 / (most - least);
  if (std::isfinite(inverse)) step_ = (most - least) / 15;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float place = step_ > 0 ? (x[i] - least) * inverse : 0;
    const auto number = static_cast<unsigned>(std::clamp(std::nearbyint(place), 0.F, 15.F));
    sum_ += static_cast<std::int32_t>(number);
    for (std::size_t plane = 0; plane < 4; ++plane) {
      planes_[plane * planes_.size() / 4 + i / 8] |= static_cast<std::uint8_t>((number >> plane & 1) << i % 8);
    }
    const double error = x[i] - (double{low_} + double{step_} * number);
    squared_error_ += error * error;
  }
}

}  // namespace boon::codec
