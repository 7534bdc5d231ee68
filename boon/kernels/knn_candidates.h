// Internal: what a fast way has found for one query: rows that wait to be compared in double, and the nearest so far.
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
    waiting_.clear();
    waiting_max_ = std::max<std::size_t>(2 * k, kWaitingMin);
    tau_ = least;
  }

  // No row of a t below it is among the k nearest.
  double tau() const noexcept { return tau_; }

  // True if it is time to settle.
  bool offer(std::uint32_t row, double upper) {
    // Not a number: its bound is infinite, as is what it would be compared with.
    if (upper < tau_) return false;
    waiting_.push_back({upper, row});
    return waiting_.size() >= waiting_max_;
  }

  // Compares those that wait, in double, the most promising first, until the rest cannot be among the k nearest.
  void settle(const ExactQuery& exact, const KnnScoreOfKey& score_of_key) {
    // Few of them are compared, so a heap, which puts them at its end as it gives them out, costs less than an order.
    std::make_heap(waiting_.begin(), waiting_.end());
    auto given = waiting_.end();
    for (auto next = waiting_.end(); next != waiting_.begin();) {
      for (; given != waiting_.begin() && next - given < kAhead; exact.prefetch(given->row)) {
        std::pop_heap(waiting_.begin(), given--);
      }
      --next;
      if (next->upper < tau_) break;
      nearest_->offer({exact.key(next->row), next->row});
      if (nearest_->full()) tau_ = std::max(tau_, score_of_key(nearest_->worst()));
    }
    waiting_.clear();
  }

 private:
  static constexpr std::size_t kWaitingMin = 64;
  static constexpr std::ptrdiff_t kAhead = 8;

  struct Waiting {
    double upper;  // its t is at most this
    std::uint32_t row;
    // Less promising, then later by number, so that rows are met in one order whatever found them.
    friend bool operator<(const Waiting& a, const Waiting& b) noexcept {
      return a.upper < b.upper || (a.upper == b.upper && a.row > b.row);
    }
  };

  KnnNearest* nearest_ = nullptr;
  std::vector<Waiting> waiting_;
  std::size_t waiting_max_ = 0;
  double tau_ = 0;
};

}  // namespace boon::kernels
