// Queries in few bits, made once and scored against many rows.
//
// Rounding a query to int8 adds noise of .8% of a product's spread, where the codes of NVFP4 add 8%; it moved recall by
// less than half a point in every run. So queries of codes are whole numbers, and their products exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/codec/code_kernels.h"

namespace boon::codec {

// A vector as int8: component i is about codes()[i] * scale(), with scale = max|x| / 127. A vector of zeros, or one so
// small that 127 / max|x| is infinite, has scale 0 and codes 0.
class Int8Vector {
 public:
  // x is finite.
  explicit Int8Vector(std::span<const float> x);

  float scale() const noexcept { return scale_; }
  std::span<const std::int8_t> codes() const noexcept { return {codes_.data(), dim_}; }
  Int8Query query() const noexcept { return {codes_.data(), dim_, sum_}; }

 private:
  std::size_t dim_;
  float scale_ = 0;
  std::int32_t sum_ = 0;
  std::vector<std::int8_t> codes_;  // padded
};

// The same in the order that NVFP4 rows want.
class Nvfp4Planes {
 public:
  explicit Nvfp4Planes(std::span<const float> x);

  float scale() const noexcept { return scale_; }
  Nvfp4Query query() const noexcept {
    return {planes_.data(), planes_.data() + planes_.size() / 2, offsets_.data(), blocks_};
  }

 private:
  std::size_t blocks_;
  float scale_;
  std::vector<std::int8_t> planes_;
  std::vector<std::int32_t> offsets_;
};

// A vector as 4-bit numbers between its extremes: component i is about low() + step() * number, with the numbers' bits
// in four planes (RaBitQ, arXiv:2405.12497, section 3.3). A constant vector has step 0.
class BitPlanes {
 public:
  explicit BitPlanes(std::span<const float> x);

  float low() const noexcept { return low_; }
  float step() const noexcept { return step_; }
  // Sum of all 4-bit numbers.
  std::int32_t sum() const noexcept { return sum_; }
  // Squared distance from the vector to what its numbers stand for.
  double squared_error() const noexcept { return squared_error_; }
  BitQuery query() const noexcept { return {planes_.data(), planes_.size() / 4, row_bytes_}; }

 private:
  std::size_t row_bytes_;
  float low_ = 0;
  float step_ = 0;
  std::int32_t sum_ = 0;
  double squared_error_ = 0;
  std::vector<std::uint8_t> planes_;
};

}  // namespace boon::codec
