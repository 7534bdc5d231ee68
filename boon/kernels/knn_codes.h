// Internal: rows in 8 bits a component, packed for the loops over codes.
//
// Rows are put in the order of their largest component, so that those of a panel share one step without losing by it.
// A panel is blocks of rows, each a code_strip (knn_strips.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/parallel.h"
#include "boon/kernels/knn.h"
#include "boon/kernels/knn_kernels.h"

namespace boon::kernels {

struct KnnCodes {
  const KnnCodeKernels* kernels = nullptr;
  std::size_t row_bytes = 0;
  PageBuffer packed;
  std::vector<std::uint32_t> rows;  // which row stands at a place; kNoRow32 where none does
  std::vector<float> starts;        // -|framed row|^2 / 2 in steps of its panel; empty but under L2
  // Of each panel.
  std::vector<float> steps;
  std::vector<float> inverse_steps;
  std::vector<float> first;  // knn_bounds.h
  std::vector<float> second;
  std::vector<float> largest_starts;
  float largest_start = 0;

  static constexpr std::size_t kDimMax = 8192;  // sums, starts and thresholds then fit 32 bits

  std::size_t panels() const noexcept { return steps.size(); }
  KnnCodePanels from(std::size_t panel, std::size_t count) const noexcept;
  std::size_t memory_bytes() const noexcept;
};

// Throws out_of_memory.
KnnCodes make_codes(const KnnBase::Parts& base, const KnnCodeKernels& kernels, ThreadPool& pool);

// What one step of a query's code is to stand for, at least: 127 steps hold its components, and the starts of rows do
// not pass 2^29 steps.
float query_step(const KnnBase::Parts& base, const std::vector<float>& framed_query) noexcept;

}  // namespace boon::kernels
