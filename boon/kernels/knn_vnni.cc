// Exact search over codes with AVX-512 VNNI: 64 products of bytes and their sums in one instruction.
#ifndef __clang__
// g++ 12 warns of its own _mm512_min_ps (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "boon/kernels/knn_kernels.h"
#include "boon/kernels/knn_lanes_avx512.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")
#include "boon/kernels/knn_code_loop.h"

namespace boon::kernels {
namespace {

struct Lanes : KnnLanesAvx512 {
  static constexpr std::size_t kCodeQueries = 12;
  static constexpr int kCodeMax = 127;
  static constexpr int kRowOffset = 128;
  // Written out: of 24 sums through the intrinsic, g++ 12 keeps half on the stack and copies the others about.
  static Int add_products(Int sum, Int rows, Int queries) noexcept {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(rows), "v"(queries));
    return sum;
  }
};

}  // namespace

constinit const KnnCodeKernels kKnnCodesVnni = KnnCodeLoop<Lanes>::table("vnni");

}  // namespace boon::kernels
BOON_TARGET_END
