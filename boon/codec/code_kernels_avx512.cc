// Code kernels with AVX-512 as every processor of it has.
#ifndef __clang__
// g++ 12 warns of its own _mm512_castps512_ps256 and others (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/codec/code_tables.h"
#include "boon/codec/e2m1.h"
#include "boon/codec/lanes_avx512.h"
#include "boon/codec/nvfp4_search.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/codec/simd_codes.h"
#include "boon/codec/simd_search.h"

namespace boon::codec {
namespace {

struct Lanes : LanesAvx512 {};

}  // namespace

constinit const CodeKernels kAvx512Codes =
    SimdCodes<Lanes>::table(kernels::Isa::avx512, "avx512", SimdSearch<Lanes>::run);

}  // namespace boon::codec
BOON_TARGET_END
