#include "boon/codec/nvfp4_tiles.h"

#include <algorithm>

#include "boon/core/check.h"

namespace boon::codec {
namespace {

using CodeOffset = layout::Fixed<kTileCodeLayout>;
using ScaleOffset = layout::Fixed<kTileScaleLayout>;

static_assert(layout::cosize(kTileCodeLayout) == 2 * kTileScales);
static_assert(kTileScales + layout::cosize(kTileScaleLayout) == kTileBytes);

// Two components of a vector share a byte in a row and in a tile.
constexpr std::size_t code_byte(std::size_t vector, std::size_t pair) noexcept {
  return static_cast<std::size_t>(CodeOffset{}(vector, 2 * pair)) / 2;
}
constexpr std::size_t scale_byte(std::size_t vector, std::size_t block) noexcept {
  return kTileScales + static_cast<std::size_t>(ScaleOffset{}(vector, block));
}

constexpr std::size_t kTileBlocks = kTileDim / kNvfp4Block;
constexpr std::size_t kTilePairs = kTileDim / 2;

// Calls copy(byte of the tiles, byte of the row) for each byte of vector i.
template <class Tiles, class Row, class Copy>
void for_each_byte(Tiles tiles, std::size_t columns, std::size_t i, Row codes, Row scales, const Copy& copy) {
  const std::size_t vector = i % kTileVectors;
  const auto tile = tiles.subspan(i / kTileVectors * columns * kTileBytes);
  for (std::size_t pair = 0; pair < codes.size(); ++pair) {
    copy(tile[pair / kTilePairs * kTileBytes + code_byte(vector, pair % kTilePairs)], codes[pair]);
  }
  for (std::size_t block = 0; block < scales.size(); ++block) {
    copy(tile[block / kTileBlocks * kTileBytes + scale_byte(vector, block % kTileBlocks)], scales[block]);
  }
}

}  // namespace

void Nvfp4Tiles::add(const Nvfp4View& vector) {
  BOON_CHECK(vector.scales.size() == nvfp4_blocks(dim_) &&
             vector.codes.size() == vector.scales.size() * kNvfp4BlockBytes);
  const std::size_t i = size();
  if (i % kTileVectors == 0) bytes_.resize(bytes_.size() + columns() * kTileBytes);
  for_each_byte(std::span(bytes_), columns(), i, vector.codes, vector.scales,
                [](std::uint8_t& in_tile, std::uint8_t in_row) { in_tile = in_row; });
  scales_.push_back(vector.scale);
}

void Nvfp4Tiles::get(std::size_t i, Nvfp4Span out, float& scale) const noexcept {
  for_each_byte(std::span(bytes_), columns(), i, out.codes, out.scales,
                [](std::uint8_t in_tile, std::uint8_t& in_row) { in_row = in_tile; });
  scale = scales_[i];
}

void Nvfp4Tiles::dot(const Nvfp4Query& query, const CodeKernels& kernels, std::span<float> out) const {
  BOON_CHECK(query.blocks == nvfp4_blocks(dim_) && out.size() >= size());
  constexpr std::size_t kGroups = 16;  // at a time, so that their products stay in L1
  float products[kGroups * kTileVectors];
  for (std::size_t group = 0; group < groups(); group += kGroups) {
    const std::size_t count = std::min(kGroups, groups() - group);
    kernels.nvfp4_tiles(query, bytes_.data() + group * columns() * kTileBytes, columns(), count, products);
    const std::size_t begin = group * kTileVectors, end = std::min(size(), begin + count * kTileVectors);
    for (std::size_t i = begin; i < end; ++i) out[i] = products[i - begin] * scales_[i];
  }
}

}  // namespace boon::codec
