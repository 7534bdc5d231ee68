// Code kernels with AVX2: 32 bytes, 8 floats a vector.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/codec/code_tables.h"
#include "boon/codec/e2m1.h"
#include "boon/codec/nvfp4_search.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma,f16c")
#include "boon/codec/simd_codes.h"
#include "boon/codec/simd_search.h"

namespace boon::codec {
namespace {

struct Lanes {
  using Vector = __m256;
  static constexpr std::size_t kWidth = 8;

  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static Vector load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static Vector load(const std::uint8_t* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  template <class Element>
  static Vector load_first(const Element* p, std::size_t n) noexcept {
    Element padded[kWidth] = {};
    std::memcpy(padded, p, n * sizeof *p);
    return load(padded);
  }
  static Vector add(Vector x, Vector y) noexcept { return _mm256_add_ps(x, y); }
  static Vector subtract(Vector x, Vector y) noexcept { return _mm256_sub_ps(x, y); }
  static Vector multiply(Vector x, float y) noexcept { return _mm256_mul_ps(x, _mm256_set1_ps(y)); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm256_fmadd_ps(x, y, sum); }
  static void store(float* p, Vector x) noexcept { _mm256_storeu_ps(p, x); }
  static Vector multiply(Vector x, Vector y) noexcept { return _mm256_mul_ps(x, y); }
  static Vector number(float x) noexcept { return _mm256_set1_ps(x); }
  static Vector magnitude(Vector x) noexcept { return _mm256_andnot_ps(_mm256_set1_ps(-0.F), x); }
  static Vector least(Vector x, Vector y) noexcept { return _mm256_min_ps(x, y); }
  static Vector most(Vector x, Vector y) noexcept { return _mm256_max_ps(x, y); }
  static Vector select_less(Vector a, Vector b, Vector x, Vector y) noexcept {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
  }
  static Vector exact(Vector x) noexcept {
    asm("" : "+x"(x));
    return x;
  }
  static __m128 halve_to_4(Vector v) noexcept {
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  }

  using Bytes = __m256i;
  static constexpr std::size_t kBytes = 32;

  static Bytes no_bytes() noexcept { return _mm256_setzero_si256(); }
  static Bytes load_bytes(const void* p) noexcept { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Bytes load_first_bytes(const std::uint8_t* p, std::size_t n) noexcept {
    std::uint8_t padded[kBytes] = {};
    std::memcpy(padded, p, n);
    return load_bytes(padded);
  }

  static Bytes look_up(Bytes index) noexcept {
    const __m128i table = _mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), _mm256_and_si256(index, _mm256_set1_epi8(15)));
  }
  static Bytes low_values(Bytes codes) noexcept { return look_up(codes); }
  static Bytes high_values(Bytes codes) noexcept { return look_up(_mm256_srli_epi16(codes, 4)); }
  // Two products are at most 2 * 24 * 127, far from the 16 bits that maddubs saturates at.
  static Bytes add_products(Bytes sum, Bytes u, Bytes s) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(u, s), _mm256_set1_epi16(1)));
  }
  // |row| * (query with the row's sign): two products are at most 2 * 128 * 127, which 16 bits hold.
  static constexpr std::int32_t kSignedOffset = 0;
  static Bytes add_signed(Bytes sum, Bytes row, Bytes query) noexcept {
    return add_products(sum, _mm256_abs_epi8(row), _mm256_sign_epi8(query, row));
  }
  // Two products of up to 255 * 127 would saturate, so bytes are widened.
  static Bytes add_unsigned(Bytes sum, Bytes row, Bytes query) noexcept {
    const Bytes low = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(row)),
                                        _mm256_cvtepi8_epi16(_mm256_castsi256_si128(query)));
    const Bytes high = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_extracti128_si256(row, 1)),
                                         _mm256_cvtepi8_epi16(_mm256_extracti128_si256(query, 1)));
    return _mm256_add_epi32(sum, _mm256_add_epi32(low, high));
  }
  static Bytes add(Bytes x, Bytes y) noexcept { return _mm256_add_epi32(x, y); }
  static Bytes fold(Bytes a, Bytes b) noexcept {
    return _mm256_permute4x64_epi64(_mm256_hadd_epi32(a, b), 0b11'01'10'00);
  }
  static std::int32_t total(Bytes v) noexcept {
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b00'00'11'10));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
  }
  static Bytes word(std::int32_t n) noexcept { return _mm256_set1_epi32(n); }
  static Bytes four_bytes(const std::int8_t* p) noexcept {
    std::int32_t n;
    std::memcpy(&n, p, sizeof n);
    return word(n);
  }
  static Vector to_float(Bytes words) noexcept { return _mm256_cvtepi32_ps(words); }
  static Vector scales_of(__m128i bytes) noexcept {
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(bytes), 7));
  }
  static Vector scales(const std::uint8_t* p) noexcept {
    return scales_of(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static Vector first_scales(const std::uint8_t* p, std::size_t n) noexcept {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, n);
    return scales_of(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
  }

  static Bytes both(Bytes x, Bytes y) noexcept { return _mm256_and_si256(x, y); }
  static Bytes count_bits(Bytes v) noexcept {
    const Bytes table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const Bytes nibble = _mm256_set1_epi8(15);
    const Bytes low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, nibble));
    const Bytes high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
  }
  template <int shift>
  static Bytes add_shifted(Bytes sum, Bytes v) noexcept {
    return _mm256_add_epi64(sum, _mm256_slli_epi64(v, shift));
  }
};

}  // namespace

constinit const CodeKernels kAvx2Codes = SimdCodes<Lanes>::table(kernels::Isa::avx2, "avx2", SimdSearch<Lanes>::run);

}  // namespace boon::codec
BOON_TARGET_END
