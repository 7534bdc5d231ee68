// The shape of a product C = A * B, and how A and B lie in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace boon::bench::gemm {

// Rows of a matrix as it is stored lie one after the other, without gaps; a transposed one is stored as its transpose.
struct Shape {
  std::size_t rows = 0;     // of A and C; called m in BLAS
  std::size_t columns = 0;  // of B and C; n
  std::size_t depth = 0;    // A's columns, B's rows; k
  bool a_transposed = false;
  bool b_transposed = false;

  // From one row to the next, as they are stored; in elements.
  std::size_t a_stride() const noexcept { return a_transposed ? rows : depth; }
  std::size_t b_stride() const noexcept { return b_transposed ? depth : columns; }
  std::size_t c_stride() const noexcept { return columns; }

  // A multiplication and its addition count as two.
  double operations() const noexcept {
    return 2 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  }
};

inline constexpr std::size_t kDimensionMax = 32768;

// "512", "128x1536x384" (rows x columns x depth), "512:tn" (A transposed, B as it is). Throws invalid_argument.
Shape parse_shape(std::string_view text);
std::string name(const Shape& shape);

}  // namespace boon::bench::gemm
