#include "boon/cli/recall.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "boon/core/check.h"

namespace boon::cli {
namespace {

// The truth is ranked in another precision than this recomputation, and the k-th of equals may be any of them.
constexpr double kTolerance = 1e-5;
// 1 - cos of equal directions is a few units in the last place, of either sign.
constexpr double kRounding = 1e-12;

double dot(std::span<const float> a, std::span<const float> b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double squared_distance(std::span<const float> a, std::span<const float> b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

double exact_distance(Metric metric, std::span<const float> a, std::span<const float> b) noexcept {
  switch (metric) {
    case Metric::cosine:
      return 1 - dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
    case Metric::inner_product:
      return 1 - dot(a, b);
    case Metric::l2:
      break;
  }
  return squared_distance(a, b);
}

VectorOf rows_of(std::span<const float> base, std::size_t dim) {
  return [base, dim](Id id) { return id < base.size() / dim ? base.subspan(id * dim, dim) : base.first(0); };
}

Judge::Judge(Metric metric, std::size_t dim, std::span<const float> queries, std::span<const Id> kth_nearest,
             std::size_t k, VectorOf vector_of)
    : metric_(metric), dim_(dim), k_(k), queries_(queries), vector_of_(std::move(vector_of)) {
  BOON_CHECK(dim > 0 && k > 0 && queries.size() == kth_nearest.size() * dim);
  bounds_.reserve(kth_nearest.size());
  for (std::size_t i = 0; i < kth_nearest.size(); ++i) {
    const auto nearest = vector_of_(kth_nearest[i]);
    BOON_CHECK(nearest.size() == dim);
    const double distance = exact_distance(metric, query(i), nearest);
    bounds_.push_back(distance + std::abs(distance) * kTolerance + kRounding);
  }
}

double Judge::recall(std::span<const Id> answers) const {
  BOON_CHECK(answers.size() == size() * k_);
  std::size_t right = 0;
  for (std::size_t i = 0; i < size(); ++i) right += right_answers(i, answers.subspan(i * k_, k_));
  return static_cast<double>(right) / static_cast<double>(answers.size());
}

std::size_t Judge::right_answers(std::size_t query_row, std::span<const Id> answers) const {
  std::vector<Id> ids(answers.begin(), answers.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), [&](Id id) {
    const auto vector = vector_of_(id);
    return !vector.empty() && exact_distance(metric_, query(query_row), vector) <= bounds_[query_row];
  }));
}

}  // namespace boon::cli
