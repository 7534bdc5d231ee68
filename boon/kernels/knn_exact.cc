#include "boon/kernels/knn_exact.h"

#include <cmath>

#include "boon/kernels/rows.h"
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
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += term(query[i + j], to_float(row[i + j]));
  }
  for (std::size_t j = 0; i + j < dim; ++j) sums[j] += term(query[i + j], to_float(row[i + j]));
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

}  // namespace

constinit const ExactTable kExactScalar = {{kSumsOf<float>, kSumsOf<std::uint8_t>, kSumsOf<Fp16>, kSumsOf<Bf16>}};

double squared_differences(const ExactTable& table, const KnnRows& rows, std::size_t row,
                           const double* query) noexcept {
  return with_type(rows.element, [&]<class T>(std::type_identity<T>) {
    return table.of<T>().squared_differences(query, row_of<T>(rows, row), rows.dim);
  });
}

double products(const ExactTable& table, const KnnRows& rows, std::size_t row, const double* query) noexcept {
  return with_type(rows.element, [&]<class T>(std::type_identity<T>) {
    return table.of<T>().products(query, row_of<T>(rows, row), rows.dim);
  });
}

double scaled_differences(const ExactTable& table, const KnnRows& rows, std::size_t row, const double* query,
                          double scale) noexcept {
  return with_type(rows.element, [&]<class T>(std::type_identity<T>) {
    return table.of<T>().scaled_differences(query, row_of<T>(rows, row), scale, rows.dim);
  });
}

void inverse_lengths(const ExactTable& table, const KnnRows& rows, std::size_t begin, std::size_t end, double* out) {
  const std::vector<double> zeros(rows.dim);
  for (std::size_t row = begin; row < end; ++row) {
    const double squares = squared_differences(table, rows, row, zeros.data());
    out[row - begin] = squares > 0 ? 1 / std::sqrt(squares) : 0;
  }
}

ExactQuery::ExactQuery(const ExactTable& table, const KnnRows& rows, KnnSpace space, const double* inverse_lengths)
    : table_(&table), rows_(rows), space_(space), inverse_lengths_(inverse_lengths), values_(rows.dim) {}

void ExactQuery::set(const float* query) noexcept {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = query[i];
  if (space_ != KnnSpace::cosine) return;
  const double squares = table_->of<float>().products(values_.data(), query, values_.size());
  is_zero_ = squares == 0;
  const double scale = is_zero_ ? 0 : 1 / std::sqrt(squares);
  for (double& value : values_) value *= scale;
}

void ExactQuery::prefetch(std::size_t row) const noexcept {
  prefetch_row(place(rows_, row), rows_.dim * bytes_of(rows_.element));
}

double ExactQuery::key(std::size_t row) const noexcept {
  switch (space_) {
    case KnnSpace::l2:
      return squared_differences(*table_, rows_, row, values_.data());
    case KnnSpace::inner_product:
      return -products(*table_, rows_, row, values_.data());
    case KnnSpace::cosine:
      break;
  }
  const double scale = inverse_lengths_[row];
  return is_zero_ || scale == 0 ? 1 : scaled_differences(*table_, rows_, row, values_.data(), scale) / 2;
}

}  // namespace boon::kernels
BOON_TARGET_END
