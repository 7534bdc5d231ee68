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

// Less `centre`, divided by a power of two so that the largest component is near 1, and rotated. What is near stays so:
// squared distances and products change by one factor.
PointSet turned(const Points& points, const std::vector<double>& centre, const Rotation& rotation) {
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
  rotation.forward(result.points(), result.values.data());
  return result;
}

// Where true neighbours stand among all rows but the query, ranked by the scores of their codes.
std::vector<double> ranks_by_code(const codec::Codec& encoder, codec::Metric metric, const PointSet& rows,
                                  const PointSet& asking, const Neighbours& truth) {
  const std::size_t bytes = encoder.record_bytes();
  std::vector<std::uint8_t> records(rows.size() * bytes);
  encoder.encode(kernels::row_major<const float>(rows.values.data(), rows.size(), rows.dim), records);
  std::vector<double> ranks;
  std::vector<float> scores(rows.size());
  for (std::size_t q = 0; q < truth.size(); ++q) {
    encoder.query(asking[q], metric)->score({records.data(), bytes}, nullptr, rows.size(), scores.data());
    for (std::size_t j = 0; j < truth.k; ++j) {
      const std::uint32_t row = truth.rows[q * truth.k + j];
      std::size_t before = 0;
      for (std::size_t r = 0; r < scores.size(); ++r) {
        const bool nearer = scores[r] < scores[row] || (scores[r] == scores[row] && r < row);
        before += nearer && r != truth.queries[q] ? 1 : 0;
      }
      ranks.push_back(static_cast<double>(before + 1));
    }
  }
  return ranks;
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
  const PointSet rows = turned(points, mean_of(points), rotation);
  const bool products = space == kernels::KnnSpace::inner_product;
  // Products with the mean were taken away from rows; what is left of them is the same for all. Not so for queries.
  const PointSet asking = products ? turned(gather(points, queries).points(), std::vector<double>(points.dim), rotation)
                                   : gather(rows.points(), queries);

  std::vector<CodecTrial> trials;
  for (const Trial& trial : kTrials) {
    const auto encoder = codec::make_codec({.name = std::string(trial.codec), .dim = points.dim, .centre = {}});
    const auto metric = products ? codec::Metric::inner_product : codec::Metric::l2;
    std::vector<double> ranks = ranks_by_code(*encoder, metric, rows, asking, truth);
    std::sort(ranks.begin(), ranks.end());
    const auto found = std::ranges::upper_bound(ranks, static_cast<double>(kNearest)) - ranks.begin();
    const double needed = ranks[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(ranks.size()))) - 1];
    trials.push_back({.code = trial.code,
                      .bits = trial.bits,
                      .recall = static_cast<double>(found) / static_cast<double>(ranks.size()),
                      .candidates = std::max(kNearest, static_cast<std::size_t>(needed))});
  }
  return trials;
}

}  // namespace boon::geometry
