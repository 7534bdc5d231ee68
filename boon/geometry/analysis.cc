#include "boon/geometry/analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "boon/core/error.h"
#include "boon/geometry/moments.h"
#include "boon/geometry/neighbours.h"
#include "boon/geometry/sample.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kPairs = 50'000;
constexpr std::size_t kProjectedPairs = 2'000;
constexpr std::size_t kConcentrationQueries = 200;
constexpr std::size_t kProjectionEntries = std::size_t{1} << 25;
constexpr std::size_t kNeighbours = 10;

// Rows scaled to length 1, in double and then rounded; without those of zeros.
PointSet unit_rows(const Points& points) {
  PointSet result{.dim = points.dim, .values = {}};
  result.values.reserve(points.count * points.dim);
  for (std::size_t row = 0; row < points.count; ++row) {
    const double length = std::sqrt(squared_length(points[row]));
    if (length == 0) continue;
    for (const float x : points[row]) result.values.push_back(static_cast<float>(x / length));
  }
  return result;
}

// The rows that are looked at, each once: under the cosine a row and its double are the same direction.
PointSet rows_to_measure(const Points& points, kernels::KnnSpace space, std::size_t& copies) {
  const bool scaled = space == kernels::KnnSpace::cosine;
  PointSet units = scaled ? unit_rows(points) : PointSet{.dim = points.dim, .values = {}};
  const Points rows = scaled ? units.points() : points;
  const std::vector<std::uint32_t> distinct = distinct_rows(rows);
  copies = rows.count - distinct.size();
  return scaled && copies == 0 ? std::move(units) : gather(rows, distinct);
}

double spread_dim(const Points& points) {
  if (points.dim > Moments::kCovarianceDimMax) return 0;
  Moments moments(points.dim);
  moments.add(points);
  const std::vector<double> covariance = moments.covariance();
  double trace = 0, squares = 0;
  for (std::size_t i = 0; i < points.dim; ++i) trace += covariance[i * (points.dim + 1)];
  if (trace <= 0) return 0;
  for (const double value : covariance) squares += value / trace * (value / trace);
  return 1 / squares;
}

std::vector<double> sorted_distances(const Neighbours& neighbours, std::size_t place) {
  std::vector<double> distances;
  if (neighbours.k <= place) return distances;
  for (std::size_t i = 0; i < neighbours.size(); ++i) distances.push_back(neighbours.distances_of(i)[place]);
  std::sort(distances.begin(), distances.end());
  return distances;
}

// Steps of the work, of which looking for neighbours is by far the longest.
class Steps {
 public:
  explicit Steps(const Progress& progress) : progress_(progress) {}
  void at(std::size_t done) const {
    if (progress_ && !progress_(done, kTotal)) throw Error(ErrorCode::cancelled, "interrupted");
  }
  Progress part(std::size_t begin, std::size_t end) const {
    return [this, begin, end](std::size_t done, std::size_t total) {
      return !progress_ || progress_(begin + (end - begin) * done / std::max<std::size_t>(total, 1), kTotal);
    };
  }

 private:
  static constexpr std::size_t kTotal = 100;
  const Progress& progress_;
};

void measure_neighbours(Analysis& result, const Points& work, std::span<const std::uint32_t> queries,
                        const Points& sample, const AnalysisOptions& options, const Steps& steps) {
  const Neighbours neighbours =
      find_neighbours(work, queries, kNeighbours, kernels::KnnSpace::l2, options.threads, steps.part(10, 70));
  result.two_nearest = two_nearest(neighbours, 0.1, options.seed);
  result.maximum_likelihood = maximum_likelihood(neighbours, options.seed);
  result.nearest = sorted_distances(neighbours, 0);
  result.tenth = sorted_distances(neighbours, kNeighbours - 1);

  const bool products = options.space == kernels::KnnSpace::inner_product;
  if (!products && queries.size() == work.count) {
    result.hubness = hubness(neighbours, work.count, options.seed);
    return;
  }
  std::vector<std::uint32_t> all(sample.count);
  std::iota(all.begin(), all.end(), 0U);
  const auto space = products ? kernels::KnnSpace::inner_product : kernels::KnnSpace::l2;
  result.hubness = hubness(find_neighbours(sample, all, kNeighbours, space, options.threads, steps.part(70, 80)),
                           sample.count, options.seed);
}

}  // namespace

Analysis analyse(const Points& points, const AnalysisOptions& options, const Progress& progress) {
  if (options.sample == 0) throw Error(ErrorCode::invalid_argument, "the sample is 0 rows; it may be 1 or more");
  const Steps steps(progress);
  Analysis result;
  result.components = measure_components(points);
  result.rows = points.count;
  result.dim = points.dim;
  steps.at(5);
  const PointSet own = rows_to_measure(points, options.space, result.copies);
  const Points work = own.points();
  result.different = work.count;
  if (work.count == 0) return result;  // zeros alone
  steps.at(10);

  const std::vector<std::uint32_t> queries = sample_rows(work.count, options.sample, options.seed);
  const PointSet sample = gather(work, queries);
  result.sample = queries.size();
  result.hub_k = kNeighbours;
  measure_neighbours(result, work, queries, sample.points(), options, steps);

  const std::vector<Pair> pairs = sample_pairs(work.count, kPairs, options.seed);
  result.cosines = measure_cosines(work, pairs);
  result.centred_cosines = measure_cosines(work, pairs, mean_of(work));
  steps.at(83);
  result.spread_dim = spread_dim(sample.points());
  steps.at(86);
  const auto from = sample_rows(sample.size(), kConcentrationQueries, options.seed);
  result.concentration = measure_concentration(sample.points(), from, options.seed);
  steps.at(90);
  const std::vector<Pair> some(pairs.begin(),
                               pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), kProjectedPairs)));
  const std::size_t safe = johnson_lindenstrauss_dim(work.count, kSafeError) + 1;  // it is rounded down
  for (const std::size_t target : {points.dim / 2, points.dim / 4, points.dim / 8, safe}) {
    if (target == 0 || target > kProjectionEntries / points.dim) continue;
    const Projection projection({.dim = points.dim, .target = target, .seed = options.seed});
    result.projections.push_back(measure_distortion(work, some, projection));
  }
  steps.at(94);
  const auto space = options.space == kernels::KnnSpace::inner_product ? options.space : kernels::KnnSpace::l2;
  result.codecs = try_codecs(sample.points(), space, options.seed);
  steps.at(100);
  return result;
}

}  // namespace boon::geometry
