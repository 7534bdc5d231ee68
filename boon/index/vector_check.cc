#include "boon/index/vector_check.h"

#include <fmt/format.h>

#include <cmath>

#include "boon/core/error.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/product.h"

namespace boon {
namespace {

// |a - b|^2 <= 4 max(|a|^2, |b|^2) must stay finite in fp32, and codecs must hold what an index does.
constexpr double kSquaredNormMax = 6.8e37;

}  // namespace

double squared_norm(std::span<const float> row) noexcept {
  return kernels::product(row, row);
}

namespace {

// Whether check_vector() has nothing to say.
bool is_taken(std::span<const float> vector, Metric metric) noexcept {
  if (kernels::distances().first_not_finite(vector.data(), vector.size()) < vector.size()) return false;
  const double norm = squared_norm(vector);
  return metric == Metric::cosine ? norm > 0 : norm <= kSquaredNormMax;
}

}  // namespace

double check_vector(std::span<const float> vector, Metric metric, const std::string& what) {
  const std::size_t bad = kernels::distances().first_not_finite(vector.data(), vector.size());
  if (bad < vector.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}, component {} is {}", what, bad, std::isnan(vector[bad]) ? "NaN" : "infinite"));
  }
  const double norm = squared_norm(vector);
  if (metric == Metric::cosine && norm == 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} is a vector of zeros, which has no direction; leave it out or use the metric l2", what));
  }
  if (metric != Metric::cosine && norm > kSquaredNormMax) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is too long: its sum of squares is {:.3g} and may be {:.3g}; scale the data", what,
                            norm, kSquaredNormMax));
  }
  return norm;
}

void check_rows(const float* rows, std::size_t count, std::size_t dim, std::size_t stride, Metric metric,
                std::string_view what, std::size_t first) {
  for (std::size_t row = 0; row < count; ++row) {
    const std::span<const float> vector(rows + row * stride, dim);
    if (!is_taken(vector, metric)) check_vector(vector, metric, fmt::format("{} {}", what, first + row));
  }
}

void write_row(std::span<const float> vector, Metric metric, double squared, float* out) noexcept {
  // Adding zero turns -0 into 0, so equal vectors have equal bytes.
  const double scale = metric == Metric::cosine ? 1 / std::sqrt(squared) : 1;
  for (std::size_t i = 0; i < vector.size(); ++i) out[i] = static_cast<float>(vector[i] * scale) + 0.0F;
}

void write_row(std::span<const float> vector, Metric metric, float* out) noexcept {
  write_row(vector, metric, metric == Metric::cosine ? squared_norm(vector) : 0, out);
}

}  // namespace boon
