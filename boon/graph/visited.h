// Marks of the nodes a search has seen: one byte each, compared with the number of the search, so that a new search
// costs nothing. After 255 searches the numbers would repeat: the bytes are then cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "boon/graph/scorer.h"

namespace boon::graph {

class Visited {
 public:
  // Forgets all marks; has room for nodes below `nodes`.
  void start(std::size_t nodes) {
    if (marks_.size() < nodes) marks_.resize(nodes + nodes / 8, 0);
    if (++epoch_ == 0) {
      std::memset(marks_.data(), 0, marks_.size());
      epoch_ = 1;
    }
  }
  // The marks for a loop to hold in registers: a store to a byte might change this object, for all a compiler knows.
  struct Marks {
    std::uint8_t* bytes;
    std::uint8_t epoch;

    // True the first time it is asked for a node.
    bool mark(Node node) const noexcept {
      const bool fresh = bytes[node] != epoch;
      bytes[node] = epoch;
      return fresh;
    }
  };
  Marks marks() noexcept { return {marks_.data(), epoch_}; }
  // True the first time it is asked for a node.
  bool mark(Node node) noexcept {
    const bool fresh = marks_[node] != epoch_;
    marks_[node] = epoch_;
    return fresh;
  }
  bool contains(Node node) const noexcept { return node < marks_.size() && marks_[node] == epoch_; }
  void prefetch(Node node) const noexcept { __builtin_prefetch(marks_.data() + node); }
  std::size_t bytes() const noexcept { return marks_.capacity(); }

 private:
  std::vector<std::uint8_t> marks_;
  std::uint8_t epoch_ = 0;
};

}  // namespace boon::graph
