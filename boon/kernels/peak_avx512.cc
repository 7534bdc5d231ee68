// The peak of vectors of 512 bits.
#include <immintrin.h>

#include <cstddef>
#include <string_view>

#include "boon/kernels/peak_loops.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512bw,avx512vnni,avx512bf16")
#include "boon/kernels/peak_loop.h"

namespace boon::kernels {
namespace {

struct Fma512 {
  using Vector = __m512;
  static constexpr double kOperations = 2 * 16;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  }
};

// Bytes widened to 16 bits: what is exact without VNNI.
struct Words512 {
  using Vector = __m512i;
  static constexpr double kOperations = 2 * 32;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vpmaddwd %2, %1, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "+v"(x) : "v"(y));
  }
};

struct Vnni512 {
  using Vector = __m512i;
  static constexpr double kOperations = 2 * 64;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  }
};

struct Bf16Dot512 {
  using Vector = __m512;
  static constexpr double kOperations = 2 * 32;
  static void add(Vector& sum, Vector x, Vector y) noexcept {
    asm volatile("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  }
};

}  // namespace

PeakLoop peak_loop_avx512(Arithmetic what, IsaSupport support) noexcept {
  if (what == Arithmetic::int8) {
    if (support.avx512_vnni) return RegisterLoop<Vnni512>::named("vpdpbusd zmm");
    return RegisterLoop<Words512>::named("vpmaddwd, vpaddd zmm");
  }
  if (what == Arithmetic::bf16 && support.fast_bf16) return RegisterLoop<Bf16Dot512>::named("vdpbf16ps zmm");
  return RegisterLoop<Fma512>::named("vfmadd231ps zmm");
}

}  // namespace boon::kernels
BOON_TARGET_END
