// The peak of tiles: four sums over two tiles of each side, as a kernel holds them.
#include <cstddef>

#include "boon/kernels/peak_loops.h"
#include "boon/kernels/target.h"
#include "boon/kernels/tile_config.h"

BOON_TARGET_BEGIN("avx512f,amx-tile,amx-int8,amx-bf16")
#include "boon/kernels/amx_tiles.h"

namespace boon::kernels {
namespace {

constexpr double kSums = 4;
constexpr double kBytesOfSum = kTileRows * kTileRows * kTileBytes;  // byte products of one instruction

void start(AmxTiles& tiles) noexcept {
  tiles.zero<0>();
  tiles.zero<1>();
  tiles.zero<2>();
  tiles.zero<3>();
  alignas(64) unsigned char rows[kTileRows * kTileBytes];
  for (std::size_t i = 0; i < sizeof rows; ++i) rows[i] = static_cast<unsigned char>(0x3b + i % 4);
  tiles.load<4>(rows, kTileBytes);
  tiles.load<5>(rows, kTileBytes);
  tiles.load<6>(rows, kTileBytes);
  tiles.load<7>(rows, kTileBytes);
}

void run_int8(std::size_t turns) noexcept {
  AmxTiles tiles(full_tiles());
  start(tiles);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    tiles.multiply_s8<0, 4, 6>();
    tiles.multiply_s8<1, 4, 7>();
    tiles.multiply_s8<2, 5, 6>();
    tiles.multiply_s8<3, 5, 7>();
  }
}

void run_bf16(std::size_t turns) noexcept {
  AmxTiles tiles(full_tiles());
  start(tiles);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    tiles.multiply_bf16<0, 4, 6>();
    tiles.multiply_bf16<1, 4, 7>();
    tiles.multiply_bf16<2, 5, 6>();
    tiles.multiply_bf16<3, 5, 7>();
  }
}

}  // namespace

PeakLoop peak_loop_amx(Arithmetic what, IsaSupport support) noexcept {
  if (what == Arithmetic::int8) return {"tdpbssd", kSums * 2 * kBytesOfSum, run_int8};
  if (what == Arithmetic::bf16) return {"tdpbf16ps", kSums * kBytesOfSum, run_bf16};
  return peak_loop_avx512(what, support);
}

}  // namespace boon::kernels
BOON_TARGET_END
