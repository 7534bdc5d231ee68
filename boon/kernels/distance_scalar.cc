// Distances without intrinsics: the plain version that the others are measured against, and the one that every
// x86-64 processor runs.
#include <bit>
#include <cstddef>
#include <cstdint>

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

struct SquaredDifference {
  static float of(float x, float y) noexcept { return (x - y) * (x - y); }
};
struct Product {
  static float of(float x, float y) noexcept { return x * y; }
};

float sum_of(float (&sums)[kSums]) noexcept {
  for (std::size_t width = kSums / 2; width > 0; width /= 2) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  }
  return sums[0];
}

template <class Term>
float one(const float* a, const float* b, std::size_t dim) noexcept {
  float sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= dim; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += Term::of(a[i + j], b[i + j]);
  }
  for (std::size_t j = 0; i + j < dim; ++j) sums[j] += Term::of(a[i + j], b[i + j]);
  return sum_of(sums);
}

template <class Term, class Rows>
void many(const float* query, std::size_t dim, const Rows& rows, std::size_t count, float* out) noexcept {
  prefetch_rows(rows, 0, kRowsAhead, count, dim);
  for (std::size_t i = 0; i < count; ++i) {
    prefetch_rows(rows, i + kRowsAhead, i + kRowsAhead + 1, count, dim);
    out[i] = one<Term>(query, rows[i], dim);
  }
}

template <class Term>
void gather(const float* query, std::size_t dim, const float* base, std::size_t stride, const std::uint32_t* ids,
            std::size_t count, float* out) noexcept {
  many<Term>(query, dim, GatheredRows{base, stride, ids}, count, out);
}

template <class Term>
void consecutive(const float* query, std::size_t dim, const float* base, std::size_t stride, std::size_t count,
                 float* out) noexcept {
  many<Term>(query, dim, ConsecutiveRows{base, stride}, count, out);
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

}  // namespace

constinit const DistanceTable kScalarTable = {.isa = Isa::scalar,
                                              .name = "scalar",
                                              .l2 = one<SquaredDifference>,
                                              .dot = one<Product>,
                                              .l2_gather = gather<SquaredDifference>,
                                              .dot_gather = gather<Product>,
                                              .l2_rows = consecutive<SquaredDifference>,
                                              .dot_rows = consecutive<Product>,
                                              .first_not_finite = first_not_finite,
                                              .sum = sum};

}  // namespace boon::kernels
BOON_TARGET_END
