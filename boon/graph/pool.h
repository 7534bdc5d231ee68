// The best candidates of a search: an array sorted by distance, nearest first, with a mark on those already expanded.
// For the widths in use (up to some thousands) a binary search and a memmove beat a pair of heaps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "boon/graph/scorer.h"

namespace boon::graph {

class Pool {
 public:
  void start(std::size_t capacity) {
    if (entries_.size() < capacity + 1) entries_.resize(capacity + 1);
    capacity_ = capacity;
    size_ = 0;
    cursor_ = 0;
  }

  std::size_t size() const noexcept { return size_; }
  bool full() const noexcept { return size_ == capacity_; }
  // What a distance must be below to enter.
  float bound() const noexcept {
    return full() ? entries_[size_ - 1].distance : std::numeric_limits<float>::infinity();
  }

  // Adds a node that is not in the pool. A full pool drops its farthest; ties go behind those that came before.
  void insert(float distance, Node node) noexcept {
    if (full()) {
      if (!(distance < entries_[size_ - 1].distance)) return;
    } else {
      ++size_;
    }
    Candidate* const first = entries_.data();
    // Halving without branches: which half it is cannot be predicted.
    const Candidate* base = first;
    for (std::size_t length = size_ - 1; length > 0;) {
      const std::size_t half = (length + 1) / 2;
      base += half * static_cast<std::size_t>(base[half - 1].distance <= distance);
      length -= half;
    }
    const auto low = static_cast<std::size_t>(base - first);
    std::memmove(first + low + 1, first + low, (size_ - 1 - low) * sizeof(Candidate));
    first[low] = {distance, node};
    cursor_ = std::min(cursor_, low);
  }

  bool has_open() const noexcept { return cursor_ < size_; }
  // The nearest node not yet expanded; marks it expanded.
  Node take() noexcept {
    const Node node = entries_[cursor_].node;
    entries_[cursor_].node |= kExpanded;
    do {
      ++cursor_;
    } while (cursor_ < size_ && (entries_[cursor_].node & kExpanded) != 0);
    return node;
  }
  // Calls f with the nodes that the next calls of take() would give, at most `count`.
  template <class F>
  void for_each_open(std::size_t count, F&& f) const {
    for (std::size_t i = cursor_; i < size_ && count > 0; ++i) {
      if ((entries_[i].node & kExpanded) != 0) continue;
      f(entries_[i].node);
      --count;
    }
  }

  float distance(std::size_t i) const noexcept { return entries_[i].distance; }
  Node node(std::size_t i) const noexcept { return entries_[i].node & ~kExpanded; }

 private:
  static constexpr Node kExpanded = 0x80000000U;
  std::vector<Candidate> entries_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::size_t cursor_ = 0;  // everything before it is expanded
};

}  // namespace boon::graph
