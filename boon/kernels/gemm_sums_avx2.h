// Internal: tiles of C as vectors of 256 bits. In a target region of its own.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "boon/kernels/gemm.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx2,fma")

namespace boon::kernels {
namespace {

// Tiles of 16 x 6: of sixteen registers 12 hold sums, two the left operand and one the right. The blocks suit an L2 of
// 256 KB and an L1 of 32.
struct Tile256 {
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kVectors = 2;
  static constexpr std::size_t kColumns = 6;
  static constexpr std::size_t kColumnStep = 2;
  static constexpr bool kBias = false;
  static constexpr std::size_t kRowsBlock = 144;
  static constexpr std::size_t kDepthBlock = 256;
  static constexpr std::size_t kColumnsBlock = 3072;
  static constexpr std::size_t kInPlaceMax = 20000;  // of the right operand, to be read in place again and again

  static __m256i first(std::size_t n) noexcept {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

struct FloatSums256 : Tile256 {
  using Vector = __m256;
  using Unit = float;
  using Sum = float;
  using Update = GemmScale;

  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static Vector load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static Vector load_first(const float* p, std::size_t n) noexcept { return _mm256_maskload_ps(p, first(n)); }
  static void store(float* p, Vector x) noexcept { _mm256_storeu_ps(p, x); }
  static Vector broadcast(const float* p) noexcept { return _mm256_broadcast_ss(p); }
  static Vector multiply_add(Vector x, Vector y, Vector sum) noexcept { return _mm256_fmadd_ps(x, y, sum); }

  static bool reads(GemmScale scale) noexcept { return scale.beta != 0; }
  static GemmScale next(GemmScale scale) noexcept { return {scale.alpha, 1}; }
  template <bool reads>
  static void update(float* c, Vector sum, GemmScale scale) noexcept {
    _mm256_storeu_ps(c, updated<reads>(sum, reads ? load(c) : zero(), scale));
  }
  template <bool reads>
  static void update_first(float* c, std::size_t n, Vector sum, GemmScale scale) noexcept {
    _mm256_maskstore_ps(c, first(n), updated<reads>(sum, reads ? load_first(c, n) : zero(), scale));
  }

 private:
  template <bool reads>
  static Vector updated(Vector sum, Vector old, GemmScale scale) noexcept {
    const Vector alpha = _mm256_set1_ps(scale.alpha);
    return reads ? _mm256_fmadd_ps(alpha, sum, _mm256_mul_ps(_mm256_set1_ps(scale.beta), old))
                 : _mm256_mul_ps(alpha, sum);
  }
};

struct IntSums256 : Tile256 {
  using Vector = __m256i;
  using Unit = std::uint32_t;
  using Sum = std::int32_t;
  using Update = GemmAdd;

  static Vector zero() noexcept { return _mm256_setzero_si256(); }
  static Vector load(const std::uint32_t* units) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(units));
  }
  static Vector broadcast(const std::uint32_t* unit) noexcept { return _mm256_set1_epi32(static_cast<int>(*unit)); }

  static bool reads(GemmAdd add) noexcept { return add.to_old; }
  static GemmAdd next(GemmAdd /*add*/) noexcept { return {true}; }
  template <bool reads>
  static void update(std::int32_t* c, Vector sum, GemmAdd /*add*/) noexcept {
    auto* to = reinterpret_cast<__m256i*>(c);
    _mm256_storeu_si256(to, reads ? _mm256_add_epi32(sum, _mm256_loadu_si256(to)) : sum);
  }
  template <bool reads>
  static void update_first(std::int32_t* c, std::size_t n, Vector sum, GemmAdd /*add*/) noexcept {
    const Vector old = reads ? _mm256_maskload_epi32(c, first(n)) : zero();
    _mm256_maskstore_epi32(c, first(n), _mm256_add_epi32(sum, old));
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
