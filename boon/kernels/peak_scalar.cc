// The peak of what every x86-64 processor has: vectors of 128 bits.
#include <emmintrin.h>

#include "boon/kernels/peak_loop.h"

namespace boon::kernels {
namespace {

// The product is new each time, as it is in a product of matrices: the copy of x is a register's new name.
struct MultiplyAdd128 {
  using Vector = __m128;
  static constexpr double kOperations = 2 * 4;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("mulps %2, %1\n\taddps %1, %0" : "+x"(sum), "+x"(x) : "x"(y));
  }
};

struct Words128 {
  using Vector = __m128i;
  static constexpr double kOperations = 2 * 8;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("pmaddwd %2, %1\n\tpaddd %1, %0" : "+x"(sum), "+x"(x) : "x"(y));
  }
};

}  // namespace

PeakLoop peak_loop_scalar(Arithmetic what) noexcept {
  if (what == Arithmetic::int8) return RegisterLoop<Words128>::named("pmaddwd, paddd xmm");
  return RegisterLoop<MultiplyAdd128>::named("mulps, addps xmm");
}

}  // namespace boon::kernels
