#include "boon/codec/query.h"

#include <algorithm>
#include <cmath>

#include "boon/codec/nvfp4.h"

namespace boon::codec {
namespace {

constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + kQueryBytes - 1) / kQueryBytes * kQueryBytes;
}

}  // namespace

Int8Vector::Int8Vector(std::span<const float> x) : dim_(x.size()), codes_(padded(x.size())) {
  float largest = 0;
  for (const float value : x) largest = std::max(largest, std::abs(value));
  const float inverse = 127 / largest;
  if (!std::isfinite(inverse)) return;
  scale_ = largest / 127;
  for (std::size_t i = 0; i < dim_; ++i) {
    codes_[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(x[i] * inverse), -127.F, 127.F));
    sum_ += codes_[i];
  }
}

Nvfp4Planes::Nvfp4Planes(std::span<const float> x)
    : blocks_(nvfp4_blocks(x.size())),
      planes_(2 * padded(blocks_ * kNvfp4BlockBytes)),
      offsets_(padded(blocks_ * kNvfp4BlockBytes) / kNvfp4BlockBytes) {
  const Int8Vector whole(x);
  scale_ = whole.scale();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int8_t code = whole.codes()[i];
    planes_[i / 2 + i % 2 * planes_.size() / 2] = code;
    offsets_[i / kNvfp4Block] -= 12 * code;
  }
}

BitPlanes::BitPlanes(std::span<const float> x) : row_bytes_((x.size() + 7) / 8), planes_(4 * padded(row_bytes_)) {
  if (x.empty()) return;
  const auto [least, most] = std::ranges::minmax(x);
  low_ = least;
  const float inverse = 15 / (most - least);
  if (!std::isfinite(inverse)) return;
  step_ = (most - least) / 15;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto number = static_cast<unsigned>(std::clamp(std::nearbyint((x[i] - least) * inverse), 0.F, 15.F));
    sum_ += static_cast<std::int32_t>(number);
    for (std::size_t plane = 0; plane < 4; ++plane) {
      planes_[plane * planes_.size() / 4 + i / 8] |= static_cast<std::uint8_t>((number >> plane & 1) << i % 8);
    }
  }
}

}  // namespace boon::codec
