// Rows of floats under squared L2, as the obvious loop: what the tests of this module search, so that they need no
// kernels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/random.h"
#include "boon/graph/scorer.h"

namespace boon::graph {

class TestSpace {
 public:
  explicit TestSpace(std::size_t dim) : dim_(dim) {}
  TestSpace(std::size_t dim, std::vector<float> values) : dim_(dim), values_(std::move(values)) {}

  std::size_t size() const noexcept { return values_.size() / dim_; }
  std::span<const float> row(Node node) const noexcept { return {values_.data() + node * dim_, dim_}; }
  void add(std::span<const float> row) { values_.insert(values_.end(), row.begin(), row.end()); }
  void set(Node node, std::span<const float> row) {
    for (std::size_t i = 0; i < dim_; ++i) values_[node * dim_ + i] = row[i];
  }

  class Scorer {
   public:
    Scorer(const TestSpace& space, std::span<const float> query) noexcept : space_(&space), query_(query) {}
    // Most of the time of a test goes here; ThreadSanitizer would make it ten times that. Rows do not change while they
    // are searched.
    __attribute__((no_sanitize("thread"))) float distance(Node node) const noexcept {
      const float* const row = space_->values_.data() + node * space_->dim_;
      float sum = 0;
      for (std::size_t i = 0; i < query_.size(); ++i) sum += (query_[i] - row[i]) * (query_[i] - row[i]);
      return sum;
    }
    void score(std::span<const Node> nodes, float* out) const noexcept {
      for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = distance(nodes[i]);
    }
    void prefetch(Node) const noexcept {}

   private:
    const TestSpace* space_;
    std::span<const float> query_;
  };

  Scorer to(std::span<const float> query) const noexcept { return {*this, query}; }
  Scorer from(Node node) const noexcept { return to(row(node)); }
  std::uint64_t fingerprint(Node node) const noexcept {
    std::uint64_t hash = 0;
    for (const float value : row(node)) hash = splitmix64(hash ^ std::bit_cast<std::uint32_t>(value));
    return hash;
  }
  bool same(Node a, Node b) const noexcept {
    for (std::size_t i = 0; i < dim_; ++i) {
      if (std::bit_cast<std::uint32_t>(row(a)[i]) != std::bit_cast<std::uint32_t>(row(b)[i])) return false;
    }
    return true;
  }

 private:
  std::size_t dim_;
  std::vector<float> values_;
};

inline std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform());
  return values;
}

// Points spread evenly in the unit cube.
inline TestSpace uniform_space(std::size_t rows, std::size_t dim, std::uint64_t seed) {
  return {dim, random_values(rows * dim, seed)};
}

// Tight balls whose centres are far from each other, one ball after the other.
inline TestSpace clustered_space(std::size_t clusters, std::size_t rows_each, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  TestSpace space(dim);
  std::vector<float> centre(dim);
  std::vector<float> row(dim);
  for (std::size_t c = 0; c < clusters; ++c) {
    for (float& value : centre) value = static_cast<float>(random.normal() * 10);
    for (std::size_t r = 0; r < rows_each; ++r) {
      for (std::size_t i = 0; i < dim; ++i) row[i] = centre[i] + static_cast<float>(random.normal() * 0.1);
      space.add(row);
    }
  }
  return space;
}

// A space of rows 0 to `leaders` - 1 and, after them, one copy of each.
inline TestSpace with_copies(std::size_t leaders, std::size_t copies, std::uint64_t seed) {
  TestSpace space = uniform_space(leaders, 6, seed);
  for (std::size_t copy = 0; copy < copies; ++copy) {
    for (Node node = 0; node < leaders; ++node) {
      space.add(std::vector<float>(space.row(node).begin(), space.row(node).end()));
    }
  }
  return space;
}

}  // namespace boon::graph
