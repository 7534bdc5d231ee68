// Exact search in fp32 on rows as they stand, a query at a time: nothing is packed, so it suits few queries, and memory
// sets its pace.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "boon/kernels/distance.h"
#include "boon/kernels/knn_candidates.h"
#include "boon/kernels/knn_search.h"

namespace boon::kernels {
namespace {

// Rows scored at once: their scores stay in the first-level cache.
constexpr std::size_t kRun = 256;
// Products of a query of length 1 and of rows up to this long stay finite, whatever their order.
constexpr double kLengthMax = 0x1p100;

// What one query asks of rows. As in knn_bounds.h a larger t is nearer; but under L2, where differences are summed
// directly and a sum of squares is right to a share g of itself, it is -|q - x|^2.
struct RowQuery {
  std::vector<float> values;
  KnnScoreOfKey score_of_key;
  // t is from lower_slope * s - extra to upper_slope * s + extra, s being what the kernel gives (under cosine, times
  // the row's inverse length).
  double lower_slope = 1;
  double upper_slope = 1;
  double extra = 0;

  RowQuery(const KnnBase::Parts& base, const float* query) : values(query, query + base.rows.dim) {
    const KnnBounds bounds = base.bounds();
    if (base.space == KnnSpace::l2) {
      score_of_key = {0, 1};
      lower_slope = -1 - bounds.g;
      upper_slope = -1 + bounds.g;
      extra = bounds.tiny;
      return;
    }
    double squares = 0;
    for (const float value : values) squares += double{value} * value;
    const double length = std::sqrt(squares);
    const double scale = length > 0 ? 1 / length : 1;
    for (float& value : values) value = static_cast<float>(value * scale);
    if (base.space == KnnSpace::cosine) {
      score_of_key = {1, 1};
      extra = bounds.g + bounds.noise;  // the tiny of products is small beside rows of 2^-100 and longer
    } else {
      score_of_key = {0, scale};
      extra = (bounds.g + bounds.noise) * raw_length_max(base) + bounds.tiny;
    }
  }

  // Above the length of any row as it stands.
  static double raw_length_max(const KnnBase::Parts& base) noexcept {
    return (base.longest + base.frame.center_length) / base.frame.scale;
  }
};

// Scores of `count` rows of the piece, from its i-th on.
void score(const KnnPiece& piece, const float* query, std::size_t i, std::size_t count, float* out) noexcept {
  const KnnRows& rows = piece.base.rows;
  const bool l2 = piece.base.space == KnnSpace::l2;
  with_type(rows.element, [&]<class T>(std::type_identity<T>) {
    const RowDistances<T> distances = row_distances<T>(*piece.base.distances);
    const std::size_t stride = rows.stride_bytes / sizeof(T);
    if (piece.listed == nullptr) {
      (l2 ? distances.l2_rows : distances.dot_rows)(query, rows.dim, row_of<T>(rows, i), stride, count, out);
    } else {
      (l2 ? distances.l2_gather : distances.dot_gather)(query, rows.dim, row_of<T>(rows, 0), stride,
                                                        piece.listed->data() + i, count, out);
    }
  });
}

bool lengths_fit(const KnnBase::Parts& base) noexcept {
  if (base.space == KnnSpace::l2) return true;
  if (base.space == KnnSpace::inner_product) return base.fits && RowQuery::raw_length_max(base) <= kLengthMax;
  return std::all_of(base.inverse_lengths.begin(), base.inverse_lengths.end(), [](double inverse) {
    return inverse == 0 || (inverse >= 1 / kLengthMax && inverse <= kLengthMax);
  });
}

}  // namespace

bool rows_suit(const KnnBase::Parts& base) noexcept {
  // There are no products of floats with bytes.
  return (base.space == KnnSpace::l2 || base.rows.element != Element::u8) && lengths_fit(base);
}

void search_rows(const KnnPiece& piece, std::span<KnnNearest> found) {
  const KnnBase::Parts& base = piece.base;
  ExactQuery exact(*base.exact, base.rows, base.space, base.inverse_lengths.data());
  KnnCandidates candidates;
  std::vector<float> lowers;
  float scores[kRun];
  for (std::size_t q = 0; q < piece.queries; ++q) {
    const RowQuery query(base, piece.values(q));
    exact.set(piece.values(q));
    candidates.reset(found[q], found[q].wanted(), -std::numeric_limits<double>::infinity());
    for (std::size_t begin = piece.begin; begin < piece.end; begin += kRun) {
      const std::size_t count = std::min(kRun, piece.end - begin);
      score(piece, query.values.data(), begin, count, scores);
      bool full = false;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = piece.row(begin + i);
        const double inverse = base.space == KnnSpace::cosine ? base.inverse_lengths[row] : 1;
        const double s = inverse * scores[i];
        const double upper = query.upper_slope * s + query.extra;
        if (upper < candidates.tau()) continue;
        full = candidates.offer(row, query.lower_slope * s - query.extra, upper) || full;
      }
      if (full && !candidates.prune(*base.floats, query.score_of_key, lowers))
        candidates.compare(exact, query.score_of_key);
    }
    candidates.prune(*base.floats, query.score_of_key, lowers);
    candidates.compare(exact, query.score_of_key);
  }
}

}  // namespace boon::kernels
