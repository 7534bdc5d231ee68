// How an index finds the nearest.
#pragma once

#include <cstdint>
#include <string_view>

namespace boon {

enum class IndexKind : std::uint32_t {
  hnsw,   // by walking a graph: fast on many vectors, and now and then it misses one
  exact,  // by comparing with every vector: nothing to build, nothing missed; for small sets, batches and ground truth
};

// "hnsw", "exact".
std::string_view name(IndexKind kind) noexcept;
// The names above and what others call them ("flat", "brute"). Throws invalid_argument.
IndexKind parse_kind(std::string_view name);

}  // namespace boon
