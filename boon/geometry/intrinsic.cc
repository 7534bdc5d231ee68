#include "boon/geometry/intrinsic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "boon/core/check.h"

namespace boon::geometry {
namespace {

constexpr double kCopy = 1e-6;
constexpr std::size_t kPointsLeast = 3;
// A point that is the nearest of more than this is a hub. In up to four dimensions there are none but for ties: 24 is
// the number of balls that may touch a ball.
constexpr std::uint32_t kHubLeast = 24;
// With fewer chains than this, a resample of them says little.
constexpr std::size_t kChainsLeast = 10;

bool is_copy(std::span<const double> distances) noexcept {
  return distances[0] <= kCopy * distances[1];
}

// Points that are nearest to each other see the same distances and err together. So the bootstrap draws chains of
// nearest neighbours, not points: of 200 toruses of 400 points the intervals hold the dimension 196 (two_nearest) and
// 186 times (maximum_likelihood), where a bootstrap over points held it 87 and 85 times in 100. A hub links nothing:
// its many neighbours see it at distances of their own, and would all be one chain.
struct Groups {
  std::vector<std::uint32_t> of;  // of each point looked at
  std::size_t count = 0;
};

Groups chains(const Neighbours& neighbours, const std::vector<std::size_t>& looked_at) {
  std::unordered_map<std::uint32_t, std::uint32_t> place;  // of a row among those looked at
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    place.emplace(neighbours.queries[looked_at[i]], static_cast<std::uint32_t>(i));
  }
  const auto nearest_of = [&](std::size_t i) { return neighbours.rows[looked_at[i] * neighbours.k]; };
  std::unordered_map<std::uint32_t, std::uint32_t> followers;
  for (std::size_t i = 0; i < looked_at.size(); ++i) ++followers[nearest_of(i)];
  std::vector<std::uint32_t> parent(looked_at.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const auto nearest = place.find(nearest_of(i));
    if (nearest != place.end() && followers[nearest->first] <= kHubLeast)
      parent[root(static_cast<std::uint32_t>(i))] = root(nearest->second);
  }
  Groups groups{.of = std::vector<std::uint32_t>(looked_at.size())};
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const std::uint32_t top = root(static_cast<std::uint32_t>(i));
    groups.of[i] = number.emplace(top, static_cast<std::uint32_t>(number.size())).first->second;
  }
  groups.count = number.size();
  return groups;
}

// Bootstrapped over chains. Where there are few of them, or a single one, the wider of this and the interval over
// points.
template <class Statistic>
Estimate bootstrap_chains(const Neighbours& neighbours, const std::vector<std::size_t>& looked_at, std::uint64_t seed,
                          const Statistic& statistic) {
  const Groups groups = chains(neighbours, looked_at);
  const Estimate by_chains = bootstrap_groups(groups.of, groups.count, seed, statistic);
  if (groups.count >= kChainsLeast) return by_chains;
  const Estimate by_points = bootstrap(looked_at.size(), seed, statistic);
  return {by_chains.value, std::min(by_chains.low, by_points.low), std::max(by_chains.high, by_points.high)};
}

// The slope through the origin of -log(1 - F) over the logarithms, F the share of points up to each. `order` sorts
// them.
double slope(const std::vector<double>& logs, const std::vector<std::uint32_t>& order, Weights weights,
             double discarded) {
  double total = 0, products = 0, squares = 0, seen = 0;
  for (const std::uint32_t weight : weights) total += weight;
  const double last = std::min((1 - discarded) * total, total - 1);
  for (const std::uint32_t i : order) {
    for (std::uint32_t copy = 0; copy < weights[i] && seen < last; ++copy) {
      seen += 1;
      products -= logs[i] * std::log1p(-seen / total);
      squares += logs[i] * logs[i];
    }
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace

std::optional<IntrinsicDimension> two_nearest(const Neighbours& neighbours, double discarded, std::uint64_t seed) {
  if (neighbours.k < 2) return std::nullopt;
  BOON_CHECK(discarded >= 0 && discarded < 1);
  std::vector<std::size_t> looked_at;
  std::vector<double> logs;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const auto distances = neighbours.distances_of(i);
    if (is_copy(distances)) continue;
    looked_at.push_back(i);
    logs.push_back(std::log(distances[1] / distances[0]));
  }
  if (logs.size() < kPointsLeast) return std::nullopt;
  std::vector<std::uint32_t> order(logs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t i, std::uint32_t j) { return logs[i] < logs[j]; });
  const Estimate dimension = bootstrap_chains(neighbours, looked_at, seed,
                                              [&](Weights weights) { return slope(logs, order, weights, discarded); });
  if (dimension.value <= 0) return std::nullopt;
  return IntrinsicDimension{.dimension = dimension, .points = logs.size()};
}

std::optional<IntrinsicDimension> maximum_likelihood(const Neighbours& neighbours, std::uint64_t seed) {
  const std::size_t k = neighbours.k;
  if (k < 2) return std::nullopt;
  std::vector<std::size_t> looked_at;
  std::vector<double> inverses;  // of each point's estimate
  double sum = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const auto distances = neighbours.distances_of(i);
    if (is_copy(distances)) continue;
    double logs = 0;
    for (std::size_t j = 0; j + 1 < k; ++j) logs += std::log(distances[k - 1] / distances[j]);
    looked_at.push_back(i);
    inverses.push_back(logs / static_cast<double>(k - 1));
    sum += inverses.back();
  }
  if (inverses.size() < kPointsLeast || sum <= 0) return std::nullopt;
  const double whole = static_cast<double>(inverses.size()) / sum;
  const Estimate dimension = bootstrap_chains(neighbours, looked_at, seed, [&](Weights weights) {
    double count = 0, weighted = 0;
    for (std::size_t i = 0; i < inverses.size(); ++i) {
      count += weights[i];
      weighted += weights[i] * inverses[i];
    }
    // A resample of few points may hold none with a spread; it then says no more than the whole.
    return weighted > 0 ? count / weighted : whole;
  });
  return IntrinsicDimension{.dimension = dimension, .points = inverses.size()};
}

}  // namespace boon::geometry
