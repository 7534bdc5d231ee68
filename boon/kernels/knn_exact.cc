#include "boon/kernels/knn_exact.h"

#include <cmath>

#include "boon/kernels/target.h"

// Whatever -march says, a product and a sum here stay two roundings.
BOON_TARGET_BEGIN("no-avx")

namespace boon::kernels {
namespace {

constexpr std::size_t kSums = 8;

struct SquaredDifference {
  double operator()(double q, double x) const noexcept { return (q - x) * (q - x); }
};
struct Product {
  double operator()(double q, double x) const noexcept { return q * x; }
};
struct ScaledDifference {
  double scale;
  double operator()(double q, double x) const noexcept { return (q - x * scale) * (q - x * scale); }
};

template <class Element, class Term>
double sum(const double* query, const Element* row, std::size_t dim, Term term) noexcept {
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= dim; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += term(query[i + j], row[i + j]);
  }
  for (std::size_t j = 0; i + j < dim; ++j) sums[j] += term(query[i + j], row[i + j]);
  for (std::size_t width = kSums / 2; width > 0; width /= 2) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  }
  return sums[0];
}

template <class Element>
double squared_differences(const double* query, const Element* row, std::size_t dim) noexcept {
  return sum(query, row, dim, SquaredDifference{});
}
template <class Element>
double products(const double* query, const Element* row, std::size_t dim) noexcept {
  return sum(query, row, dim, Product{});
}
template <class Element>
double scaled_differences(const double* query, const Element* row, double scale, std::size_t dim) noexcept {
  return sum(query, row, dim, ScaledDifference{scale});
}

template <class Element>
constexpr ExactSums<Element> kSumsOf = {squared_differences<Element>, products<Element>, scaled_differences<Element>};

const void* place(const KnnRows& rows, std::size_t row) noexcept {
  return static_cast<const std::byte*>(rows.data) + row * rows.stride_bytes;
}

}  // namespace

constinit const ExactTable kExactScalar = {kSumsOf<float>, kSumsOf<std::uint8_t>};

void inverse_lengths(const ExactTable& table, const KnnRows& rows, std::size_t begin, std::size_t end, double* out) {
  const std::vector<double> zeros(rows.dim);
  for (std::size_t row = begin; row < end; ++row) {
    const void* x = place(rows, row);
    const double squares =
        rows.bytes ? table.bytes.squared_differences(zeros.data(), static_cast<const std::uint8_t*>(x), rows.dim)
                   : table.floats.squared_differences(zeros.data(), static_cast<const float*>(x), rows.dim);
    out[row - begin] = squares > 0 ? 1 / std::sqrt(squares) : 0;
  }
}

ExactQuery::ExactQuery(const ExactTable& table, const KnnRows& rows, KnnSpace space, const double* inverse_lengths)
    : table_(&table), rows_(rows), space_(space), inverse_lengths_(inverse_lengths), values_(rows.dim) {}

void ExactQuery::set(const float* query) noexcept {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = query[i];
  if (space_ != KnnSpace::cosine) return;
  const double squares = table_->floats.products(values_.data(), query, values_.size());
  is_zero_ = squares == 0;
  const double scale = is_zero_ ? 0 : 1 / std::sqrt(squares);
  for (double& value : values_) value *= scale;
}

double ExactQuery::key(std::size_t row) const noexcept {
  return rows_.bytes ? key(table_->bytes, row) : key(table_->floats, row);
}

template <class Element>
double ExactQuery::key(const ExactSums<Element>& sums, std::size_t row) const noexcept {
  const auto* x = static_cast<const Element*>(place(rows_, row));
  switch (space_) {
    case KnnSpace::l2:
      return sums.squared_differences(values_.data(), x, rows_.dim);
    case KnnSpace::inner_product:
      return -sums.products(values_.data(), x, rows_.dim);
    case KnnSpace::cosine:
      break;
  }
  const double scale = inverse_lengths_[row];
  return is_zero_ || scale == 0 ? 1 : sums.scaled_differences(values_.data(), x, scale, rows_.dim) / 2;
}

}  // namespace boon::kernels
BOON_TARGET_END
