#include "boon/geometry/pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "boon/core/error.h"
#include "boon/geometry/eigen.h"
#include "boon/geometry/linear.h"
#include "boon/geometry/loop.h"
#include "boon/geometry/stored.h"
#include "boon/geometry/subspace.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kExactByItself = 512;
// A variance below this share of the largest is rounding error of the covariance, and not divided by.
constexpr double kNoVariance = 1e-12;

constexpr std::size_t kPassesMax = 1000;

void check_option(std::string_view name, std::size_t value, std::size_t most) {
  if (value <= most) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("{} is {}; it may be 0 to {}", name, value, most));
}

std::size_t wanted(const PcaOptions& options, std::size_t dim) {
  options.validate(dim);
  return options.components == 0 ? dim : options.components;
}

bool is_exact(const PcaOptions& options, std::size_t dim, std::size_t components) {
  if (options.method != PcaMethod::automatic) return options.method == PcaMethod::exact;
  return dim <= kExactByItself || (components >= dim / 8 && dim <= Moments::kCovarianceDimMax);
}

double squared_distances_from(const Points& points, const std::vector<double>& mean) {
  double sum = 0;
  for (std::size_t row = 0; row < points.count; ++row) {
    for (std::size_t i = 0; i < points.dim; ++i) {
      const double difference = points[row][i] - mean[i];
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace

void PcaOptions::validate(std::size_t dim) const {
  check_option("components", components, dim);
  check_option("passes", passes, kPassesMax);
  check_option("oversampling", oversampling, kDimMax);
}

Pca Pca::fit(const Moments& moments, const PcaOptions& options) {
  const std::size_t d = moments.dim(), k = wanted(options, d);
  if (moments.count() == 0) throw Error(ErrorCode::invalid_argument, "there are 0 rows; at least 1 is needed");
  const Eigen eigen = symmetric_eigen(moments.covariance(), d);
  Pca pca;
  pca.whiten_ = options.whiten;
  pca.mean_.assign(moments.mean().begin(), moments.mean().end());
  for (std::size_t i = 0; i < d; ++i) pca.total_variance_ += std::max(0.0, eigen.values[i]);
  for (std::size_t i = 0; i < k; ++i) pca.variances_.push_back(std::max(0.0, eigen.values[i]));
  pca.directions_.assign(eigen.vectors.begin(), eigen.vectors.begin() + static_cast<std::ptrdiff_t>(k * d));
  pca.make_matrix();
  return pca;
}

Pca Pca::fit(const Points& points, const PcaOptions& options, ThreadPool* pool) {
  check_points(points);
  const std::size_t d = points.dim, k = wanted(options, d);
  if (is_exact(options, d, k)) {
    Moments moments(d);
    moments.add(points, pool);
    return fit(moments, options);
  }
  const std::vector<double> mean = mean_of(points);
  const std::size_t size = std::min(d, k + options.oversampling);
  const Subspace found = leading_subspace(points, mean, k, size, options.passes, options.seed, pool);
  const double freedom = points.count > 1 ? static_cast<double>(points.count - 1) : 1;
  Pca pca;
  pca.whiten_ = options.whiten;
  pca.mean_.assign(mean.begin(), mean.end());
  for (const double value : found.values) pca.variances_.push_back(std::max(0.0, value) / freedom);
  pca.directions_.assign(found.vectors.begin(), found.vectors.end());
  // By rounding the directions may hold a little more than there is.
  pca.total_variance_ = std::max(squared_distances_from(points, mean) / freedom, pca.sum_of_first(k));
  pca.make_matrix();
  return pca;
}

void Pca::make_matrix() {
  linear();
  const std::size_t d = dim(), k = components();
  scales_.assign(k, 1.0F);
  if (whiten_) {
    for (std::size_t i = 0; i < k; ++i) {
      const bool varies = variances_[i] > kNoVariance * variances_[0];
      scales_[i] = varies ? static_cast<float>(1 / std::sqrt(variances_[i])) : 0.0F;
      if (!std::isfinite(scales_[i])) scales_[i] = 0;
    }
  }
  matrix_.resize(d * k);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < k; ++j) matrix_[i * k + j] = directions_[j * d + i] * scales_[j];
  }
}

double Pca::sum_of_first(std::size_t count) const noexcept {
  return std::accumulate(variances_.begin(), variances_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

double Pca::explained(std::size_t count) const noexcept {
  return total_variance_ > 0 ? sum_of_first(std::min(count, components())) / total_variance_ : 1;
}

void Pca::forward(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), dim(), "the vector");
  check_same_dim(out.size(), components(), "the result");
  std::vector<float> centred(dim());
  for (std::size_t i = 0; i < dim(); ++i) centred[i] = in[i] - mean_[i];
  std::fill(out.begin(), out.end(), 0.0F);
  linear().add_products_f32(centred.data(), 1, dim(), matrix_.data(), components(), out.data(), components());
}

void Pca::inverse(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), components(), "the vector");
  check_same_dim(out.size(), dim(), "the result");
  std::vector<float> unscaled(components());
  for (std::size_t i = 0; i < components(); ++i) unscaled[i] = scales_[i] == 0 ? 0 : in[i] / scales_[i];
  std::copy(mean_.begin(), mean_.end(), out.begin());
  linear().add_products_f32(unscaled.data(), 1, components(), directions_.data(), dim(), out.data(), dim());
}

void Pca::forward(const Points& rows, float* out, ThreadPool* pool) const {
  check_points(rows, 0);
  check_same_dim(rows.dim, dim(), "a row");
  for_each(pool, rows.count, 16, [&](std::size_t row) {
    forward(rows[row], {out + row * components(), components()});
  });
}

std::vector<std::byte> Pca::to_bytes() const {
  StoredWriter writer(StoredKind::pca);
  writer.put<std::uint64_t>(dim());
  writer.put<std::uint64_t>(components());
  writer.put<std::uint64_t>(whiten_ ? 1 : 0);
  writer.put(total_variance_);
  writer.put(variances());
  writer.put(mean());
  writer.put(directions());
  return writer.finish();
}

Pca Pca::from_bytes(Bytes bytes) {
  StoredReader reader(bytes, StoredKind::pca);
  const auto dim = reader.get<std::uint64_t>();
  const auto components = reader.get<std::uint64_t>();
  const auto whiten = reader.get<std::uint64_t>();
  if (dim < 1 || dim > kDimMax || components < 1 || components > dim || whiten > 1) {
    reader.damaged("a size is out of range");
  }
  Pca pca;
  pca.whiten_ = whiten == 1;
  pca.total_variance_ = reader.get_doubles(1)[0];
  pca.variances_ = reader.get_doubles(components);
  pca.mean_ = reader.get_floats(dim);
  pca.directions_ = reader.get_floats(dim * components);
  reader.finish();
  const auto out_of_place = [&](std::size_t i) {
    return pca.variances_[i] < 0 || (i > 0 && pca.variances_[i] > pca.variances_[i - 1]);
  };
  for (std::size_t i = 0; i < components; ++i) {
    if (out_of_place(i)) reader.damaged("its variances do not fall");
  }
  const double sum = pca.sum_of_first(components);
  if (!(pca.total_variance_ >= sum)) {
    reader.damaged(fmt::format("its total variance is {:.6g}; it is at least the sum of its variances, {:.6g}",
                               pca.total_variance_, sum));
  }
  pca.make_matrix();
  return pca;
}

}  // namespace boon::geometry
