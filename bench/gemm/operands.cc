#include "bench/gemm/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "boon/core/random.h"

namespace boon::bench::gemm {
namespace {

double value_of(float x) {
  return static_cast<double>(x);
}
double value_of(std::int8_t x) {
  return static_cast<double>(x);
}
double value_of(kernels::Bf16 x) {
  return static_cast<double>(kernels::to_float(x));
}

template <class Element>
Element draw(Random& random) {
  if constexpr (std::is_same_v<Element, std::int8_t>) {
    return static_cast<std::int8_t>(static_cast<int>(random.below(256)) - 128);
  } else {
    const auto x = static_cast<float>(2 * random.uniform() - 1);
    if constexpr (std::is_same_v<Element, float>)
      return x;
    else
      return kernels::to_bf16(x);
  }
}

// The elements as doubles, row by row of the matrix that is meant, not of the one that is stored.
template <class Element>
std::vector<double> widened(const AlignedArray<Element>& stored, std::size_t rows, std::size_t columns,
                            bool transposed) {
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      values[i * columns + j] = value_of(stored.data()[transposed ? j * rows + i : i * columns + j]);
    }
  }
  return values;
}

// The plain loops, over four rows of C at a time so that B is read a quarter as often.
std::vector<double> multiplied(const std::vector<double>& a, const std::vector<double>& b, const Shape& shape) {
  std::vector<double> c(shape.rows * shape.columns);
  for (std::size_t first = 0; first < shape.rows; first += 4) {
    const std::size_t end = std::min(first + 4, shape.rows);
    for (std::size_t p = 0; p < shape.depth; ++p) {
      const double* row_of_b = b.data() + p * shape.columns;
      for (std::size_t i = first; i < end; ++i) {
        const double factor = a[i * shape.depth + p];
        double* row_of_c = c.data() + i * shape.columns;
        for (std::size_t j = 0; j < shape.columns; ++j) row_of_c[j] += factor * row_of_b[j];
      }
    }
  }
  return c;
}

}  // namespace

template <class Element, class Sum>
Operands<Element, Sum>::Operands(const Shape& shape)
    : shape_(shape),
      a_(shape.rows * shape.depth),
      b_(shape.depth * shape.columns),
      c_(shape.rows * shape.columns),
      a_norms_(shape.rows),
      b_norms_(shape.columns) {
  Random random(20);
  for (Element& x : a_) x = draw<Element>(random);
  for (Element& x : b_) x = draw<Element>(random);
  const auto a = widened(a_, shape.rows, shape.depth, shape.a_transposed);
  const auto b = widened(b_, shape.depth, shape.columns, shape.b_transposed);
  truth_ = multiplied(a, b, shape);
  for (std::size_t p = 0; p < shape.depth; ++p) {
    for (std::size_t i = 0; i < shape.rows; ++i) a_norms_[i] += a[i * shape.depth + p] * a[i * shape.depth + p];
    for (std::size_t j = 0; j < shape.columns; ++j) b_norms_[j] += b[p * shape.columns + j] * b[p * shape.columns + j];
  }
  for (double& norm : a_norms_) norm = std::sqrt(norm);
  for (double& norm : b_norms_) norm = std::sqrt(norm);
}

template <class Element, class Sum>
void Operands<Element, Sum>::spoil() const {
  if constexpr (std::is_same_v<Sum, float>) {
    std::fill(c_.begin(), c_.end(), std::numeric_limits<float>::quiet_NaN());
  } else {
    std::fill(c_.begin(), c_.end(), std::numeric_limits<Sum>::min());
  }
}

template <class Element, class Sum>
std::string Operands<Element, Sum>::fault() const {
  // Of the depth's rounding errors each is at most half an ulp; twice that where an instruction sums pairs of bf16.
  const double error_max = std::is_same_v<Sum, float> ? 0x1p-23 * static_cast<double>(shape_.depth) : 0;
  for (std::size_t i = 0; i < shape_.rows; ++i) {
    for (std::size_t j = 0; j < shape_.columns; ++j) {
      const auto got = static_cast<double>(c_.data()[i * shape_.columns + j]);
      const double expected = truth_[i * shape_.columns + j];
      if (std::abs(got - expected) <= error_max * a_norms_[i] * b_norms_[j]) continue;
      return fmt::format("row {}, column {} is {}, in double precision {}", i, j, got, expected);
    }
  }
  return {};
}

template class Operands<float, float>;
template class Operands<std::int8_t, std::int32_t>;
template class Operands<kernels::Bf16, float>;

}  // namespace boon::bench::gemm
