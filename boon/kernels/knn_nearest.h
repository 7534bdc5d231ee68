// Internal: the k nearest of the rows that are offered, by key and then by row number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace boon::kernels {

struct KnnAnswer {
  double key;
  std::uint32_t row;

  friend bool operator<(const KnnAnswer& a, const KnnAnswer& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  }
};

class KnnNearest {
 public:
  void reset(std::size_t k) {
    k_ = k;
    found_.clear();
  }
  std::size_t wanted() const noexcept { return k_; }
  bool full() const noexcept { return found_.size() == k_; }
  // The k-th key so far; infinite before there are k.
  double worst() const noexcept { return full() ? found_.front().key : std::numeric_limits<double>::infinity(); }

  void offer(KnnAnswer answer) {
    if (full()) {
      if (!(answer < found_.front())) return;
      std::pop_heap(found_.begin(), found_.end());
      found_.back() = answer;
    } else {
      found_.push_back(answer);
    }
    std::push_heap(found_.begin(), found_.end());
  }
  const std::vector<KnnAnswer>& found() const noexcept { return found_; }  // in no order
  // Nearest first. A heap no longer: reset it before it is offered more.
  const std::vector<KnnAnswer>& sorted() {
    std::sort_heap(found_.begin(), found_.end());
    return found_;
  }

 private:
  std::size_t k_ = 0;
  std::vector<KnnAnswer> found_;
};

}  // namespace boon::kernels
