// Distances with AVX2 and FMA: eight floats a vector.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/distance.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma,f16c")
#include "boon/kernels/simd_distance.h"

namespace boon::kernels {
namespace {

// Read from word 8 - n on, it selects the first n lanes.
constexpr std::int32_t kFirstLanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

// The first n bytes from p, n < 16, then zeros; nothing past them is read.
__m128i load_bytes(const std::uint8_t* p, std::size_t n) noexcept {
  const auto word = [](const std::uint8_t* from, std::size_t count) noexcept -> std::uint64_t {
    if (count >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, from, 8);
      return eight;
    }
    if (count >= 4) {
      std::uint32_t first, last;
      std::memcpy(&first, from, 4);
      std::memcpy(&last, from + count - 4, 4);
      return first | std::uint64_t{last} << (count - 4) * 8;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{from[i]} << i * 8;
    return value;
  };
  const auto low = static_cast<long long>(word(p, n));
  return n <= 8 ? _mm_set_epi64x(0, low) : _mm_set_epi64x(static_cast<long long>(word(p + 8, n - 8)), low);
}

struct Lanes {
  using Vector = __m256;
  static constexpr std::size_t kWidth = 8;

  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static void store(float* p, Vector x) noexcept { _mm256_storeu_ps(p, x); }
  static Vector load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static Vector load_first(const float* p, std::size_t n) noexcept {
    const void* mask = kFirstLanes + kWidth - n;
    return _mm256_maskload_ps(p, _mm256_loadu_si256(static_cast<const __m256i*>(mask)));
  }
  static Vector load(const std::uint8_t* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Vector load_first(const std::uint8_t* p, std::size_t n) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(load_bytes(p, n)));
  }
  static Vector load(const Fp16* p) noexcept {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Vector load_first(const Fp16* p, std::size_t n) noexcept { return _mm256_cvtph_ps(load_halves(p, n)); }
  static Vector load(const Bf16* p) noexcept { return of_bf16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }
  static Vector load_first(const Bf16* p, std::size_t n) noexcept { return of_bf16(load_halves(p, n)); }
  static Vector of_bf16(__m128i halves) noexcept {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
  static __m128i load_halves(const void* p, std::size_t n) noexcept {
    return load_bytes(static_cast<const std::uint8_t*>(p), 2 * n);
  }
  static Vector add(Vector x, Vector y) noexcept { return _mm256_add_ps(x, y); }
  static Vector subtract(Vector x, Vector y) noexcept { return _mm256_sub_ps(x, y); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm256_fmadd_ps(x, y, sum); }
  static __m128 halve_to_4(Vector v) noexcept {
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  }
  // An exponent of all ones is an infinity or a NaN.
  static std::uint32_t not_finite(Vector v) noexcept {
    const __m256i exponent = _mm256_set1_epi32(0x7f800000);
    const __m256i masked = _mm256_and_si256(_mm256_castps_si256(v), exponent);
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(masked, exponent))));
  }

  using Words = __m256i;
  static constexpr std::size_t kWords = 16;
  static Words zero_words() noexcept { return _mm256_setzero_si256(); }
  static Words load_words(const std::uint8_t* p) noexcept {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Words load_first_words(const std::uint8_t* p, std::size_t n) noexcept {
    return _mm256_cvtepu8_epi16(load_bytes(p, n));
  }
  static Words add_words(Words x, Words y) noexcept { return _mm256_add_epi32(x, y); }
  static Words add_square_of_difference(Words sum, Words x, Words y) noexcept {
    const Words difference = _mm256_sub_epi16(x, y);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(difference, difference));
  }
  static __m128i halve_words_to_4(Words v) noexcept {
    return _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  }
};

}  // namespace

constinit const DistanceTable kAvx2Table = SimdDistance<Lanes>::table(Isa::avx2, "avx2");

}  // namespace boon::kernels
BOON_TARGET_END
