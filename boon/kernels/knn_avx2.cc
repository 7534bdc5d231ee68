// Exact search with AVX2 and FMA: eight lanes.
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "boon/kernels/knn_kernels.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma,f16c")
#include "boon/kernels/knn_code_loop.h"
#include "boon/kernels/knn_float_loop.h"

namespace boon::kernels {
namespace {

struct Lanes {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::uint32_t kAllSigns = 0xff;
  static constexpr std::size_t kQueries = 6;  // 12 sums, two vectors of rows and one of a query, of 16 registers

  using Float = __m256;
  static Float zero() noexcept { return _mm256_setzero_ps(); }
  static Float load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static void store(float* p, Float x) noexcept { _mm256_storeu_ps(p, x); }
  static Float broadcast(const float* p) noexcept { return _mm256_broadcast_ss(p); }
  static Float widen(const float* p) noexcept { return load(p); }
  static Float widen(const std::uint8_t* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Float widen(const Fp16* p) noexcept {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Float widen(const Bf16* p) noexcept {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
  // Hidden from the compiler, which would fuse it with a sum that follows and so round once.
  static Float multiply(Float x, Float y) noexcept {
    Float product = _mm256_mul_ps(x, y);
    asm("" : "+x"(product));
    return product;
  }
  // By pairs, by fours, then halves as they are.
  static void transpose(Float (&v)[kLanes]) noexcept {
    Float w[kLanes];
    BOON_UNROLL(4)
    for (std::size_t i = 0; i < 8; i += 2) {
      w[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
      w[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
    BOON_UNROLL(2)
    for (std::size_t i = 0; i < 8; i += 4) {
      const auto pair = [&](std::size_t j) { return _mm256_castps_pd(w[i + j]); };
      v[i] = _mm256_castpd_ps(_mm256_unpacklo_pd(pair(0), pair(2)));
      v[i + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(pair(0), pair(2)));
      v[i + 2] = _mm256_castpd_ps(_mm256_unpacklo_pd(pair(1), pair(3)));
      v[i + 3] = _mm256_castpd_ps(_mm256_unpackhi_pd(pair(1), pair(3)));
    }
    BOON_UNROLL(4)
    for (std::size_t j = 0; j < 4; ++j) {
      w[j] = _mm256_permute2f128_ps(v[j], v[4 + j], 0x20);
      w[4 + j] = _mm256_permute2f128_ps(v[j], v[4 + j], 0x31);
    }
    std::copy(w, w + kLanes, v);
  }
  static Float larger(Float x, Float y) noexcept { return _mm256_max_ps(x, y); }
  static Float size(Float x) noexcept { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }
  static Float subtract(Float x, Float y) noexcept { return _mm256_sub_ps(x, y); }
  static Float multiply_add(Float x, Float y, Float sum) noexcept { return _mm256_fmadd_ps(x, y, sum); }
  static Float clamp(Float x, float limit) noexcept {
    return _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(limit)), _mm256_set1_ps(-limit));
  }
  static Float both(Float x, Float y) noexcept { return _mm256_and_ps(x, y); }
  static std::uint32_t signs(Float x) noexcept { return static_cast<std::uint32_t>(_mm256_movemask_ps(x)); }

  // vpmaddubsw adds two products in 16 bits and saturates, so codes of rows are of 7 bits: 2 * 127 * 127 fits.
  static constexpr std::size_t kCodeQueries = 3;  // a product takes two registers more
  static constexpr int kCodeMax = 63;
  static constexpr int kRowOffset = 64;
  using Int = __m256i;
  static Int no_words() noexcept { return _mm256_setzero_si256(); }
  static Int load(const std::uint8_t* p) noexcept { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Int load_words(const std::int32_t* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store(std::int32_t* p, Int x) noexcept { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static Int broadcast(const std::int32_t* p) noexcept { return _mm256_set1_epi32(*p); }
  static Int broadcast(const std::int8_t* four) noexcept {
    std::int32_t word;
    std::memcpy(&word, four, sizeof word);
    return _mm256_set1_epi32(word);
  }
  static Int add(Int x, Int y) noexcept { return _mm256_add_epi32(x, y); }
  static Int subtract(Int x, Int y) noexcept { return _mm256_sub_epi32(x, y); }
  static Int both(Int x, Int y) noexcept { return _mm256_and_si256(x, y); }
  static std::uint32_t signs(Int x) noexcept { return signs(_mm256_castsi256_ps(x)); }
  template <class Sums>
  static std::uint32_t* list_clear(const Sums& x, std::uint32_t first, std::uint32_t* out) noexcept {
    for (std::uint32_t clear = ~signs(x) & kAllSigns; clear != 0; clear &= clear - 1) {
      *out++ = first + static_cast<std::uint32_t>(__builtin_ctz(clear));
    }
    return out;
  }
  static Int round(Float x) noexcept { return _mm256_cvtps_epi32(x); }
  static Float convert(Int x) noexcept { return _mm256_cvtepi32_ps(x); }
  static void store_bytes(std::int8_t* p, Int x) noexcept {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }
  static Int add_products(Int sum, Int rows, Int queries) noexcept {
    const Int pairs = _mm256_maddubs_epi16(rows, queries);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
};

}  // namespace

constinit const KnnFloatKernels kKnnFloatsAvx2 = KnnFloatLoop<Lanes>::table();
constinit const KnnCodeKernels kKnnCodesAvx2 = KnnCodeLoop<Lanes>::table("avx2");

}  // namespace boon::kernels
BOON_TARGET_END
