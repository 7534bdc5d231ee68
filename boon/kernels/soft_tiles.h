// The tiles of AMX in software, by the letter of Intel's description of each instruction: with it, kernels written over
// AmxTiles (amx_tiles.h) are tested on processors that have none. A tile that is used against its configuration, for
// which the processor would raise an exception, fails a check.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/core/check.h"
#include "boon/kernels/bf16.h"
#include "boon/kernels/tile_config.h"

namespace boon::kernels {

class SoftTiles {
 public:
  explicit SoftTiles(const TileConfig& config) noexcept : config_(config) {
    BOON_CHECK(config.palette == 1 && config.start_row == 0);
    for (std::size_t tile = 0; tile < config.rows.size(); ++tile) {
      const bool present = tile < kTileCount;
      BOON_CHECK(config.rows[tile] <= (present ? kTileRows : 0));
      BOON_CHECK(config.bytes_a_row[tile] <= (present ? kTileBytes : 0));
      BOON_CHECK((config.rows[tile] == 0) == (config.bytes_a_row[tile] == 0));
    }
  }

  template <int tile>
  void zero() noexcept {
    zero(tile);
  }
  template <int tile>
  void load(const void* rows, std::size_t stride) noexcept {
    load(tile, rows, stride);
  }
  template <int tile>
  void store(void* rows, std::size_t stride) noexcept {
    store(tile, rows, stride);
  }
  template <int sum, int a, int b>
  void multiply_s8() noexcept {
    multiply_bytes<std::int8_t>(sum, a, b);
  }
  template <int sum, int a, int b>
  void multiply_u8_s8() noexcept {
    multiply_bytes<std::uint8_t>(sum, a, b);
  }
  template <int sum, int a, int b>
  void multiply_bf16() noexcept {
    multiply_bf16(sum, a, b);
  }

  // The same with tiles numbered at run time.
  void zero(int tile) noexcept {
    check_configured(tile);
    at(tile) = {};
  }
  // Each row is read as far as it is configured; what is beyond, in rows and bytes, becomes 0.
  void load(int tile, const void* rows, std::size_t stride) noexcept {
    zero(tile);
    for (std::size_t row = 0; row < row_count(tile); ++row) {
      std::memcpy(at(tile)[row].data(), static_cast<const std::byte*>(rows) + row * stride, row_bytes(tile));
    }
  }
  void store(int tile, void* rows, std::size_t stride) const noexcept {
    check_configured(tile);
    for (std::size_t row = 0; row < row_count(tile); ++row) {
      std::memcpy(static_cast<std::byte*>(rows) + row * stride, tiles_[index(tile)][row].data(), row_bytes(tile));
    }
  }

  // Sums wrap, nothing saturates.
  template <class ByteOfA>
  void multiply_bytes(int sum, int a, int b) noexcept {
    check_product(sum, a, b);
    for (std::size_t m = 0; m < row_count(sum); ++m) {
      for (std::size_t n = 0; n < row_bytes(sum) / 4; ++n) {
        auto total = get<std::uint32_t>(sum, m, n);
        for (std::size_t k = 0; k < row_bytes(a) / 4; ++k) {
          for (std::size_t i = 0; i < 4; ++i) {
            total += static_cast<std::uint32_t>(get<ByteOfA>(a, m, 4 * k + i) * get<std::int8_t>(b, k, 4 * n + i));
          }
        }
        put(sum, m, n, total);
      }
    }
  }

  // Even and odd products have a running sum each, from 0, by fused multiply-add; these two are added, and then to the
  // old value. Denormals count as 0 on the way in and out; rounding is to nearest, whatever the thread has set.
  void multiply_bf16(int sum, int a, int b) noexcept {
    check_product(sum, a, b);
    for (std::size_t m = 0; m < row_count(sum); ++m) {
      for (std::size_t n = 0; n < row_bytes(sum) / 4; ++n) {
        std::array<float, 2> total{};
        for (std::size_t k = 0; k < row_bytes(a) / 4; ++k) {
          for (std::size_t i = 0; i < 2; ++i) {
            const float x = flushed(to_float(get<Bf16>(a, m, 2 * k + i)));
            const float y = flushed(to_float(get<Bf16>(b, k, 2 * n + i)));
            total[i] = flushed(std::fma(x, y, total[i]));
          }
        }
        put(sum, m, n, flushed(flushed(get<float>(sum, m, n)) + flushed(total[0] + total[1])));
      }
    }
  }

 private:
  using Row = std::array<std::byte, kTileBytes>;
  using Tile = std::array<Row, kTileRows>;

  static std::size_t index(int tile) noexcept { return static_cast<std::size_t>(tile); }
  Tile& at(int tile) noexcept { return tiles_[index(tile)]; }
  std::size_t row_count(int tile) const noexcept { return config_.rows[index(tile)]; }
  std::size_t row_bytes(int tile) const noexcept { return config_.bytes_a_row[index(tile)]; }

  template <class T>
  T get(int tile, std::size_t row, std::size_t i) const noexcept {
    T value;
    std::memcpy(&value, tiles_[index(tile)][row].data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void put(int tile, std::size_t row, std::size_t i, T value) noexcept {
    std::memcpy(at(tile)[row].data() + i * sizeof(T), &value, sizeof(T));
  }
  static float flushed(float x) noexcept { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

  void check_configured(int tile) const noexcept {
    BOON_CHECK(tile >= 0 && index(tile) < kTileCount && row_count(tile) > 0);
  }
  void check_product(int sum, int a, int b) const noexcept {
    for (const int tile : {sum, a, b}) check_configured(tile);
    BOON_CHECK(sum != a && sum != b && a != b);
    BOON_CHECK(row_bytes(sum) % 4 == 0 && row_bytes(a) % 4 == 0 && row_bytes(b) % 4 == 0);
    BOON_CHECK(row_count(sum) == row_count(a));    // M
    BOON_CHECK(row_bytes(sum) == row_bytes(b));    // N
    BOON_CHECK(row_bytes(a) == 4 * row_count(b));  // K
  }

  TileConfig config_;
  std::array<Tile, kTileCount> tiles_{};
};

}  // namespace boon::kernels
