#include "boon/kernels/distance.h"

#include "boon/kernels/tables.h"

namespace boon::kernels {
namespace {

const DistanceTable& table(Isa isa) noexcept {
  switch (isa) {
    case Isa::avx2:
      return kAvx2Table;
    case Isa::avx512:
    case Isa::amx:  // distances are no products of matrices
      return kAvx512Table;
    case Isa::scalar:
      break;
  }
  return kScalarTable;
}

}  // namespace

const DistanceTable& distances() {
  static const DistanceTable& chosen = table(isa_in_use());
  return chosen;
}

const DistanceTable* distances(Isa isa) noexcept {
  return isa_support().has(isa) ? &table(isa) : nullptr;
}

}  // namespace boon::kernels
