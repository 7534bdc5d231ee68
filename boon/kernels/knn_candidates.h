// Internal: what a fast way has found for one query: rows that may be near, by the bounds of their scores, and the
// nearest so far.
//
// Bounds do most of the work. Where k rows are nearer than a third for certain, it is dropped unseen; only rows that
// bounds cannot tell apart are compared in double: at the end, or when too many of them wait.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "boon/kernels/knn_exact.h"
#include "boon/kernels/knn_frame.h"
#include "boon/kernels/knn_kernels.h"
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
    Waiting waiting{upper, below(lower), row};
    if (!(waiting.lower <= upper)) waiting = {-double{kNothing}, kNothing, row};  // not a number
    waiting_.push_back(waiting);
    return waiting_.size() >= waiting_max_;
  }

  // Raises tau as far as bounds allow, and drops what is below it. False if too many are left: compare them. `lowers`
  // is scratch.
  bool prune(const KnnFloatKernels& kernels, const KnnScoreOfKey& score_of_key, std::vector<float>& lowers) {
    const std::size_t known = nearest_->found().size() + waiting_.size();
    if (known < k_) return true;
    lowers.assign((known + kKnnReachedMultiple - 1) / kKnnReachedMultiple * kKnnReachedMultiple, kNothing);
    auto lower = lowers.begin();
    for (const KnnAnswer& answer : nearest_->found()) *lower++ = below(score_of_key(answer.key));
    for (const Waiting& row : waiting_) *lower++ = row.lower;
    float low = below(tau_);
    if (!std::isfinite(low)) low = least_finite(lowers);
    if (std::isfinite(low)) tau_ = std::max(tau_, double{kernels.reached_by(lowers.data(), lowers.size(), k_, low)});
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
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();
  static constexpr std::ptrdiff_t kAhead = 8;

  struct Waiting {
    double upper;
    float lower;
    std::uint32_t row;
    // Less promising.
    friend bool operator<(const Waiting& a, const Waiting& b) noexcept { return a.upper < b.upper; }
  };

  // At most a number, and nearly it; not a number if that is infinite.
  static float below(double value) noexcept {
    const auto near = static_cast<float>(value);
    return near - std::abs(near) * 0x1p-23f - std::numeric_limits<float>::min();
  }

  // Minus infinity if fewer than k are finite, as then k do not reach it.
  float least_finite(const std::vector<float>& lowers) const noexcept {
    float least = std::numeric_limits<float>::infinity();
    std::size_t finite = 0;
    for (const float lower : lowers) {
      if (lower == kNothing) continue;
      least = std::min(least, lower);
      ++finite;
    }
    return finite >= k_ ? least : kNothing;
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
