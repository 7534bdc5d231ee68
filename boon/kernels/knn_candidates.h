// Internal: what a fast way has found for one query: rows that may be near, by the bounds of their scores, and the
// nearest so far.
//
// Bounds do most of the work. Where k rows are nearer than a third for certain, it is dropped unseen; only rows that
// bounds cannot tell apart are compared in double: at the end, or when too many of them wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "boon/kernels/knn_exact.h"
#include "boon/kernels/knn_frame.h"
#include "boon/kernels/knn_nearest.h"

namespace boon::kernels {

class KnnCandidates {
 public:
  // `least` is below the t (knn_bounds.h) of any row.
  void reset(KnnNearest& nearest, std::size_t k, double least) {
    nearest_ = &nearest;
    k_ = k;
    waiting_.clear();
    waiting_max_ = 2 * k + kRoom;
    tau_ = least;
  }

  // No row of a t below it is among the k nearest.
  double tau() const noexcept { return tau_; }

  // A row's t is between the bounds. True if it is time to prune.
  bool offer(std::uint32_t row, double lower, double upper) {
    if (upper < tau_) return false;
    if (!(lower <= upper)) {  // not a number: they say nothing
      upper = std::numeric_limits<double>::infinity();
      lower = -upper;
    }
    waiting_.push_back({lower, upper, row});
    return waiting_.size() >= waiting_max_;
  }

  // Raises tau as far as bounds allow, and drops what is below it. False if too many are left: compare them. `lowers`
  // is scratch.
  bool prune(const KnnScoreOfKey& score_of_key, std::vector<double>& lowers) {
    lowers.clear();
    for (const KnnAnswer& answer : nearest_->found()) lowers.push_back(score_of_key(answer.key));
    for (const Waiting& row : waiting_) lowers.push_back(row.lower);
    if (lowers.size() < k_) return true;
    tau_ = std::max(tau_, reached_by(k_, lowers));
    // Copied whether or not they stay: which do is no more to be foreseen than a coin.
    std::size_t left = 0;
    for (const Waiting& row : waiting_) {
      const bool stays = !(row.upper < tau_);
      waiting_[left] = row;
      left += stays;
    }
    waiting_.resize(left);
    return left <= (k_ + waiting_max_) / 2;
  }

  // Compares those that wait in double, until the rest cannot be among the k nearest.
  void compare(const ExactQuery& exact, const KnnScoreOfKey& score_of_key) {
    // These are for certain, or nearly; of the others the most promising go first, from a heap, which puts them at its
    // end as it gives them out: few of them are compared, so that costs less than an order.
    const auto doubtful =
        std::partition(waiting_.begin(), waiting_.end(), [&](const Waiting& row) { return row.lower >= tau_; });
    for (auto row = waiting_.begin(); row != doubtful; ++row) {
      if (doubtful - row > kAhead) exact.prefetch(row[kAhead].row);
      offer_exact(row->row, exact, score_of_key);
    }
    std::make_heap(doubtful, waiting_.end());
    auto given = waiting_.end();
    for (auto next = waiting_.end(); next != doubtful;) {
      for (; given != doubtful && next - given < kAhead; exact.prefetch(given->row)) std::pop_heap(doubtful, given--);
      --next;
      if (next->upper < tau_) break;
      offer_exact(next->row, exact, score_of_key);
    }
    waiting_.clear();
  }

 private:
  static constexpr std::size_t kRoom = 8;
  static constexpr int kHalvings = 8;
  static constexpr std::ptrdiff_t kAhead = 8;

  struct Waiting {
    double lower;
    double upper;
    std::uint32_t row;
    // Less promising.
    friend bool operator<(const Waiting& a, const Waiting& b) noexcept { return a.upper < b.upper; }
  };

  // A number that k of these or more reach, and few more than k. Halving an interval costs a third of nth_element,
  // whose branches cannot be foreseen.
  static double reached_by(std::size_t k, const std::vector<double>& values) noexcept {
    double low = values[0], high = values[0];
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    for (int step = 0; step < kHalvings; ++step) {
      const double middle = low + (high - low) / 2;
      std::size_t count = 0;
      for (const double value : values) count += value >= middle ? 1 : 0;
      if (count >= k) low = middle;
      if (count <= k) high = middle;
    }
    return low;
  }

  void offer_exact(std::uint32_t row, const ExactQuery& exact, const KnnScoreOfKey& score_of_key) {
    nearest_->offer({exact.key(row), row});
    if (nearest_->full()) tau_ = std::max(tau_, score_of_key(nearest_->worst()));
  }

  KnnNearest* nearest_ = nullptr;
  std::size_t k_ = 0;
  std::vector<Waiting> waiting_;
  std::size_t waiting_max_ = 0;
  double tau_ = 0;
};

}  // namespace boon::kernels
