#include "boon/codec/nvfp4_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "boon/codec/query.h"
#include "boon/codec/testing.h"

namespace boon::codec {
namespace {

struct Encoded {
  explicit Encoded(std::size_t dim, std::uint64_t seed)
      : codes(nvfp4_blocks(dim) * kNvfp4BlockBytes), scales(nvfp4_blocks(dim)), x(gaussian(dim, seed)) {
    scale = nvfp4_encode(x, {codes, scales});
  }
  Nvfp4View view() const { return {codes, scales, scale}; }
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
  std::vector<float> x;
  float scale;
};

TEST(Nvfp4Tiles, TheLayoutsFillATileOnce) {
  std::set<std::int64_t> nibbles, bytes;
  for (std::size_t i = 0; i < kTileVectors * kTileDim; ++i) nibbles.insert(kTileCodeLayout(i));
  for (std::size_t i = 0; i < kTileVectors * kTileDim / kNvfp4Block; ++i) bytes.insert(kTileScaleLayout(i));
  EXPECT_EQ(nibbles.size(), 2 * kTileScales);
  EXPECT_EQ(*nibbles.rbegin(), 2 * kTileScales - 1);
  EXPECT_EQ(bytes.size(), kTileBytes - kTileScales);
  EXPECT_EQ(*bytes.rbegin(), kTileBytes - kTileScales - 1);
}

TEST(Nvfp4Tiles, EachNibbleAndScaleIsWhereTheLayoutSays) {
  constexpr std::size_t kDim = 150, kCount = 20;
  Nvfp4Tiles tiles(kDim);
  std::vector<Encoded> vectors;
  for (std::size_t i = 0; i < kCount; ++i) vectors.emplace_back(kDim, i);
  for (const Encoded& vector : vectors) tiles.add(vector.view());
  ASSERT_EQ(tiles.columns(), 3);
  ASSERT_EQ(tiles.groups(), 2);
  ASSERT_EQ(tiles.bytes().size(), 6 * kTileBytes);
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j < kDim; ++j) {
      const auto tile = tiles.bytes().subspan((i / 16 * 3 + j / 64) * kTileBytes, kTileBytes);
      const auto nibble = static_cast<std::size_t>(kTileCodeLayout(i % 16, j % 64));
      ASSERT_EQ(tile[nibble / 2] >> nibble % 2 * 4 & 15, vectors[i].codes[j / 2] >> j % 2 * 4 & 15) << i << ", " << j;
      const auto byte = kTileScales + static_cast<std::size_t>(kTileScaleLayout(i % 16, j % 64 / 16));
      ASSERT_EQ(tile[byte], vectors[i].scales[j / 16]) << i << ", " << j;
    }
  }
}

TEST(Nvfp4Tiles, GivesBackWhatWasPutIn) {
  for (const std::size_t dim : {1, 15, 16, 17, 64, 65, 100, 4096}) {
    Nvfp4Tiles tiles(dim);
    for (std::size_t i = 0; i < 35; ++i) tiles.add(Encoded(dim, i).view());
    ASSERT_EQ(tiles.size(), 35);
    for (std::size_t i = 0; i < 35; ++i) {
      const Encoded expected(dim, i);
      std::vector<std::uint8_t> codes(expected.codes.size()), scales(expected.scales.size());
      float scale = 0;
      tiles.get(i, {codes, scales}, scale);
      ASSERT_EQ(codes, expected.codes) << i << ", " << dim;
      ASSERT_EQ(scales, expected.scales) << i << ", " << dim;
      ASSERT_EQ(scale, expected.scale) << i << ", " << dim;
    }
  }
}

TEST(Nvfp4Tiles, ScanIsTheProductWithTheDecodedVectors) {
  for (const std::size_t dim : {1, 16, 100, 1024}) {
    Nvfp4Tiles tiles(dim);
    for (std::size_t i = 0; i < 300; ++i) tiles.add(Encoded(dim, i).view());
    const auto query = gaussian(dim, 1000);
    const Nvfp4Planes planes(query);
    std::vector<float> out(300);
    tiles.dot(planes.query(), code_kernels(), out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Encoded vector(dim, i);
      std::vector<float> decoded(dim);
      nvfp4_decode(vector.view(), decoded);
      const double noise = std::sqrt(dot(decoded, decoded)) * planes.scale();  // of rounding the query: .29 of this
      ASSERT_NEAR(out[i] * planes.scale(), dot(query, decoded), 2 * noise) << i << ", " << dim;
    }
  }
}

}  // namespace
}  // namespace boon::codec
