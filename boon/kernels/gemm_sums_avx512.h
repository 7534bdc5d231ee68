// Internal: tiles of C as vectors of 512 bits. In a target region of its own.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "boon/kernels/gemm.h"
#include "boon/kernels/target.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")

namespace boon::kernels {
namespace {

// Tiles of 32 x 12: 24 sums, two vectors of the left operand and one of the right. Of L2, 1 MB or more, the rows' block
// takes 0.8; of L1, 48 KB, a strip of the right operand 24, past which the left one's stream.
struct Tile512 {
  static constexpr std::size_t kWidth = 16;
  static constexpr std::size_t kVectors = 2;
  static constexpr std::size_t kColumns = 12;
  static constexpr std::size_t kColumnStep = 4;
  static constexpr bool kBias = false;
  static constexpr std::size_t kRowsBlock = 384;
  static constexpr std::size_t kDepthBlock = 512;
  static constexpr std::size_t kColumnsBlock = 3072;
  static constexpr std::size_t kInPlaceMax = 70000;  // of the right operand, to be read in place again and again

  static __mmask16 first(std::size_t n) noexcept { return static_cast<__mmask16>((1u << n) - 1); }
};

struct FloatSums512 : Tile512 {
  using Vector = __m512;
  using Sum = float;
  using Update = GemmScale;

  static Vector zero() noexcept { return _mm512_setzero_ps(); }

  static bool reads(GemmScale scale) noexcept { return scale.beta != 0; }
  static GemmScale next(GemmScale scale) noexcept { return {scale.alpha, 1}; }
  template <bool reads>
  static void update(float* c, Vector sum, GemmScale scale) noexcept {
    _mm512_storeu_ps(c, updated<reads>(sum, reads ? _mm512_loadu_ps(c) : zero(), scale));
  }
  template <bool reads>
  static void update_first(float* c, std::size_t n, Vector sum, GemmScale scale) noexcept {
    const Vector old = reads ? _mm512_maskz_loadu_ps(first(n), c) : zero();
    _mm512_mask_storeu_ps(c, first(n), updated<reads>(sum, old, scale));
  }

 private:
  template <bool reads>
  static Vector updated(Vector sum, Vector old, GemmScale scale) noexcept {
    const Vector alpha = _mm512_set1_ps(scale.alpha);
    return reads ? _mm512_fmadd_ps(alpha, sum, _mm512_mul_ps(_mm512_set1_ps(scale.beta), old))
                 : _mm512_mul_ps(alpha, sum);
  }
};

struct IntSums512 : Tile512 {
  using Vector = __m512i;
  using Unit = std::uint32_t;
  using Sum = std::int32_t;
  using Update = GemmAdd;

  static Vector zero() noexcept { return _mm512_setzero_si512(); }
  static Vector load(const std::uint32_t* units) noexcept { return _mm512_loadu_si512(units); }
  static Vector broadcast(const std::uint32_t* unit) noexcept { return _mm512_set1_epi32(static_cast<int>(*unit)); }

  static bool reads(GemmAdd add) noexcept { return add.to_old; }
  static GemmAdd next(GemmAdd /*add*/) noexcept { return {true}; }
  template <bool reads>
  static void update(std::int32_t* c, Vector sum, GemmAdd /*add*/) noexcept {
    _mm512_storeu_si512(c, reads ? _mm512_add_epi32(sum, _mm512_loadu_si512(c)) : sum);
  }
  template <bool reads>
  static void update_first(std::int32_t* c, std::size_t n, Vector sum, GemmAdd /*add*/) noexcept {
    const Vector old = reads ? _mm512_maskz_loadu_epi32(first(n), c) : zero();
    _mm512_mask_storeu_epi32(c, first(n), _mm512_add_epi32(sum, old));
  }
};

}  // namespace
}  // namespace boon::kernels

BOON_TARGET_END
