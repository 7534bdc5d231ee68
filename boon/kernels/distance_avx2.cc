// Distances with AVX2 and FMA: eight floats a vector.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/kernels/distance.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/tables.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma")
#include "boon/kernels/simd_distance.h"

namespace boon::kernels {
namespace {

// Read from word 8 - n on, it selects the first n lanes.
constexpr std::int32_t kFirstLanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

struct Lanes {
  using Vector = __m256;
  static constexpr std::size_t kWidth = 8;

  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static Vector load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static Vector load_first(const float* p, std::size_t n) noexcept {
    const void* mask = kFirstLanes + kWidth - n;
    return _mm256_maskload_ps(p, _mm256_loadu_si256(static_cast<const __m256i*>(mask)));
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
};

}  // namespace

constinit const DistanceTable kAvx2Table = SimdDistance<Lanes>::table(Isa::avx2, "avx2");

}  // namespace boon::kernels
BOON_TARGET_END
