// Code kernels with AVX-512 VNNI, VBMI and VPOPCNTDQ: Ice Lake, Zen 4 and later.
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

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx512vbmi,avx512vpopcntdq")
#include "boon/codec/simd_codes.h"
#include "boon/codec/simd_search.h"

namespace boon::codec {
namespace {

struct Lanes : LanesAvx512 {
  static Bytes add_products(Bytes sum, Bytes u, Bytes s) noexcept { return _mm512_dpbusd_epi32(sum, u, s); }
  // The row plus 128 has no sign.
  static constexpr std::int32_t kSignedOffset = 128;
  static Bytes add_signed(Bytes sum, Bytes row, Bytes query) noexcept {
    return _mm512_dpbusd_epi32(sum, _mm512_xor_si512(row, _mm512_set1_epi8(-128)), query);
  }
  static Bytes add_unsigned(Bytes sum, Bytes row, Bytes query) noexcept { return _mm512_dpbusd_epi32(sum, row, query); }
  // vpermb looks at six bits of an index; the table repeats every 16 bytes, so whatever is in bits 4 and 5 does not
  // matter.
  static Bytes low_values(Bytes codes) noexcept { return _mm512_permutexvar_epi8(codes, values_table()); }
  static Bytes high_values(Bytes codes) noexcept {
    return _mm512_permutexvar_epi8(_mm512_srli_epi16(codes, 4), values_table());
  }
  static Bytes count_bits(Bytes v) noexcept { return _mm512_popcnt_epi64(v); }
};

}  // namespace

constinit const CodeKernels kVbmiCodes =
    SimdCodes<Lanes>::table(kernels::Isa::avx512, "avx512vbmi", SimdSearch<Lanes>::run);

}  // namespace boon::codec
BOON_TARGET_END
