// Exact search with AVX-512 as every processor has it; products of bytes by VNNI are in knn_vnni.cc.
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

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/kernels/knn_code_loop.h"
#include "boon/kernels/knn_float_loop.h"

namespace boon::kernels {
namespace {

// vpmaddubsw adds two products in 16 bits and saturates, so codes of rows are of 7 bits: 2 * 127 * 127 fits.
struct Lanes : KnnLanesAvx512 {
  static constexpr std::size_t kCodeQueries = 12;
  static constexpr int kCodeMax = 63;
  static constexpr int kRowOffset = 64;
  static Int add_products(Int sum, Int rows, Int queries) noexcept {
    const Int pairs = _mm512_maddubs_epi16(rows, queries);
    return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
};

}  // namespace

constinit const KnnFloatKernels kKnnFloatsAvx512 = KnnFloatLoop<Lanes>::table();
constinit const KnnCodeKernels kKnnCodesAvx512 = KnnCodeLoop<Lanes>::table("avx512");

}  // namespace boon::kernels
BOON_TARGET_END
