// For the tests of this module: random vectors, a brute-force oracle in double precision, and an index to put them in.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/index/index.h"

namespace boon::index {

inline std::vector<float> random_rows(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(rows * dim);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// Rows around a few centres, as embeddings lie; `spread` is how far, beside how far the centres are from each other.
inline std::vector<float> clustered_rows(std::size_t rows, std::size_t dim, std::uint64_t seed,
                                         std::size_t centres = 20, float spread = .6F) {
  Random random(seed);
  std::vector<float> values = random_rows(rows, dim, seed + 1);
  const std::vector<float> places = random_rows(centres, dim, 7);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t centre = random.below(centres);
    for (std::size_t i = 0; i < dim; ++i) {
      values[row * dim + i] = spread * values[row * dim + i] + places[centre * dim + i];
    }
  }
  return values;
}

inline std::span<const float> row_of(const std::vector<float>& values, std::size_t row, std::size_t dim) {
  return {values.data() + row * dim, dim};
}

inline double true_distance(Metric metric, std::span<const float> a, std::span<const float> b) {
  double l2 = 0, dot = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    l2 += (x - y) * (x - y);
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  if (metric == Metric::l2) return l2;
  return metric == Metric::cosine ? 1 - dot / std::sqrt(aa * bb) : 1 - dot;
}

// Distances of the k nearest rows that are allowed, ascending.
inline std::vector<double> true_nearest(
    Metric metric, const std::vector<float>& rows, std::size_t dim, std::span<const float> query, std::size_t k,
    const std::function<bool(std::size_t)>& allowed = [](std::size_t) { return true; }) {
  std::vector<double> distances;
  for (std::size_t row = 0; row < rows.size() / dim; ++row) {
    if (allowed(row)) distances.push_back(true_distance(metric, query, row_of(rows, row, dim)));
  }
  std::sort(distances.begin(), distances.end());
  distances.resize(std::min(k, distances.size()));
  return distances;
}

// Share of the true nearest found, counted by distance so that ties do not matter.
inline double recall(const std::vector<Match>& matches, const std::vector<double>& truth) {
  if (truth.empty()) return 1;
  const double limit = truth.back() + 1e-5 * std::max(1.0, std::abs(truth.back()));
  const auto hits = std::count_if(matches.begin(), matches.end(), [&](const Match& m) { return m.distance <= limit; });
  return static_cast<double>(hits) / static_cast<double>(truth.size());
}

// The code and message of the Error that `call` throws; fails the test if it throws none.
struct Thrown {
  std::optional<ErrorCode> code;
  std::string message;
};
template <class Call>
Thrown thrown_by(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// Each live vector is among the answers to itself, or one equal to it is.
inline void expect_all_find_themselves(const Index& index) {
  const IndexHealth health = index.check();
  EXPECT_EQ(health.checked, index.size());
  EXPECT_EQ(health.not_found, 0U);
  EXPECT_EQ(health.unreachable, 0U);
  EXPECT_EQ(health.broken_links, 0U);
}

}  // namespace boon::index
