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
#include <cstring>

#include "boon/kernels/distance.h"
#include "boon/kernels/rows.h"

namespace boon::kernels {

// Lanes has, for floats: Vector, kWidth (how many), zero(), store(p, v), load(p) and load_first(p, n) from floats,
// Fp16, Bf16 or bytes, with zeros from lane n on, add, subtract, multiply_add(x, y, sum) = x * y + sum, halve_to_4(v)
// which sums down to four lanes, and not_finite(v), a bit a lane. For bytes, widened to 16 bits: Words, kWords,
// zero_words(), load_words(p), load_first_words(p, n), add_words (as 32-bit numbers), add_square_of_difference(sum, x,
// y), which adds neighbouring squares to one 32-bit number, and halve_words_to_4(v).
template <class Lanes>
struct SimdDistance {
  // What a pair of components adds to the sum. Both are symmetric to the bit: a - b and b - a differ in sign alone.
  struct SquaredDifference {
    using Vector = typename Lanes::Vector;
    static Vector add(Vector sum, Vector x, Vector y) noexcept {
      const Vector difference = Lanes::subtract(x, y);
      return Lanes::multiply_add(difference, difference, sum);
    }
  };
  struct Product {
    using Vector = typename Lanes::Vector;
    static Vector add(Vector sum, Vector x, Vector y) noexcept { return Lanes::multiply_add(x, y, sum); }
  };

  // The partial sums of one row, for a query of floats.
  template <class Term, class RowElement>
  struct FloatSums {
    using Query = float;
    using Row = RowElement;
    using Vector = typename Lanes::Vector;
    static constexpr std::size_t kWidth = Lanes::kWidth;
    Vector even;
    Vector odd;

    static Vector load(const float* p) noexcept { return Lanes::load(p); }
    static Vector load_first(const float* p, std::size_t n) noexcept { return Lanes::load_first(p, n); }
    // A function, not initialisers of the members: the constructor made from those stands outside the target region.
    static FloatSums none() noexcept { return {Lanes::zero(), Lanes::zero()}; }
    void add_two(Vector x, Vector y, const Row* row) noexcept {
      even = Term::add(even, x, Lanes::load(row));
      odd = Term::add(odd, y, Lanes::load(row + kWidth));
    }
    void add_one(Vector x, const Row* row) noexcept { even = Term::add(even, x, Lanes::load(row)); }
    void add_first(Vector x, const Row* row, std::size_t n) noexcept {
      odd = Term::add(odd, x, Lanes::load_first(row, n));
    }
    __m128 four_lanes() const noexcept { return Lanes::halve_to_4(Lanes::add(even, odd)); }
    float total() const noexcept { return sum_of_lanes(four_lanes()); }
    static __m128 totals(FloatSums a, FloatSums b, FloatSums c, FloatSums d) noexcept {
      return sums_of_lanes(a.four_lanes(), b.four_lanes(), c.four_lanes(), d.four_lanes());
    }
  };

  // The same for a query of bytes and rows of bytes, in whole numbers: any order gives one result.
  struct ByteSums {
    using Query = std::uint8_t;
    using Row = std::uint8_t;
    using Vector = typename Lanes::Words;
    static constexpr std::size_t kWidth = Lanes::kWords;
    Vector even;
    Vector odd;

    static Vector load(const std::uint8_t* p) noexcept { return Lanes::load_words(p); }
    static Vector load_first(const std::uint8_t* p, std::size_t n) noexcept { return Lanes::load_first_words(p, n); }
    static ByteSums none() noexcept { return {Lanes::zero_words(), Lanes::zero_words()}; }
    void add_two(Vector x, Vector y, const Row* row) noexcept {
      even = Lanes::add_square_of_difference(even, x, load(row));
      odd = Lanes::add_square_of_difference(odd, y, load(row + kWidth));
    }
    void add_one(Vector x, const Row* row) noexcept { even = Lanes::add_square_of_difference(even, x, load(row)); }
    void add_first(Vector x, const Row* row, std::size_t n) noexcept {
      odd = Lanes::add_square_of_difference(odd, x, load_first(row, n));
    }
    float total() const noexcept {
      const __m128i four = Lanes::halve_words_to_4(Lanes::add_words(even, odd));
      const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b00'00'11'10));
      const __m128i all = _mm_add_epi32(two, _mm_shuffle_epi32(two, 1));
      return static_cast<float>(static_cast<std::uint32_t>(_mm_cvtsi128_si32(all)));
    }
    static __m128 totals(const ByteSums& a, const ByteSums& b, const ByteSums& c, const ByteSums& d) noexcept {
      return _mm_setr_ps(a.total(), b.total(), c.total(), d.total());
    }
  };

  template <class Sums>
  static float one(const typename Sums::Query* query, const typename Sums::Row* row, std::size_t dim) noexcept {
    constexpr std::size_t kWidth = Sums::kWidth;
    Sums sums = Sums::none();
    std::size_t i = 0;
    for (; i + 2 * kWidth <= dim; i += 2 * kWidth) {
      sums.add_two(Sums::load(query + i), Sums::load(query + i + kWidth), row + i);
    }
    if (i + kWidth <= dim) {
      sums.add_one(Sums::load(query + i), row + i);
      i += kWidth;
    }
    if (i < dim) sums.add_first(Sums::load_first(query + i, dim - i), row + i, dim - i);
    return sums.total();
  }

