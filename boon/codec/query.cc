#include "boon/codec/query.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "boon/codec/nvfp4.h"

namespace boon::codec {
namespace {

constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + kQueryBytes - 1) / kQueryBytes * kQueryBytes;
}

// The compiler makes vectors of these two, which it cannot of std::nearbyint and of the largest of floats.

// To the nearest whole number, ties to even, for magnitudes below 2^22.
constexpr float rounded(float x) noexcept {
  constexpr float kOnesFrom = 0x1.8p23F;  // floats from here on have no fractions
  return x + kOnesFrom - kOnesFrom;
}

// Bits of numbers without sign are ordered as the numbers are.
float largest_magnitude(std::span<const float> x) noexcept {
  std::int32_t largest = 0;
  for (const float value : x) largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

}  // namespace

Int8Vector::Int8Vector(std::span<const float> x) : dim_(x.size()), codes_(padded(x.size())) {
  const float largest = largest_magnitude(x);
  const float inverse = 127 / largest;
  if (!std::isfinite(inverse)) return;
  scale_ = largest / 127;
  std::int8_t* const codes = codes_.data();
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    const auto code = static_cast<std::int32_t>(std::clamp(rounded(x[i] * inverse), -127.F, 127.F));
    codes[i] = static_cast<std::int8_t>(code);
    sum += code;
  }
  sum_ = sum;
}

Nvfp4Planes::Nvfp4Planes(std::span<const float> x)
    : blocks_(nvfp4_blocks(x.size())),
      planes_(2 * padded(blocks_ * kNvfp4BlockBytes)),
      offsets_(padded(blocks_ * kNvfp4BlockBytes) / kNvfp4BlockBytes) {
  const Int8Vector whole(x);
  scale_ = whole.scale();
  const std::int8_t* const codes = whole.codes().data();
  std::int8_t* const even = planes_.data();
  std::int8_t* const odd = even + planes_.size() / 2;
  for (std::size_t i = 0; i < x.size() / 2; ++i) {
    even[i] = codes[2 * i];
    odd[i] = codes[2 * i + 1];
  }
  if (x.size() % 2 != 0) even[x.size() / 2] = codes[x.size() - 1];
  for (std::size_t block = 0; block < blocks_; ++block) {
    std::int32_t sum = 0;
    const std::size_t end = std::min(x.size(), (block + 1) * kNvfp4Block);
    for (std::size_t i = block * kNvfp4Block; i < end; ++i) sum += codes[i];
    offsets_[block] = -12 * sum;
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
