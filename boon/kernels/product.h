// A product of two vectors in double precision, where few are made: lengths, what a query needs once.
#pragma once

#include <cstddef>
#include <span>

namespace boon::kernels {

// The sum of x[i] * y[i]; both have one size. Eight sums, as one would wait for each addition.
inline double product(std::span<const float> x, std::span<const float> y) noexcept {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= x.size(); i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += static_cast<double>(x[i + j]) * y[i + j];
  }
  for (std::size_t j = 0; i + j < x.size(); ++j) sums[j] += static_cast<double>(x[i + j]) * y[i + j];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace boon::kernels
