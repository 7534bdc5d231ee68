// Internal: what a KnnBase holds.
#pragma once

#include <memory>

#include "boon/kernels/knn.h"
#include "boon/kernels/knn_exact.h"

namespace boon::kernels {

struct KnnBase::Parts {
  KnnRows rows;
  KnnSpace space = KnnSpace::l2;
  Isa isa = Isa::scalar;
  const ExactTable* exact = nullptr;
  std::vector<double> inverse_lengths;  // cosine only
};

}  // namespace boon::kernels
