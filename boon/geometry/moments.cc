#include "boon/geometry/moments.h"

#include <fmt/format.h>

#include <algorithm>

#include "boon/core/error.h"
#include "boon/geometry/linear.h"
#include "boon/geometry/loop.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

}  // namespace

Moments::Moments(std::size_t dim) {
  check_dim(dim);
  if (dim > kCovarianceDimMax) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the dimension is {}; a covariance is made up to {}", dim, kCovarianceDimMax));
  }
  mean_.resize(dim);
  scatter_.resize(dim * dim);
}

void Moments::add(const Points& points, ThreadPool* pool) {
  check_points(points, 0);
  check_same_dim(points.dim, dim(), "a row");
  for (std::size_t begin = 0; begin < points.count; begin += kRowsAtOnce) {
    add_part(points, begin, std::min(points.count, begin + kRowsAtOnce), pool);
  }
}

void Moments::add_part(const Points& points, std::size_t begin, std::size_t end, ThreadPool* pool) {
  const std::size_t d = dim(), rows = end - begin;
  std::vector<double> mean = mean_of({points[begin].data(), rows, d, points.step()});
  std::vector<double> centred(rows * d);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < d; ++i) centred[row * d + i] = points[begin + row][i] - mean[i];
  }
  const auto before = static_cast<double>(count_), more = static_cast<double>(rows);
  const double weight = before * more / (before + more);
  std::vector<double>& shift = mean;
  for (std::size_t i = 0; i < d; ++i) shift[i] -= mean_[i];
  for_each(pool, d, 8, [&](std::size_t i) {
    double* out = scatter_.data() + i * d + i;
    linear().add_products_f64(centred.data() + i, d, rows, centred.data() + i, d, out, d - i);
    const double factor = weight * shift[i];
    linear().add_products_f64(&factor, 1, 1, shift.data() + i, d, out, d - i);
  });
  for (std::size_t i = 0; i < d; ++i) mean_[i] += shift[i] * (more / (before + more));
  count_ += rows;
}

std::vector<double> Moments::covariance() const {
  const std::size_t d = dim();
  std::vector<double> result(d * d);
  if (count_ < 2) return result;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) {
      result[i * d + j] = result[j * d + i] = scatter_[i * d + j] / static_cast<double>(count_ - 1);
    }
  }
  return result;
}

std::vector<double> mean_of(const Points& points) {
  check_points(points);
  std::vector<double> sum(points.dim);
  for (std::size_t row = 0; row < points.count; ++row) {
    for (std::size_t i = 0; i < points.dim; ++i) sum[i] += points[row][i];
  }
  for (double& value : sum) value /= static_cast<double>(points.count);
  return sum;
}

}  // namespace boon::geometry
