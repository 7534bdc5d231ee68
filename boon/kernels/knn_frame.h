// Internal: the frame in which the fast ways of exact search see vectors. Scaled by a power of two so that rows are of
// lengths around 1 and neither overflow nor vanish in fp32; moved so that their mean is 0, where that makes them
// shorter, as errors go with length. Under cosine each vector is scaled to length 1 first. None of this changes an
// order.
#pragma once

#include <cstddef>
#include <vector>

#include "boon/kernels/knn.h"
#include "boon/kernels/knn_exact.h"

namespace boon::kernels {

struct KnnFrame {
  float scale = 1;            // a power of two; 1 under cosine
  std::vector<float> center;  // of the scaled rows
  double center_length = 0;
  bool whole = false;  // rows are bytes, or floats that could be: scale is 1 and the center 128
};

// From a sample of the rows. `whole` still needs the others' word.
KnnFrame choose_frame(const KnnRows& rows, KnnSpace space, const double* inverse_lengths);

// |framed row|^2 / 2 of rows [begin, end), each rounded once. The framed row's length is right to a relative 2^-20.
void half_squares(const ExactTable& table, const KnnRows& rows, KnnSpace space, const KnnFrame& frame,
                  const double* inverse_lengths, std::size_t begin, std::size_t end, float* out);

// The score t (knn_bounds.h) that a key corresponds to.
struct KnnScoreOfKey {
  double offset = 0;
  double factor = 0;
  double operator()(double key) const noexcept { return offset - factor * key; }
};

// A query in the frame.
struct KnnFramedQuery {
  std::vector<float> values;
  double length = 0;
  KnnScoreOfKey score_of_key;
  // Whether bounds say anything of it: not of zeros under the inner product and cosine, to which all rows are equal,
  // nor of a query that is 2^40 times as far out as the rows.
  bool fits = true;

  void set(const float* query, const KnnFrame& frame, KnnSpace space);
};

}  // namespace boon::kernels
