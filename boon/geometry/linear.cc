#include "boon/geometry/linear.h"

#include "boon/geometry/linear_tables.h"

namespace boon::geometry {

const LinearTable& linear(kernels::Isa isa) noexcept {
  switch (isa) {
    case kernels::Isa::avx2:
      return kLinearAvx2;
    case kernels::Isa::avx512:
    case kernels::Isa::amx:
      return kLinearAvx512;
    case kernels::Isa::scalar:
      break;
  }
  return kLinearScalar;
}

const LinearTable& linear() {
  static const LinearTable& table = linear(kernels::isa_in_use());
  return table;
}

}  // namespace boon::geometry
