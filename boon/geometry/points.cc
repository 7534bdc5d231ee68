#include "boon/geometry/points.h"

#include <fmt/format.h>

#include <cmath>

#include "boon/core/error.h"
#include "boon/kernels/distance.h"

namespace boon::geometry {

void check_dim(std::size_t dim) {
  if (dim >= 1 && dim <= kDimMax) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("the dimension is {}; it may be 1 to {}", dim, kDimMax));
}

void check_same_dim(std::size_t actual, std::size_t expected, std::string_view what) {
  if (actual == expected) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("{} has dimension {}, not {}", what, actual, expected));
}

void check_points(const Points& points, std::size_t least, std::string_view what) {
  check_dim(points.dim);
  if (points.step() < points.dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the stride is {} and a row has {} components", points.step(), points.dim));
  }
  if (points.count < least) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there {} {} {}{}; at least {} {} needed", points.count == 1 ? "is" : "are", points.count,
                            what, points.count == 1 ? "" : "s", least, least == 1 ? "is" : "are"));
  }
  const auto first_not_finite = kernels::distances().first_not_finite;
  for (std::size_t row = 0; row < points.count; ++row) {
    const std::size_t bad = first_not_finite(points[row].data(), points.dim);
    if (bad == points.dim) continue;
    throw Error(ErrorCode::invalid_argument, fmt::format("{} {}, component {} is {}", what, row, bad,
                                                         std::isnan(points[row][bad]) ? "NaN" : "infinite"));
  }
}

double squared_length(std::span<const float> a) noexcept {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return sum;
}

double squared_distance(std::span<const float> a, std::span<const float> b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return sum;
}

double inner_product(std::span<const float> a, std::span<const float> b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

}  // namespace boon::geometry
