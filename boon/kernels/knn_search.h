// Internal: one piece of a search, some of the queries against some of the rows, by each of the ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/kernels/knn_base.h"
#include "boon/kernels/knn_nearest.h"

namespace boon::kernels {

struct KnnPiece {
  const KnnBase::Parts& base;
  const KnnQuery& query;
  std::size_t first_query = 0;
  std::size_t queries = 0;
  // Of these rows, by number; if `listed` is not null, of its entries; by codes, of the places in them.
  std::size_t begin = 0;
  std::size_t end = 0;
  const std::vector<std::uint32_t>* listed = nullptr;

  const float* values(std::size_t i) const noexcept {
    return query.data + (first_query + i) * (query.stride == 0 ? base.rows.dim : query.stride);
  }
  bool allows(std::size_t row) const noexcept {
    return query.allowed == nullptr || ((query.allowed[row / 64] >> (row % 64)) & 1) != 0;
  }
  std::uint32_t row(std::size_t i) const noexcept {
    return listed != nullptr ? (*listed)[i] : static_cast<std::uint32_t>(i);
  }
};

// Each leaves the k nearest of the piece's rows to its query i in found[i], which was reset to k, 1 or more. Throw
// out_of_memory.
void search_plain(const KnnPiece& piece, std::span<KnnNearest> found);
void search_rows(const KnnPiece& piece, std::span<KnnNearest> found);
void search_floats(const KnnPiece& piece, std::span<KnnNearest> found);
void search_codes(const KnnPiece& piece, std::span<KnnNearest> found);

// Whether search_rows can be asked.
bool rows_suit(const KnnBase::Parts& base) noexcept;

}  // namespace boon::kernels
