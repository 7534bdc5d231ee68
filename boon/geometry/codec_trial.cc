#include "boon/geometry/codec_trial.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "boon/codec/codec.h"
#include "boon/geometry/moments.h"
#include "boon/geometry/neighbours.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRowsLeast = 100;
constexpr std::size_t kQueriesMax = 200;
constexpr std::size_t kNearest = 10;

struct Trial {
  TrialCode code;
  std::string_view name;
  std::string_view codec;
  double bits;
};
constexpr Trial kTrials[] = {{TrialCode::int8, "int8", "int8", 8},
                             {TrialCode::nvfp4, "nvfp4", "nvfp4", 4.5},
                             {TrialCode::binary, "1-bit", "rabitq1", 1}};

// How rows are changed before they are encoded. What is near stays so: squared distances and products change by one
// factor.
struct Change {
  std::vector<double> centre;          // taken away
  const Rotation* rotation = nullptr;  // then, if there is one

  // Divided, too, by a power of two so that the largest component is near 1.
  PointSet operator()(const Points& points) const {
    double largest = 0;
    for (std::size_t row = 0; row < points.count; ++row) {
      for (std::size_t i = 0; i < points.dim; ++i) largest = std::max(largest, std::abs(points[row][i] - centre[i]));
    }
    const int exponent = largest > 0 ? -std::ilogb(largest) : 0;
    PointSet result{.dim = points.dim, .values = std::vector<float>(points.count * points.dim)};
    for (std::size_t row = 0; row < points.count; ++row) {
      for (std::size_t i = 0; i < points.dim; ++i) {
        result.values[row * points.dim + i] = static_cast<float>(std::ldexp(points[row][i] - centre[i], exponent));
      }
    }
    if (rotation != nullptr) rotation->forward(result.points(), result.values.data());
    return result;
  }
};

struct Rows {
  PointSet held;    // what is encoded
  PointSet asking;  // queries
};

Rows changed(const Points& points, const Change& change, const Neighbours& truth, bool products) {
  Rows rows{.held = change(points), .asking = {}};
  // Products with what was taken away are the same for all rows, so queries ask whole.
  rows.asking = products
                    ? Change{std::vector<double>(points.dim), change.rotation}(gather(points, truth.queries).points())
                    : gather(rows.held.points(), truth.queries);
  return rows;
}

// Where true neighbours stand among all rows but the query, ranked by the scores of their codes; sorted.
std::vector<double> ranks_by_code(const codec::Codec& encoder, codec::Metric metric, const Rows& rows,
                                  const Neighbours& truth) {
  const std::size_t bytes = encoder.record_bytes(), count = rows.held.size();
  std::vector<std::uint8_t> records(count * bytes);
  encoder.encode(kernels::row_major<const float>(rows.held.values.data(), count, rows.held.dim), records);
  std::vector<double> ranks;
  std::vector<float> scores(count);
  for (std::size_t q = 0; q < truth.size(); ++q) {
    encoder.query(rows.asking[q], metric)->score({records.data(), bytes}, nullptr, count, scores.data());
    for (std::size_t j = 0; j < truth.k; ++j) {
      const std::uint32_t row = truth.rows[q * truth.k + j];
      std::size_t before = 0;
      for (std::size_t r = 0; r < count; ++r) {
        const bool nearer = scores[r] < scores[row] || (scores[r] == scores[row] && r < row);
        before += nearer && r != truth.queries[q] ? 1 : 0;
      }
      ranks.push_back(static_cast<double>(before + 1));
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

CodecRanking ranking_of(const std::vector<double>& ranks) {
  const auto total = static_cast<double>(ranks.size());
  const auto within = [&](std::size_t places) {
    return static_cast<double>(std::ranges::upper_bound(ranks, static_cast<double>(places)) - ranks.begin()) / total;
  };
  const double needed = ranks[static_cast<std::size_t>(std::ceil(0.99 * total)) - 1];
  return {.recall = within(kNearest),
          .among_twenty = within(2 * kNearest),
          .candidates = std::max(kNearest, static_cast<std::size_t>(needed))};
}

}  // namespace

std::string_view name(TrialCode code) noexcept {
  return std::ranges::find(kTrials, code, &Trial::code)->name;
}

std::vector<CodecTrial> try_codecs(const Points& points, kernels::KnnSpace space, std::uint64_t seed) {
  check_points(points);
  if (points.count < kRowsLeast || points.dim > codec::kDimMax) return {};
  const auto queries = sample_rows(points.count, kQueriesMax, seed);
  const Neighbours truth = find_neighbours(points, queries, kNearest, space);
  const Rotation rotation({.dim = points.dim, .seed = seed});
  const bool products = space == kernels::KnnSpace::inner_product;
  const auto metric = products ? codec::Metric::inner_product : codec::Metric::l2;
  const Rows plain = changed(points, {std::vector<double>(points.dim)}, truth, products);
  const Rows rotated = changed(points, {mean_of(points), &rotation}, truth, products);

  std::vector<CodecTrial> trials;
  for (const Trial& trial : kTrials) {
    const auto encoder = codec::make_codec({.name = std::string(trial.codec), .dim = points.dim, .centre = {}});
    trials.push_back({.code = trial.code,
                      .bits = trial.bits,
                      .plain = ranking_of(ranks_by_code(*encoder, metric, plain, truth)),
                      .rotated = ranking_of(ranks_by_code(*encoder, metric, rotated, truth))});
  }
  return trials;
}

}  // namespace boon::geometry
