// Vectors as the graph sees them: scorers and spaces over rows of floats, through the distance table in use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "boon/core/bytes.h"
#include "boon/graph/scorer.h"
#include "boon/kernels/distance.h"

namespace boon::index {

using graph::Node;

// Rows of `dim` floats, `stride` floats apart; the kernels to score them with.
struct Vectors {
  const float* base = nullptr;
  std::size_t stride = 0;
  std::size_t dim = 0;
  const kernels::DistanceTable* kernels = nullptr;

  const float* row(Node node) const noexcept { return base + static_cast<std::size_t>(node) * stride; }

  // The first lines of a row. The kernels ask for the rest while they work; more here only got in their way.
  void prefetch(Node node) const noexcept {
    constexpr std::size_t kLinesMax = 2;
    const auto* first = reinterpret_cast<const char*>(row(node));
    const std::size_t bytes = std::min(dim * sizeof(float), kLinesMax * 64);
    for (std::size_t offset = 0; offset < bytes; offset += 64) {
      __builtin_prefetch(first + offset);
      asm volatile("" ::: "memory");  // g++ 12 keeps only the first prefetch of such a loop otherwise
    }
  }
  std::uint64_t fingerprint(Node node) const noexcept { return xxh3(as_bytes(row(node), dim)); }
  bool same(Node a, Node b) const noexcept { return std::memcmp(row(a), row(b), dim * sizeof(float)) == 0; }
};

// Squared Euclidean distance to a query. Serves cosine too: on vectors of length 1 it is 2 (1 - cos), and keeps the
// small distances that 1 - dot rounds away.
struct L2Scorer {
  Vectors vectors;
  const float* query;

  void score(std::span<const Node> nodes, float* out) const noexcept {
    vectors.kernels->l2_gather(query, vectors.dim, vectors.base, vectors.stride, nodes.data(), nodes.size(), out);
  }
  void prefetch(Node node) const noexcept { vectors.prefetch(node); }
};

// The negated inner product with a query.
struct ProductScorer {
  Vectors vectors;
  const float* query;

  void score(std::span<const Node> nodes, float* out) const noexcept {
    vectors.kernels->dot_gather(query, vectors.dim, vectors.base, vectors.stride, nodes.data(), nodes.size(), out);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = -out[i];
  }
  void prefetch(Node node) const noexcept { vectors.prefetch(node); }
};

struct L2Space {
  Vectors vectors;

  L2Scorer from(Node node) const noexcept { return {vectors, vectors.row(node)}; }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

// Squared Euclidean distance after one more component, sqrt(longest^2 - |x|^2), that gives all vectors one length. The
// nearest to a query (whose extra component is 0) are then those of the largest inner product, and the graph gets a
// true distance to choose neighbours by: a raw product would invert the rule of diversity. Bachrach et al., "Speeding
// up the Xbox recommender system using a Euclidean transformation", RecSys 2014.
struct ProductSpace {
  Vectors vectors;
  const float* squared_norms;
  float longest;  // the largest squared norm

  struct From {
    const ProductSpace* space;
    Node node;

    void score(std::span<const Node> nodes, float* out) const noexcept {
      const Vectors& v = space->vectors;
      v.kernels->dot_gather(v.row(node), v.dim, v.base, v.stride, nodes.data(), nodes.size(), out);
      const float own = space->squared_norms[node];
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const float other = space->squared_norms[nodes[i]];
        const float extra = std::sqrt((space->longest - own) * (space->longest - other));
        out[i] =
            std::max(0.0F, own + other - 2 * out[i] + (space->longest - own) + (space->longest - other) - 2 * extra);
      }
    }
    void prefetch(Node other) const noexcept { space->vectors.prefetch(other); }
  };

  From from(Node node) const noexcept { return {this, node}; }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

}  // namespace boon::index
