// The peak of vectors of 256 bits.
#include <immintrin.h>

#include <cstddef>
#include <string_view>

#include "boon/kernels/peak_loops.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma,avxvnni")
#include "boon/kernels/peak_loop.h"

namespace boon::kernels {
namespace {

struct Fma256 {
  using Vector = __m256;
  static constexpr double kOperations = 2 * 8;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  }
};

// Bytes widened to 16 bits: what is exact without VNNI.
struct Words256 {
  using Vector = __m256i;
  static constexpr double kOperations = 2 * 16;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vpmaddwd %2, %1, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "+x"(x) : "x"(y));
  }
};

struct Vnni256 {
  using Vector = __m256i;
  static constexpr double kOperations = 2 * 32;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  }
};

}  // namespace

PeakLoop peak_loop_avx2(Arithmetic what, IsaSupport support) noexcept {
  if (what != Arithmetic::int8) return RegisterLoop<Fma256>::named("vfmadd231ps ymm");
  if (support.avx_vnni) return RegisterLoop<Vnni256>::named("vpdpbusd ymm");
  return RegisterLoop<Words256>::named("vpmaddwd, vpaddd ymm");
}

}  // namespace boon::kernels
BOON_TARGET_END
