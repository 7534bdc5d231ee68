// Internal: how wrong a score may be, so that no row that belongs among the k nearest is passed over.
//
// Scores. Rows and queries are seen in a frame (knn_frame.h) in which nearer rows have a larger
//
//   t = q.x - |x|^2 / 2 under L2,   t = q.x otherwise,
//
// q and x being real vectors here; q' and x' are what is held of them in fp32. The key of a row, its distance in double
// as it is ranked (knn_exact.h), corresponds to offset - factor * key, which is t but for roundings in double. Let tau
// be what the k-th best key so far corresponds to. A row whose t is below tau by more than those roundings is farther
// than k others, and stays out whatever comes. So a row must be looked at if (score + bound) >= tau, and may be left if
// not; ties in the key are among those that are looked at.
//
// The bound holds both ways: what a row's key corresponds to is from score - bound to score + bound. So tau may be
// raised, with no distance in double, to what k rows reach with their score - bound: k keys correspond to as much.
//
// Roundings in double. u64 = 2^-53. A sum of dim terms has a relative error of at most (dim + 3) u64 where all terms
// are positive (L2), and of that times |q||x| for products; lengths of cosine add dim / 2 + 4 of them. Both for the row
// and for the k-th best, and with the subtraction that makes t of a key, they are below noise (|q|^2 + |x|^2 + extra),
// where noise = 8 (4 dim + 64) u64 and extra stands for the center, which under L2 does not take part, and for
// length 1.
//
// fp32. u = 2^-24. A start rounded once, less the threshold, then dim products added one by one, fused or not, differ
// from the real value by at most gamma(dim + 2) (|start| + |threshold| + sum |q'||x'|), where gamma(n) = n u / (1 - n
// u) (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1); sum |q'||x'| <= |q'||x'|. x' differs from
// x by u |x'|, under cosine by 3 u more (its inverse length is rounded, and multiplied by); q' from q by u |q'|. The
// start is right to 2 u. Together, with 16 for the small change: g (|q|(|x| + 1 under cosine) + |x|^2 + |tau|), where
// g = 1.1 (dim + 16) u covers 1 / (1 - n u) up to kDimMax. What underflow takes is at most 2^-149 in each operation.
//
// Codes. x = s c + r with whole numbers c, likewise q = s' c' + r'. Then q.x - s s' c.c' = s' c'.r + r'.x, so by
// Cauchy-Schwarz it is at most |s' c'||r| + |r'||x|. |r| and |x| are the largest of the panel. c.c' is exact. What the
// threshold and the start lose as whole numbers is for code_thresholds to make good.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace boon::kernels {

// The float below a number, and the one above.
inline float float_below(double value) noexcept {
  return std::nextafter(static_cast<float>(value), -std::numeric_limits<float>::infinity());
}
inline float float_above(double value) noexcept {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

struct KnnBounds {
  double noise;   // as above
  double g;       // of fp32
  double tiny;    // of underflow, a unit of length
  double extra;   // squared length of the center (0 under L2), and 1 under cosine
  double length;  // 1 under cosine
  bool is_l2;

  KnnBounds(std::size_t dim, double center_length, bool l2, bool cosine) noexcept
      : noise(8 * (4 * static_cast<double>(dim) + 64) * 0x1p-53),
        g(1.1 * (static_cast<double>(dim) + 16) * 0x1p-24),
        tiny(static_cast<double>(dim) * 0x1p-146),
        extra((l2 ? 0 : center_length * center_length) + (cosine ? 1 : 0)),
        length(cosine ? 1 : 0),
        is_l2(l2) {}

  // What a query adds for every row: to a score of floats, and to one of codes, of which only the threshold is rounded.
  double of_query(double query_length, double longest, double tau) const noexcept {
    return g * std::abs(tau) + common(query_length, longest);
  }
  double of_coded_query(double query_length, double longest, double tau) const noexcept {
    return 16 * 0x1p-24 * std::abs(tau) + common(query_length, longest);
  }

  // KnnTile.first, .second and KnnPanels.first, .second of floats; the products are rounded by themselves.
  float first_of_query(double query_length) const noexcept { return above(g * query_length); }
  float second_of_query() const noexcept { return above(1); }
  float first_of_panel(double longest) const noexcept { return above(longest + length); }
  float second_of_panel(double longest) const noexcept { return above(((is_l2 ? g : 0) + noise) * longest * longest); }

  // The same of codes: |s' c'| meets |r|, and |r'| meets |x|.
  float first_of_coded_query(double coded_length) const noexcept { return above(coded_length); }
  float second_of_coded_query(double rest, double query_length, double longest) const noexcept {
    return above(rest + 2 * 0x1p-24 * query_length + noise * longest);
  }
  float first_of_coded_panel(double rest, double longest) const noexcept {
    return above(rest + 4 * 0x1p-24 * (longest + length));
  }
  float second_of_coded_panel(double longest) const noexcept { return above(longest); }

 private:
  double common(double query_length, double longest) const noexcept {
    return noise * (query_length * query_length + extra) + tiny * (1 + query_length + longest);
  }
  // With room for the roundings of a threshold's own computation.
  static float above(double value) noexcept { return float_above(value * (1 + 0x1p-19)); }
};

}  // namespace boon::kernels