  // Four rows share the loads of the query and the reduction, and their cache misses overlap.
  template <class Sums, class Row = typename Sums::Row>
  static void four(const typename Sums::Query* query, const Row* row_a, const Row* row_b, const Row* row_c,
                   const Row* row_d, std::size_t dim, float* out) noexcept {
    constexpr std::size_t kWidth = Sums::kWidth;
    Sums a = Sums::none(), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 2 * kWidth <= dim; i += 2 * kWidth) {
      const auto x = Sums::load(query + i);
      const auto y = Sums::load(query + i + kWidth);
      a.add_two(x, y, row_a + i);
      b.add_two(x, y, row_b + i);
      c.add_two(x, y, row_c + i);
      d.add_two(x, y, row_d + i);
    }
    if (i + kWidth <= dim) {
      const auto x = Sums::load(query + i);
      a.add_one(x, row_a + i);
      b.add_one(x, row_b + i);
      c.add_one(x, row_c + i);
      d.add_one(x, row_d + i);
      i += kWidth;
    }
    if (i < dim) {
      const std::size_t rest = dim - i;
      const auto x = Sums::load_first(query + i, rest);
      a.add_first(x, row_a + i, rest);
      b.add_first(x, row_b + i, rest);
      c.add_first(x, row_c + i, rest);
      d.add_first(x, row_d + i, rest);
    }
    _mm_storeu_ps(out, Sums::totals(a, b, c, d));
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

  template <class Sums, class Rows>
  static void many(const typename Sums::Query* query, std::size_t dim, const Rows& rows, std::size_t count,
                   float* out) noexcept {
    prefetch_rows(rows, 0, kRowsAhead, count, dim);
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      prefetch_rows(rows, i + kRowsAhead, i + kRowsAhead + 4, count, dim);
      four<Sums>(query, rows[i], rows[i + 1], rows[i + 2], rows[i + 3], dim, out + i);
    }
    if (const std::size_t rest = count - i; rest == 1) {
      out[i] = one<Sums>(query, rows[i], dim);
    } else if (rest > 1) {
      // Two or three rows: the last is repeated, which costs less than going one by one.
      float distances[4];
      four<Sums>(query, rows[i], rows[i + 1], rows[count - 1], rows[count - 1], dim, distances);
      for (std::size_t j = 0; j < rest; ++j) out[i + j] = distances[j];
    }
  }

  template <class Sums>
  static void gather(const typename Sums::Query* query, std::size_t dim, const typename Sums::Row* base,
                     std::size_t stride, const std::uint32_t* ids, std::size_t count, float* out) noexcept {
    many<Sums>(query, dim, GatheredRows<typename Sums::Row>{base, stride, ids}, count, out);
  }

  template <class Sums>
  static void consecutive(const typename Sums::Query* query, std::size_t dim, const typename Sums::Row* base,
                          std::size_t stride, std::size_t count, float* out) noexcept {
    many<Sums>(query, dim, ConsecutiveRows<typename Sums::Row>{base, stride}, count, out);
  }

  static std::size_t first_not_finite(const float* values, std::size_t count) noexcept {
    constexpr std::size_t kWidth = Lanes::kWidth;
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
    constexpr std::size_t kWidth = Lanes::kWidth;
    auto a = Lanes::zero(), b = a, c = a, d = a;
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

  template <class Row>
  static constexpr RowDistances<Row> row_distances() noexcept {
    using L2 = FloatSums<SquaredDifference, Row>;
    using Dot = FloatSums<Product, Row>;
    return {gather<L2>, gather<Dot>, consecutive<L2>, consecutive<Dot>, widen<Row>};
  }

  template <class Row>
  static void widen(const Row* row, std::size_t dim, float* out) noexcept {
    constexpr std::size_t kWidth = Lanes::kWidth;
    std::size_t i = 0;
    for (; i + kWidth <= dim; i += kWidth) Lanes::store(out + i, Lanes::load(row + i));
    if (i == dim) return;
    float last[kWidth];
    Lanes::store(last, Lanes::load_first(row + i, dim - i));
    std::memcpy(out + i, last, (dim - i) * sizeof *out);
  }

  static constexpr DistanceTable table(Isa isa, std::string_view isa_name) noexcept {
    using L2 = FloatSums<SquaredDifference, float>;
    using Dot = FloatSums<Product, float>;
    using L2OfBytes = FloatSums<SquaredDifference, std::uint8_t>;
    return {.isa = isa,
            .name = isa_name,
            .l2 = one<L2>,
            .dot = one<Dot>,
            .l2_gather = gather<L2>,
            .dot_gather = gather<Dot>,
            .l2_rows = consecutive<L2>,
            .dot_rows = consecutive<Dot>,
            .l2_u8 = one<ByteSums>,
            .l2_u8_gather = gather<ByteSums>,
            .l2_u8_rows = consecutive<ByteSums>,
            .l2_f32_u8_gather = gather<L2OfBytes>,
            .l2_f32_u8_rows = consecutive<L2OfBytes>,
            .fp16 = row_distances<Fp16>(),
            .bf16 = row_distances<Bf16>(),
            .first_not_finite = first_not_finite,
            .sum = sum};
  }
};

}  // namespace boon::kernels
