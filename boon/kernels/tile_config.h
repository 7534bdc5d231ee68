// What AMX is told before its first tile: how many rows of how many bytes each of the eight tile registers has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace boon::kernels {

inline constexpr std::size_t kTileCount = 8;
inline constexpr std::size_t kTileRows = 16;
inline constexpr std::size_t kTileBytes = 64;  // of a row

// The operand of ldtilecfg, palette 1.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> bytes_a_row{};  // the last eight stay 0
  std::array<std::uint8_t, 16> rows{};          // likewise

  constexpr void set(std::size_t tile, std::size_t tile_rows, std::size_t tile_bytes_a_row) noexcept {
    rows[tile] = static_cast<std::uint8_t>(tile_rows);
    bytes_a_row[tile] = static_cast<std::uint16_t>(tile_bytes_a_row);
  }
};
static_assert(sizeof(TileConfig) == 64);

// All eight tiles at their full size, 16 rows of 64 bytes.
constexpr TileConfig full_tiles() noexcept {
  TileConfig config;
  for (std::size_t tile = 0; tile < kTileCount; ++tile) config.set(tile, kTileRows, kTileBytes);
  return config;
}

}  // namespace boon::kernels
