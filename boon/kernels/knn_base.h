// Internal: what a KnnBase holds.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "boon/core/parallel.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/knn.h"
#include "boon/kernels/knn_bounds.h"
#include "boon/kernels/knn_codes.h"
#include "boon/kernels/knn_exact.h"
#include "boon/kernels/knn_frame.h"
#include "boon/kernels/knn_kernels.h"
#include "boon/kernels/knn_threads.h"

namespace boon::kernels {

struct KnnBase::Parts {
  KnnRows rows;
  KnnSpace space = KnnSpace::l2;
  const DistanceTable* distances = nullptr;
  const ExactTable* exact = nullptr;
  const KnnFloatKernels* floats = nullptr;

  std::vector<double> inverse_lengths;  // cosine only
  KnnFrame frame;
  std::vector<float> half_squares;  // of the framed rows
  double longest = 0;               // of the framed rows
  // Whether the frame holds all rows: not if their lengths differ by more than floats can tell. Then only plain is
  // left.
  bool fits = true;
  std::optional<KnnCodes> codes;

  mutable KnnThreads threads;  // of searches; they may be several at once

  KnnBounds bounds() const noexcept {
    return {rows.dim, frame.center_length, space == KnnSpace::l2, space == KnnSpace::cosine};
  }
  // By which the framed row's components are multiplied.
  float scale(std::size_t row) const noexcept {
    return space == KnnSpace::cosine ? static_cast<float>(inverse_lengths[row]) : frame.scale;
  }
  // Above the length of any of these framed rows.
  static double length_of(float half_square) noexcept { return std::sqrt(2 * double{half_square}) * (1 + 0x1p-20); }
};

// Writes framed row `row` and returns its largest component, in size.
float frame_row(const KnnBase::Parts& base, std::size_t row, float* out) noexcept;

}  // namespace boon::kernels
