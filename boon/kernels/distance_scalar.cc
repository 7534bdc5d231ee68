// Distances without intrinsics: the plain version that the others are measured against, and the one that every
// x86-64 processor runs.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "boon/kernels/element.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/tables.h"
#include "boon/kernels/target.h"

// Whatever -march says, a multiplication and an addition here stay two roundings, so this table gives the same bits
// in every build.
BOON_TARGET_BEGIN("no-avx")

namespace boon::kernels {
namespace {

// Independent partial sums: the compiler keeps them in SSE2 registers, which a single sum would forbid.
constexpr std::size_t kSums = 16;

// What a pair of components adds to a sum; Sum is float, or whole where both are bytes.
struct SquaredDifference {
  template <class Sum>
  static Sum of(Sum x, Sum y) noexcept {
    return (x - y) * (x - y);
  }
};
struct Product {
  template <class Sum>
  static Sum of(Sum x, Sum y) noexcept {
    return x * y;
  }
};

template <class Sum>
Sum sum_of(Sum (&sums)[kSums]) noexcept {
  for (std::size_t width = kSums / 2; width > 0; width /= 2) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  }
  return sums[0];
}

template <class Sum, class Element>
Sum widened(Element x) noexcept {
  if constexpr (std::is_same_v<Sum, float>) {
    return to_float(x);
  } else {
    return x;
  }
}

template <class Term, class Query, class Row>
float one(const Query* a, const Row* b, std::size_t dim) noexcept {
  using Sum = std::conditional_t<std::is_same_v<Query, float>, float, std::uint32_t>;
  Sum sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= dim; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += Term::of(widened<Sum>(a[i + j]), widened<Sum>(b[i + j]));
  }
  for (std::size_t j = 0; i + j < dim; ++j) sums[j] += Term::of(widened<Sum>(a[i + j]), widened<Sum>(b[i + j]));
  return static_cast<float>(sum_of(sums));
}

template <class Term, class Query, class Rows>
void many(const Query* query, std::size_t dim, const Rows& rows, std::size_t count, float* out) noexcept {
  prefetch_rows(rows, 0, kRowsAhead, count, dim);
  for (std::size_t i = 0; i < count; ++i) {
    prefetch_rows(rows, i + kRowsAhead, i + kRowsAhead + 1, count, dim);
    out[i] = one<Term>(query, rows[i], dim);
  }
}

template <class Term, class Query, class Row>
void gather(const Query* query, std::size_t dim, const Row* base, std::size_t stride, const std::uint32_t* ids,
            std::size_t count, float* out) noexcept {
  many<Term>(query, dim, GatheredRows<Row>{base, stride, ids}, count, out);
}

template <class Term, class Query, class Row>
void consecutive(const Query* query, std::size_t dim, const Row* base, std::size_t stride, std::size_t count,
                 float* out) noexcept {
  many<Term>(query, dim, ConsecutiveRows<Row>{base, stride}, count, out);
}

// An exponent of all ones is an infinity or a NaN. Not std::isfinite, which -ffast-math would take for true.
std::size_t first_not_finite(const float* values, std::size_t count) noexcept {
  constexpr std::uint32_t kExponent = 0x7f800000;
  for (std::size_t i = 0; i < count; ++i) {
    if ((std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent) return i;
  }
  return count;
}

float sum(const float* values, std::size_t count) noexcept {
  float sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += values[i + j];
  }
  for (std::size_t j = 0; i + j < count; ++j) sums[j] += values[i + j];
  return sum_of(sums);
}

template <class Row>
void widen(const Row* row, std::size_t dim, float* out) noexcept {
  for (std::size_t i = 0; i < dim; ++i) out[i] = to_float(row[i]);
}

template <class Row>
constexpr RowDistances<Row> kRowDistances = {gather<SquaredDifference, float, Row>, gather<Product, float, Row>,
                                             consecutive<SquaredDifference, float, Row>,
                                             consecutive<Product, float, Row>, widen<Row>};

}  // namespace

constinit const DistanceTable kScalarTable = {.isa = Isa::scalar,
                                              .name = "scalar",
                                              .l2 = one<SquaredDifference>,
                                              .dot = one<Product>,
                                              .l2_gather = gather<SquaredDifference>,
                                              .dot_gather = gather<Product>,
                                              .l2_rows = consecutive<SquaredDifference>,
                                              .dot_rows = consecutive<Product>,
                                              .l2_u8 = one<SquaredDifference>,
                                              .l2_u8_gather = gather<SquaredDifference>,
                                              .l2_u8_rows = consecutive<SquaredDifference>,
                                              .l2_f32_u8_gather = gather<SquaredDifference>,
                                              .l2_f32_u8_rows = consecutive<SquaredDifference>,
                                              .fp16 = kRowDistances<Fp16>,
                                              .bf16 = kRowDistances<Bf16>,
                                              .first_not_finite = first_not_finite,
                                              .sum = sum};

}  // namespace boon::kernels
BOON_TARGET_END
