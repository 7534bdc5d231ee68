// Internal: the tiles of AMX. A file includes it inside its target region, which must name amx-tile, amx-int8 and
// amx-bf16; SoftTiles (soft_tiles.h) is the same interface for processors without tiles.
//
// The instructions are written out, since the intrinsics of g++ take the numbers of tiles as text and so from no
// template.
#pragma once

#include <cstddef>

#include "boon/kernels/tile_config.h"

namespace boon::kernels {
namespace {

// The tile registers of this thread, from construction to destruction; one at a time on a thread. Strides count bytes.
class AmxTiles {
 public:
  explicit AmxTiles(const TileConfig& config) noexcept { asm volatile("ldtilecfg %0" : : "m"(config)); }
  // Tiles left in use would be saved at every switch of threads, and keep the core's clock down.
  ~AmxTiles() { asm volatile("tilerelease"); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;

  template <int tile>
  void zero() noexcept {
    asm volatile("tilezero %%tmm%c0" : : "n"(tile));
  }
  template <int tile>
  void load(const void* rows, std::size_t stride) noexcept {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(rows), "r"(stride), "n"(tile) : "memory");
  }
  template <int tile>
  void store(void* rows, std::size_t stride) noexcept {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(rows), "r"(stride), "n"(tile) : "memory");
  }

  // sum[m][n] += the four products of bytes a[m][4k + i] * b[k][4n + i], over k; all signed. Sums wrap mod 2^32.
  template <int sum, int a, int b>
  void multiply_s8() noexcept {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "n"(sum), "n"(a), "n"(b));
  }
  // The same where the bytes of `a` are unsigned.
  template <int sum, int a, int b>
  void multiply_u8_s8() noexcept {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "n"(sum), "n"(a), "n"(b));
  }
  // sum[m][n] += the two products of bf16 a[m][2k + i] * b[k][2n + i], over k, in fp32; denormals count as 0.
  template <int sum, int a, int b>
  void multiply_bf16() noexcept {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "n"(sum), "n"(a), "n"(b));
  }
};

}  // namespace
}  // namespace boon::kernels
