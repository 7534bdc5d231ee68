// Vectors as the graph sees them: scorers and spaces over rows, through the distance table in use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "boon/core/bytes.h"
#include "boon/graph/scorer.h"
#include "boon/kernels/distance.h"

namespace boon::index {

using graph::Node;

// Asks for the first lines of `bytes` bytes. The kernels ask for the rest while they work; more here only got in their
// way.
inline void prefetch_lines(const void* first, std::size_t bytes) noexcept {
  constexpr std::size_t kLinesMax = 2;
  const std::size_t wanted = std::min(bytes, kLinesMax * 64);
  for (std::size_t offset = 0; offset < wanted; offset += 64) {
    __builtin_prefetch(static_cast<const char*>(first) + offset);
    asm volatile("" ::: "memory");  // g++ 12 keeps only the first prefetch of such a loop otherwise
  }
}

// What the components of a row are. Stored in no file as a number.
enum class Element : std::uint8_t { f32, u8 };

// Rows of `dim` components, `stride` bytes apart; the kernels to score them with.
struct Vectors {
  const std::byte* base = nullptr;
  std::size_t stride = 0;
  std::size_t dim = 0;
  Element element = Element::f32;
  const kernels::DistanceTable* kernels = nullptr;

  std::size_t row_bytes() const noexcept { return element == Element::f32 ? dim * sizeof(float) : dim; }
  const std::byte* row(Node node) const noexcept { return base + static_cast<std::size_t>(node) * stride; }
  const float* floats(Node node) const noexcept { return reinterpret_cast<const float*>(row(node)); }
  const std::uint8_t* bytes(Node node) const noexcept { return reinterpret_cast<const std::uint8_t*>(row(node)); }

  void prefetch(Node node) const noexcept { prefetch_lines(row(node), row_bytes()); }
  std::uint64_t fingerprint(Node node) const noexcept { return xxh3({row(node), row_bytes()}); }
  bool same(Node a, Node b) const noexcept { return std::memcmp(row(a), row(b), row_bytes()) == 0; }
};

// Squared Euclidean distance to a query. Serves cosine too: on vectors of length 1 it is 2 (1 - cos), and keeps the
// small distances that 1 - dot rounds away.
struct L2Scorer {
  Vectors vectors;
  const float* query;               // may be null where rows are bytes
  const std::uint8_t* query_bytes;  // the same query; null if it does not fit bytes

  // Distances to nodes.
  void score(std::span<const Node> nodes, float* out) const noexcept {
    const Vectors& v = vectors;
    if (v.element == Element::f32) {
      v.kernels->l2_gather(query, v.dim, v.floats(0), v.stride / sizeof(float), nodes.data(), nodes.size(), out);
    } else if (query_bytes != nullptr) {
      v.kernels->l2_u8_gather(query_bytes, v.dim, v.bytes(0), v.stride, nodes.data(), nodes.size(), out);
    } else {
      v.kernels->l2_f32_u8_gather(query, v.dim, v.bytes(0), v.stride, nodes.data(), nodes.size(), out);
    }
  }
  // Distances to the `count` nodes from `first` on.
  void score_run(Node first, std::size_t count, float* out) const noexcept {
    const Vectors& v = vectors;
    if (v.element == Element::f32) {
      v.kernels->l2_rows(query, v.dim, v.floats(first), v.stride / sizeof(float), count, out);
    } else if (query_bytes != nullptr) {
      v.kernels->l2_u8_rows(query_bytes, v.dim, v.bytes(first), v.stride, count, out);
    } else {
      v.kernels->l2_f32_u8_rows(query, v.dim, v.bytes(first), v.stride, count, out);
    }
  }
  void prefetch(Node node) const noexcept { vectors.prefetch(node); }
};

// The negated inner product with a query. Rows are floats.
struct ProductScorer {
  Vectors vectors;
  const float* query;

  void score(std::span<const Node> nodes, float* out) const noexcept {
    const Vectors& v = vectors;
    v.kernels->dot_gather(query, v.dim, v.floats(0), v.stride / sizeof(float), nodes.data(), nodes.size(), out);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = -out[i];
  }
  void score_run(Node first, std::size_t count, float* out) const noexcept {
    const Vectors& v = vectors;
    v.kernels->dot_rows(query, v.dim, v.floats(first), v.stride / sizeof(float), count, out);
    for (std::size_t i = 0; i < count; ++i) out[i] = -out[i];
  }
  void prefetch(Node node) const noexcept { vectors.prefetch(node); }
};

struct L2Space {
  Vectors vectors;

  L2Scorer from(Node node) const noexcept {
    if (vectors.element == Element::f32) return {vectors, vectors.floats(node), nullptr};
    return {vectors, nullptr, vectors.bytes(node)};
  }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

// Squared Euclidean distance after one more component, sqrt(longest^2 - |x|^2), that gives all vectors one length. The
// nearest to a query (whose extra component is 0) are then those of the largest inner product, and the graph gets a
// true distance to choose neighbours by: a raw product would invert the rule of diversity. Rows are floats. Bachrach et
// al., "Speeding up the Xbox recommender system using a Euclidean transformation", RecSys 2014.
struct ProductSpace {
  Vectors vectors;
  const float* squared_norms;
  float longest;  // the largest squared norm

  struct From {
    const ProductSpace* space;
    Node node;

    // The extra components a and b of two vectors differ by (b^2 - a^2) / (a + b), in which nothing cancels: their own
    // difference, or |x|^2 + |y|^2 - 2xy, would be noise once one vector is much longer than the others.
    void score(std::span<const Node> nodes, float* out) const noexcept {
      const Vectors& v = space->vectors;
      v.kernels->l2_gather(v.floats(node), v.dim, v.floats(0), v.stride / sizeof(float), nodes.data(), nodes.size(),
                           out);
      const float own = space->squared_norms[node];
      const float own_extra = std::sqrt(space->longest - own);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const float other = space->squared_norms[nodes[i]];
        const float extras = own_extra + std::sqrt(space->longest - other);
        const float difference = extras > 0 ? (other - own) / extras : 0;
        out[i] += difference * difference;
      }
    }
    void prefetch(Node other) const noexcept { space->vectors.prefetch(other); }
  };

  From from(Node node) const noexcept { return {this, node}; }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

}  // namespace boon::index
