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
  // What a loop holds in registers: a store to a byte might change the object above, for all a compiler knows.
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

  // Forgets all marks; has room for nodes below `nodes`.
  Marks start(std::size_t nodes) {
    if (marks_.size() < nodes) marks_.resize(nodes + nodes / 8, 0);
    if (++epoch_ == 0) {
      std::memset(marks_.data(), 0, marks_.size());
      epoch_ = 1;
    }
    return {marks_.data(), epoch_};
  }
  std::size_t bytes() const noexcept { return marks_.capacity(); }

 private:
  std::vector<std::uint8_t> marks_;
  std::uint8_t epoch_ = 0;
};

}  // namespace boon::graph
