// The best candidates of a search: an array sorted by distance, nearest first, with a mark on those already expanded.
// For the widths in use (up to some thousands) finding a place and moving what is behind it beat a pair of heaps.
//
// Where a candidate goes cannot be predicted, so little branches on it: the array is halved without branches down to a
// few, these are compared all at once, and what is behind moves in whole blocks, of which the last may reach past the
// end. In SSE2, which every x86-64 has.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "boon/graph/scorer.h"

namespace boon::graph {

class Pool {
 public:
  void start(std::size_t capacity) {
    if (entries_.size() < capacity + kSlack) entries_.resize(capacity + kSlack);
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
    const std::size_t place = place_of(distance, size_ - 1);
    Candidate* const at = entries_.data() + place;
    // The blocks behind, the last first.
    for (std::size_t blocks = (size_ - 1 - place + kBlock - 1) / kBlock; blocks > 0; --blocks) {
      move_block(at + (blocks - 1) * kBlock);
    }
    *at = {distance, node};
    cursor_ = std::min(cursor_, place);
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
  static constexpr std::size_t kBlock = 16;      // entries that move together
  static constexpr std::size_t kCounted = 32;    // entries that are not halved any more
  static constexpr std::size_t kSlack = kBlock;  // entries past the capacity that the last block may read and write
  static_assert(sizeof(Candidate) == 8);

  // All bits of number i are set if the distance of entry i of the four is at most `distance`.
  static __m128 at_most(const Candidate* four, __m128 distance) noexcept {
    const __m128 low = _mm_loadu_ps(&four[0].distance), high = _mm_loadu_ps(&four[2].distance);
    return _mm_cmple_ps(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)), distance);
  }
  // Behind how many of the first `size` entries a distance belongs.
  std::size_t place_of(float distance, std::size_t size) const noexcept {
    const Candidate* base = entries_.data();
    while (size > kCounted) {
      const std::size_t half = (size + 1) / 2;
      base += half * static_cast<std::size_t>(base[half - 1].distance <= distance);
      size -= half;
    }
    const __m128 wanted = _mm_set1_ps(distance);
    __m128i counts = _mm_setzero_si128();
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) counts = _mm_sub_epi32(counts, _mm_castps_si128(at_most(base + i, wanted)));
    // Entries are sorted, so those that are nearer come first.
    const auto last = static_cast<unsigned>(_mm_movemask_ps(at_most(base + i, wanted))) & ((1U << (size - i)) - 1);
    counts = _mm_add_epi32(counts, _mm_shuffle_epi32(counts, _MM_SHUFFLE(1, 0, 3, 2)));
    counts = _mm_add_epi32(counts, _mm_shuffle_epi32(counts, _MM_SHUFFLE(2, 3, 0, 1)));
    return static_cast<std::size_t>(base - entries_.data()) + static_cast<std::size_t>(_mm_cvtsi128_si32(counts)) +
           static_cast<std::size_t>(std::countr_one(last));
  }
  // Moves kBlock entries by one place.
  static void move_block(Candidate* from) noexcept {
    constexpr std::size_t kPairs = kBlock / 2;
    __m128i pairs[kPairs];
    for (std::size_t i = 0; i < kPairs; ++i) pairs[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    for (std::size_t i = 0; i < kPairs; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(from + 2 * i + 1), pairs[i]);
  }

  std::vector<Candidate> entries_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::size_t cursor_ = 0;  // everything before it is expanded
};

}  // namespace boon::graph
