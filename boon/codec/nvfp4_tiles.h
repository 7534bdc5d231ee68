// NVFP4 vectors for scanning: 16 side by side, so that each lane of a processor is a vector and nothing is summed
// across.
//
// A group is 16 vectors; a tile is 64 components of a group in 576 bytes: 512 of codes, 64 of block scales. A 64-byte
// line of codes holds 8 components of each vector. The tiles of a group follow one another, as do the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/codec/code_kernels.h"
#include "boon/codec/nvfp4.h"
#include "boon/layout/fixed.h"
#include "boon/layout/layout.h"

namespace boon::codec {

inline constexpr std::size_t kTileVectors = 16;
inline constexpr std::size_t kTileDim = 64;
inline constexpr std::size_t kTileBytes = 576;
inline constexpr std::size_t kTileScales = 512;  // where the block scales begin

// (vector, component) -> which nibble of the tile: (16,(8,8)):(8,(1,128)).
inline constexpr layout::Layout kTileCodeLayout{{16, {8, 8}}, {8, {1, 128}}};
// (vector, block) -> which byte past kTileScales.
inline constexpr layout::Layout kTileScaleLayout{{16, 4}, {1, 16}};

// Vectors in tiles, with what each is multiplied by.
class Nvfp4Tiles {
 public:
  explicit Nvfp4Tiles(std::size_t dim) : dim_(dim) {}

  // Puts a vector behind the others. Its blocks are nvfp4_blocks(dim).
  void add(const Nvfp4View& vector);
  // Vector i again.
  void get(std::size_t i, Nvfp4Span codes, float& scale) const noexcept;

  std::size_t size() const noexcept { return scales_.size(); }
  std::size_t columns() const noexcept { return (dim_ + kTileDim - 1) / kTileDim; }
  std::size_t groups() const noexcept { return (size() + kTileVectors - 1) / kTileVectors; }
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  std::span<const float> scales() const noexcept { return scales_; }

  // out[i] = <query, vector i> in units of the query's scale, for i < size().
  void dot(const Nvfp4Query& query, const CodeKernels& kernels, std::span<float> out) const;

 private:
  std::size_t dim_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scales_;
};

}  // namespace boon::codec
