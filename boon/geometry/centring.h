// Moves points so that a mean is at the origin, and back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

class Centring {
 public:
  // By the mean of `points`, summed in double. Throws invalid_argument for none, or with row and component for a value
  // that is not finite.
  static Centring fit(const Points& points);
  // By `mean`, of 1 to kDimMax finite numbers, else invalid_argument.
  explicit Centring(std::vector<float> mean);

  std::size_t dim() const noexcept { return mean_.size(); }
  std::span<const float> mean() const noexcept { return mean_; }

  // `in` and `out` have the dimension, else invalid_argument; they may be the same.
  void forward(std::span<const float> in, std::span<float> out) const;
  void inverse(std::span<const float> in, std::span<float> out) const;

  std::vector<std::byte> to_bytes() const;
  // Throws corrupted, or unsupported for bytes of a newer format.
  static Centring from_bytes(Bytes bytes);

 private:
  std::vector<float> mean_;
};

}  // namespace boon::geometry
