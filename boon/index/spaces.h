// Vectors as the graph sees them: scorers and spaces over rows, through the distance table in use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/graph/scorer.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/element.h"

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

using kernels::Element;

// Rows of `dim` components, `stride` bytes apart; the kernels to score them with.
struct Vectors {
  const std::byte* base = nullptr;
  std::size_t stride = 0;
  std::size_t dim = 0;
  Element element = Element::f32;
  const kernels::DistanceTable* kernels = nullptr;

  std::size_t row_bytes() const noexcept { return dim * kernels::bytes_of(element); }
  const std::byte* row(Node node) const noexcept { return base + static_cast<std::size_t>(node) * stride; }
  template <class T>
  const T* as(Node node) const noexcept {
    return reinterpret_cast<const T*>(row(node));
  }
  // The row as floats.
  std::vector<float> values(Node node) const {
    return kernels::with_type(element, [&]<class T>(std::type_identity<T>) {
      if constexpr (sizeof(T) == 2) {
        std::vector<float> result(dim);
        kernels::row_distances<T>(*kernels).widen(as<T>(node), dim, result.data());
        return result;
      } else {
        return std::vector<float>(as<T>(node), as<T>(node) + dim);
      }
    });
  }

  void prefetch(Node node) const noexcept { prefetch_lines(row(node), row_bytes()); }
  std::uint64_t fingerprint(Node node) const noexcept { return xxh3({row(node), row_bytes()}); }
  bool same(Node a, Node b) const noexcept { return std::memcmp(row(a), row(b), row_bytes()) == 0; }
};

// Squared Euclidean distance to a query. Serves cosine too: on vectors of length 1 it is 2 (1 - cos), and keeps the
// small distances that 1 - dot rounds away.
class L2Scorer {
 public:
  // `query` may be null where rows are bytes and the query is too; `bytes` is the same query, null if it does not fit.
  L2Scorer(const Vectors& vectors, const float* query, const std::uint8_t* bytes) noexcept
      : vectors_(vectors), query_(query), bytes_(vectors.element == Element::u8 ? bytes : nullptr) {}
  // A query that lives nowhere else.
  L2Scorer(const Vectors& vectors, std::vector<float> query) noexcept : vectors_(vectors), own_(std::move(query)) {}

  // Distances to nodes.
  void score(std::span<const Node> nodes, float* out) const noexcept {
    const Vectors& v = vectors_;
    if (bytes_ != nullptr) {
      v.kernels->l2_u8_gather(bytes_, v.dim, v.as<std::uint8_t>(0), v.stride, nodes.data(), nodes.size(), out);
      return;
    }
    kernels::with_type(v.element, [&]<class T>(std::type_identity<T>) {
      kernels::row_distances<T>(*v.kernels)
          .l2_gather(query(), v.dim, v.as<T>(0), v.stride / sizeof(T), nodes.data(), nodes.size(), out);
    });
  }
  // Distances to the `count` nodes from `first` on.
  void score_run(Node first, std::size_t count, float* out) const noexcept {
    const Vectors& v = vectors_;
    if (bytes_ != nullptr) {
      v.kernels->l2_u8_rows(bytes_, v.dim, v.as<std::uint8_t>(first), v.stride, count, out);
      return;
    }
    kernels::with_type(v.element, [&]<class T>(std::type_identity<T>) {
      kernels::row_distances<T>(*v.kernels).l2_rows(query(), v.dim, v.as<T>(first), v.stride / sizeof(T), count, out);
    });
  }
  void prefetch(Node node) const noexcept { vectors_.prefetch(node); }

 private:
  const float* query() const noexcept { return own_.empty() ? query_ : own_.data(); }

  Vectors vectors_;
  const float* query_ = nullptr;
  const std::uint8_t* bytes_ = nullptr;
  std::vector<float> own_;
};

// The negated inner product with a query. Rows are no bytes.
struct ProductScorer {
  Vectors vectors;
  const float* query;

  void score(std::span<const Node> nodes, float* out) const noexcept {
    const Vectors& v = vectors;
    kernels::with_type(v.element, [&]<class T>(std::type_identity<T>) {
      kernels::row_distances<T>(*v.kernels)
          .dot_gather(query, v.dim, v.as<T>(0), v.stride / sizeof(T), nodes.data(), nodes.size(), out);
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = -out[i];
  }
  void score_run(Node first, std::size_t count, float* out) const noexcept {
    const Vectors& v = vectors;
    kernels::with_type(v.element, [&]<class T>(std::type_identity<T>) {
      kernels::row_distances<T>(*v.kernels).dot_rows(query, v.dim, v.as<T>(first), v.stride / sizeof(T), count, out);
    });
    for (std::size_t i = 0; i < count; ++i) out[i] = -out[i];
  }
  void prefetch(Node node) const noexcept { vectors.prefetch(node); }
};

struct L2Space {
  Vectors vectors;

  L2Scorer from(Node node) const {
    if (vectors.element == Element::f32) return {vectors, vectors.as<float>(node), nullptr};
    if (vectors.element == Element::u8) return {vectors, nullptr, vectors.as<std::uint8_t>(node)};
    return {vectors, vectors.values(node)};
  }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

// Squared Euclidean distance after one more component, sqrt(longest^2 - |x|^2), that gives all vectors one length. The
// nearest to a query (whose extra component is 0) are then those of the largest inner product, and the graph gets a
// true distance to choose neighbours by: a raw product would invert the rule of diversity. Rows are no bytes. Bachrach
// et al., "Speeding up the Xbox recommender system using a Euclidean transformation", RecSys 2014.
struct ProductSpace {
  Vectors vectors;
  const float* squared_norms;
  float longest;  // the largest squared norm

  struct From {
    const ProductSpace* space;
    Node node;
    L2Scorer rows;

    // The extra components a and b of two vectors differ by (b^2 - a^2) / (a + b), in which nothing cancels: their own
    // difference, or |x|^2 + |y|^2 - 2xy, would be noise once one vector is much longer than the others.
    void score(std::span<const Node> nodes, float* out) const noexcept {
      rows.score(nodes, out);
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

  From from(Node node) const { return {this, node, L2Space{vectors}.from(node)}; }
  std::uint64_t fingerprint(Node node) const noexcept { return vectors.fingerprint(node); }
  bool same(Node a, Node b) const noexcept { return vectors.same(a, b); }
};

}  // namespace boon::index
