// Internal: the vector loops, written once for every width. A file per instruction set defines Lanes, includes this
// inside its target region and instantiates it; all is inside a class template over that file's own Lanes, so no two
// files share a function.
//
// Invariants
//  1. A row's partial sums are taken in one order: vector 2j goes to the even sum, 2j + 1 to the odd one, and they are
//     reduced by one tree. So a row has the same bits alone, among four and in any place of a gather.
//  2. Nothing past the end of a row is read: the last vector is loaded under a mask.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/kernels/distance.h"
#include "boon/kernels/rows.h"

namespace boon::kernels {

// Lanes has: Vector, kWidth (floats), zero(), load(p), load_first(p, n) with zeros from lane n on, add, subtract,
// multiply_add(x, y, sum) = x * y + sum, halve_to_4(v) which sums down to four lanes, and not_finite(v), a bit a lane.
template <class Lanes>
struct SimdDistance {
  using Vector = typename Lanes::Vector;
  static constexpr std::size_t kWidth = Lanes::kWidth;

  // What a pair of components adds to the sum. Both are symmetric to the bit: a - b and b - a differ in sign alone.
  struct SquaredDifference {
    static Vector add(Vector sum, Vector x, Vector y) noexcept {
      const Vector difference = Lanes::subtract(x, y);
      return Lanes::multiply_add(difference, difference, sum);
    }
  };
  struct Product {
    static Vector add(Vector sum, Vector x, Vector y) noexcept { return Lanes::multiply_add(x, y, sum); }
  };

  template <class Term>
  struct Sums {
    Vector even;
    Vector odd;

    // A function, not initialisers of the members: the constructor made from those stands outside the target region.
    static Sums none() noexcept { return {Lanes::zero(), Lanes::zero()}; }
    void add_two(Vector x, Vector y, const float* row) noexcept {
      even = Term::add(even, x, Lanes::load(row));
      odd = Term::add(odd, y, Lanes::load(row + kWidth));
    }
    void add_one(Vector x, const float* row) noexcept { even = Term::add(even, x, Lanes::load(row)); }
    void add_first(Vector x, const float* row, std::size_t n) noexcept {
      odd = Term::add(odd, x, Lanes::load_first(row, n));
    }
    __m128 four_lanes() const noexcept { return Lanes::halve_to_4(Lanes::add(even, odd)); }
  };

  template <class Term>
  static float one(const float* query, const float* row, std::size_t dim) noexcept {
    Sums<Term> sums = Sums<Term>::none();
    std::size_t i = 0;
    for (; i + 2 * kWidth <= dim; i += 2 * kWidth) {
      sums.add_two(Lanes::load(query + i), Lanes::load(query + i + kWidth), row + i);
    }
    if (i + kWidth <= dim) {
      sums.add_one(Lanes::load(query + i), row + i);
      i += kWidth;
    }
    if (i < dim) sums.add_first(Lanes::load_first(query + i, dim - i), row + i, dim - i);
    return sum_of_lanes(sums.four_lanes());
  }

  // Four rows share the loads of the query and the reduction, and their cache misses overlap.
  template <class Term>
  static void four(const float* query, const float* row_a, const float* row_b, const float* row_c, const float* row_d,
                   std::size_t dim, float* out) noexcept {
    Sums<Term> a = Sums<Term>::none(), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 2 * kWidth <= dim; i += 2 * kWidth) {
      const Vector x = Lanes::load(query + i);
      const Vector y = Lanes::load(query + i + kWidth);
      a.add_two(x, y, row_a + i);
      b.add_two(x, y, row_b + i);
      c.add_two(x, y, row_c + i);
      d.add_two(x, y, row_d + i);
    }
    if (i + kWidth <= dim) {
      const Vector x = Lanes::load(query + i);
      a.add_one(x, row_a + i);
      b.add_one(x, row_b + i);
      c.add_one(x, row_c + i);
      d.add_one(x, row_d + i);
      i += kWidth;
    }
    if (i < dim) {
      const std::size_t rest = dim - i;
      const Vector x = Lanes::load_first(query + i, rest);
      a.add_first(x, row_a + i, rest);
      b.add_first(x, row_b + i, rest);
      c.add_first(x, row_c + i, rest);
      d.add_first(x, row_d + i, rest);
    }
    _mm_storeu_ps(out, sums_of_lanes(a.four_lanes(), b.four_lanes(), c.four_lanes(), d.four_lanes()));
  }

