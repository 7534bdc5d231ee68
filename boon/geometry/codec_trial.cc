#include "boon/geometry/codec_trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "boon/geometry/linear.h"
#include "boon/geometry/moments.h"
#include "boon/geometry/neighbours.h"
#include "boon/geometry/rotation.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRowsLeast = 100;
constexpr std::size_t kQueriesMax = 200;
constexpr std::size_t kNearest = 10;

float largest_of(std::span<const float> values) noexcept {
  float largest = 0;
  for (const float x : values) largest = std::max(largest, std::abs(x));
  return largest;
}

void to_int8(std::span<float> row) noexcept {
  const float scale = largest_of(row) / 127;
  if (scale == 0) return;
  for (float& x : row) x = std::nearbyint(x / scale) * scale;
}

// To the nearest number of 3 bits after the binary point, from 2^-9 to 448, as E4M3 has them.
float to_e4m3(float x) noexcept {
  if (x == 0) return 0;
  int exponent = 0;
  std::frexp(x, &exponent);
  const float unit = std::ldexp(1.0F, std::max(exponent - 4, -9));
  return std::clamp(std::nearbyint(x / unit) * unit, 0x1p-9F, 448.0F);
}

float to_e2m1(float x) noexcept {
  constexpr std::array kBetween{0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F};
  constexpr std::array kValues{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  const auto place = std::ranges::lower_bound(kBetween, std::abs(x)) - kBetween.begin();
  return std::copysign(kValues[static_cast<std::size_t>(place)], x);
}

void to_nvfp4(std::span<float> row) noexcept {
  constexpr std::size_t kBlock = 16;
  const float whole = largest_of(row) / (6 * 448);  // the largest scale of a block is then the largest of E4M3
  if (whole == 0) return;
  for (std::size_t begin = 0; begin < row.size(); begin += kBlock) {
    const std::span<float> block = row.subspan(begin, std::min(kBlock, row.size() - begin));
    const float scale = to_e4m3(largest_of(block) / 6 / whole) * whole;
    for (float& x : block) x = scale == 0 ? 0 : to_e2m1(std::min(6.0F, std::max(-6.0F, x / scale))) * scale;
  }
}

// As RaBitQ scales signs (Gao & Long, SIGMOD 2024): the product with the row itself is then its squared length.
void to_signs(std::span<float> row) noexcept {
  double sum = 0;
  for (const float x : row) sum += std::abs(static_cast<double>(x));
  if (sum == 0) return;
  const auto scale = static_cast<float>(squared_length(row) / sum);
  for (float& x : row) x = std::copysign(scale, x);
}

void encode(TrialCode code, std::span<float> row) noexcept {
  switch (code) {
    case TrialCode::int8:
      return to_int8(row);
    case TrialCode::nvfp4:
      return to_nvfp4(row);
    case TrialCode::binary:
      return to_signs(row);
  }
}

double bits_of(TrialCode code) noexcept {
  return code == TrialCode::int8 ? 8 : code == TrialCode::nvfp4 ? 4.5 : 1;
}

// Rotated about the mean, which changes no distance, and products by the same for all rows.
PointSet turned(const Points& points, std::uint64_t seed) {
  const std::vector<double> mean = mean_of(points);
  PointSet result{.dim = points.dim, .values = std::vector<float>(points.count * points.dim)};
  for (std::size_t row = 0; row < points.count; ++row) {
    for (std::size_t i = 0; i < points.dim; ++i) {
      result.values[row * points.dim + i] = static_cast<float>(points[row][i] - mean[i]);
    }
  }
  Rotation({.dim = points.dim, .seed = seed}).forward(result.points(), result.values.data());
  return result;
}

// Scores of all rows, the lower the nearer, for one query.
class Scorer {
 public:
  Scorer(const PointSet& rows, TrialCode code, kernels::KnnSpace space) : count_(rows.size()), lengths_(count_) {
    columns_.resize(rows.values.size());
    std::vector<float> row(rows.dim);
    for (std::size_t r = 0; r < count_; ++r) {
      std::ranges::copy(rows[r], row.begin());
      // A binary code keeps the length of its row beside it.
      const auto exact = static_cast<float>(squared_length(row));
      encode(code, row);
      const auto coded = static_cast<float>(squared_length(row));
      if (space == kernels::KnnSpace::l2) lengths_[r] = (code == TrialCode::binary ? exact : coded) / 2;
      for (std::size_t i = 0; i < rows.dim; ++i) columns_[i * count_ + r] = row[i];
    }
  }

  std::vector<float> scores(std::span<const float> query) const {
    std::vector<float> products(count_);
    linear().add_products_f32(query.data(), 1, query.size(), columns_.data(), count_, products.data(), count_);
    for (std::size_t r = 0; r < count_; ++r) products[r] = lengths_[r] - products[r];
    return products;
  }

 private:
  std::size_t count_;
  std::vector<float> columns_;  // dim x count
  std::vector<float> lengths_;
};

}  // namespace

std::string_view name(TrialCode code) noexcept {
  switch (code) {
    case TrialCode::int8:
      return "int8";
    case TrialCode::nvfp4:
      return "nvfp4";
    case TrialCode::binary:
      break;
  }
  return "1-bit";
}

std::vector<CodecTrial> try_codecs(const Points& points, kernels::KnnSpace space, std::uint64_t seed) {
  check_points(points);
  if (points.count < kRowsLeast) return {};
  const auto queries = sample_rows(points.count, kQueriesMax, seed);
  const Neighbours truth = find_neighbours(points, queries, kNearest, space);
  const PointSet rows = turned(points, seed);
  // Products with the mean were taken away from rows; what is left of them is the same for all. Not so for queries.
  PointSet asking = gather(points, queries);
  Rotation({.dim = points.dim, .seed = seed}).forward(asking.points(), asking.values.data());
  if (space == kernels::KnnSpace::l2) asking = gather(rows.points(), queries);

  std::vector<CodecTrial> trials;
  for (const TrialCode code : {TrialCode::int8, TrialCode::nvfp4, TrialCode::binary}) {
    const Scorer scorer(rows, code, space);
    std::vector<double> ranks;  // of each true neighbour among all rows but the query
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const std::vector<float> scores = scorer.scores(asking[q]);
      for (std::size_t j = 0; j < truth.k; ++j) {
        const std::uint32_t row = truth.rows[q * truth.k + j];
        std::size_t before = 0;
        for (std::size_t r = 0; r < scores.size(); ++r) {
          const bool nearer = scores[r] < scores[row] || (scores[r] == scores[row] && r < row);
          before += nearer && r != queries[q] ? 1 : 0;
        }
        ranks.push_back(static_cast<double>(before + 1));
      }
    }
    std::sort(ranks.begin(), ranks.end());
    const auto found = std::ranges::upper_bound(ranks, static_cast<double>(kNearest)) - ranks.begin();
    const double needed = ranks[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(ranks.size()))) - 1];
    trials.push_back({.code = code,
                      .bits = bits_of(code),
                      .recall = static_cast<double>(found) / static_cast<double>(ranks.size()),
                      .candidates = std::max(kNearest, static_cast<std::size_t>(needed))});
  }
  return trials;
}

}  // namespace boon::geometry
