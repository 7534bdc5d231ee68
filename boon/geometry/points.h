// A set of points as the functions of this module take it: rows of floats in someone else's memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace boon::geometry {

// The longest vector that is taken, as kernels::KnnBase has it.
inline constexpr std::size_t kDimMax = std::size_t{1} << 20;

struct Points {
  const float* data = nullptr;
  std::size_t count = 0;
  std::size_t dim = 0;
  std::size_t stride = 0;  // floats from row to row; 0: the dimension

  std::size_t step() const noexcept { return stride == 0 ? dim : stride; }
  std::span<const float> operator[](std::size_t row) const noexcept { return {data + row * step(), dim}; }
};

// Points that own their memory.
struct PointSet {
  std::size_t dim = 0;
  std::vector<float> values;

  std::size_t size() const noexcept { return dim == 0 ? 0 : values.size() / dim; }
  Points points() const noexcept { return {.data = values.data(), .count = size(), .dim = dim}; }
  std::span<const float> operator[](std::size_t row) const noexcept { return points()[row]; }
};

// Throws invalid_argument unless there are at least `least` rows of 1 to kDimMax components, each finite; the message
// names the row and the component of the first that is not: "row 17, component 3 is NaN". `what` is what a row is
// called.
void check_points(const Points& points, std::size_t least = 1, std::string_view what = "row");

// Throws invalid_argument unless 1 <= dim <= kDimMax.
void check_dim(std::size_t dim);

// Throws invalid_argument unless `actual` is `expected`; `what` is what has the dimension.
void check_same_dim(std::size_t actual, std::size_t expected, std::string_view what);

// Sums in double, in the order of the components: the same bits on every machine.
double squared_length(std::span<const float> a) noexcept;
double squared_distance(std::span<const float> a, std::span<const float> b) noexcept;
double inner_product(std::span<const float> a, std::span<const float> b) noexcept;

}  // namespace boon::geometry