  // (v0 + v2) + (v1 + v3), as sums_of_lanes adds.
  static float sum_of_lanes(__m128 v) noexcept {
    const __m128 pairs = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }
  static __m128 sums_of_lanes(__m128 a, __m128 b, __m128 c, __m128 d) noexcept {
    const __m128 ab = _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
    const __m128 cd = _mm_add_ps(_mm_movelh_ps(c, d), _mm_movehl_ps(d, c));
    return _mm_add_ps(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)), _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
  }

  template <class Term, class Rows>
  static void many(const float* query, std::size_t dim, const Rows& rows, std::size_t count, float* out) noexcept {
    prefetch_rows(rows, 0, kRowsAhead, count, dim);
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      prefetch_rows(rows, i + kRowsAhead, i + kRowsAhead + 4, count, dim);
      four<Term>(query, rows[i], rows[i + 1], rows[i + 2], rows[i + 3], dim, out + i);
    }
    if (const std::size_t rest = count - i; rest == 1) {
      out[i] = one<Term>(query, rows[i], dim);
    } else if (rest > 1) {
      // Two or three rows: the last is repeated, which costs less than going one by one.
      float distances[4];
      four<Term>(query, rows[i], rows[i + 1], rows[count - 1], rows[count - 1], dim, distances);
      for (std::size_t j = 0; j < rest; ++j) out[i + j] = distances[j];
    }
  }

  template <class Term>
  static void gather(const float* query, std::size_t dim, const float* base, std::size_t stride,
                     const std::uint32_t* ids, std::size_t count, float* out) noexcept {
    many<Term>(query, dim, GatheredRows{base, stride, ids}, count, out);
  }

  template <class Term>
  static void consecutive(const float* query, std::size_t dim, const float* base, std::size_t stride, std::size_t count,
                          float* out) noexcept {
    many<Term>(query, dim, ConsecutiveRows{base, stride}, count, out);
  }

  static std::size_t first_not_finite(const float* values, std::size_t count) noexcept {
    std::size_t i = 0;
    for (; i + kWidth <= count; i += kWidth) {
      const std::uint32_t found = Lanes::not_finite(Lanes::load(values + i));
      if (found != 0) return i + static_cast<std::size_t>(__builtin_ctz(found));
    }
    if (i == count) return count;
    const std::uint32_t found = Lanes::not_finite(Lanes::load_first(values + i, count - i));
    return found == 0 ? count : i + static_cast<std::size_t>(__builtin_ctz(found));
  }

  // Four sums hide the latency of an addition.
  static float sum(const float* values, std::size_t count) noexcept {
    Vector a = Lanes::zero(), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
      a = Lanes::add(a, Lanes::load(values + i));
      b = Lanes::add(b, Lanes::load(values + i + kWidth));
      c = Lanes::add(c, Lanes::load(values + i + 2 * kWidth));
      d = Lanes::add(d, Lanes::load(values + i + 3 * kWidth));
    }
    for (; i + kWidth <= count; i += kWidth) a = Lanes::add(a, Lanes::load(values + i));
    if (i < count) b = Lanes::add(b, Lanes::load_first(values + i, count - i));
    return sum_of_lanes(Lanes::halve_to_4(Lanes::add(Lanes::add(a, b), Lanes::add(c, d))));
  }

  static constexpr DistanceTable table(Isa isa, std::string_view isa_name) noexcept {
    return {.isa = isa,
            .name = isa_name,
            .l2 = one<SquaredDifference>,
            .dot = one<Product>,
            .l2_gather = gather<SquaredDifference>,
            .dot_gather = gather<Product>,
            .l2_rows = consecutive<SquaredDifference>,
            .dot_rows = consecutive<Product>,
            .first_not_finite = first_not_finite,
            .sum = sum};
  }
};

}  // namespace boon::kernels
