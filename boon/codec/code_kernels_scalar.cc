// The plain version of the code kernels, which the others are tested against to the bit.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/codec/code_tables.h"
#include "boon/codec/e2m1.h"
#include "boon/codec/e4m3.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/kernels/rows.h"

namespace boon::codec {
namespace {

constexpr std::size_t kLanes = 16;  // of fp32 sums, as many as the widest processor has

// Value times two, a whole number.
constexpr std::array<std::int32_t, 16> kDoubled = [] {
  std::array<std::int32_t, 16> table{};
  for (std::size_t code = 0; code < 16; ++code) table[code] = static_cast<std::int32_t>(2 * kE2m1[code]);
  return table;
}();

std::int32_t block_sum(const Nvfp4Query& query, std::size_t pair, const std::uint8_t* codes,
                       std::size_t count) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += kDoubled[codes[i] & 15] * query.even[pair + i] + kDoubled[codes[i] >> 4] * query.odd[pair + i];
  }
  return sum;
}

float weight(const Nvfp4Query& query, std::size_t block) noexcept {
  return query.weights == nullptr ? 1 : query.weights[block];
}

// A product of a whole number below 2^15 and a scale of 4 bits is exact in fp32, so a fused multiply-add gives the
// same. Halving it all at the end takes the doubled values back.
float nvfp4_one(const Nvfp4Query& query, const std::uint8_t* codes) noexcept {
  const std::uint8_t* scales = codes + query.blocks * kNvfp4BlockBytes;
  float lanes[kLanes] = {};
  for (std::size_t b = 0; b < query.blocks; ++b) {
    const std::size_t pair = b * kNvfp4BlockBytes;
    const std::int32_t sum = block_sum(query, pair, codes + pair, kNvfp4BlockBytes);
    lanes[b % kLanes] += static_cast<float>(sum) * (e4m3_to_float(scales[b]) * weight(query, b));
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0] * .5F;
}

void nvfp4_tiles(const Nvfp4Query& query, const std::uint8_t* tiles, std::size_t columns, std::size_t groups,
                 float* out) noexcept {
  constexpr std::size_t kBlocks = kTileDim / kNvfp4Block;
  for (std::size_t group = 0; group < groups; ++group, tiles += columns * kTileBytes) {
    for (std::size_t vector = 0; vector < kTileVectors; ++vector) {
      float sum = 0;
      for (std::size_t b = 0; b < columns * kBlocks; ++b) {
        const std::uint8_t* tile = tiles + b / kBlocks * kTileBytes;
        const std::uint8_t* codes = tile + b % kBlocks * 128 + vector * 4;  // two lines of 64 bytes a block
        const std::size_t pair = b * kNvfp4BlockBytes;
        const std::int32_t whole = block_sum(query, pair, codes, 4) + block_sum(query, pair + 4, codes + 64, 4);
        const std::uint8_t scale = tile[kTileScales + b % kBlocks * kTileVectors + vector];
        sum += static_cast<float>(whole) * (e4m3_to_float(scale) * weight(query, b));
      }
      out[group * kTileVectors + vector] = sum * .5F;
    }
  }
}

template <class Row>
std::int32_t product(const Int8Query& query, const std::uint8_t* row) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < query.dim; ++i) sum += static_cast<Row>(row[i]) * query.codes[i];
  return sum;
}

std::int32_t bits_one(const BitQuery& query, const std::uint8_t* row) noexcept {
  int sum = 0;
  for (int plane = 0; plane < 4; ++plane) {
    const std::uint8_t* bits = query.planes + static_cast<std::size_t>(plane) * query.plane_bytes;
    for (std::size_t i = 0; i < query.row_bytes; ++i)
      sum += std::popcount(static_cast<unsigned>(row[i] & bits[i])) << plane;
  }
  return sum;
}

struct Product {
  static float of(float x, float y) noexcept { return x * y; }
};
struct SquaredDifference {
  static float of(float x, float y) noexcept { return (x - y) * (x - y); }
};

template <class Term>
float float_one(const float* query, std::size_t dim, const std::uint8_t* row) noexcept {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < dim; ++i) lanes[i % kLanes] += Term::of(query[i], row[i]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

// out[i] = one(codes of row i), with the rows to come asked for.
template <class Out, class One>
void each(const CodeRows& rows, std::size_t bytes, std::size_t count, Out* out, const One& one) noexcept {
  const std::size_t ahead = rows.ahead(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    if (ahead > 0 && i + ahead < count) kernels::prefetch_row(rows[i + ahead], rows.skip + bytes);
    out[i] = one(rows[i] + rows.skip);
  }
}

void nvfp4(const Nvfp4Query& query, const CodeRows& rows, std::size_t count, float* out) noexcept {
  each(rows, query.blocks * (kNvfp4BlockBytes + 1), count, out, [&](const auto* row) { return nvfp4_one(query, row); });
}
template <class Row>
void bytes(const Int8Query& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept {
  each(rows, query.dim, count, out, [&](const auto* row) { return product<Row>(query, row); });
}
void bits(const BitQuery& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept {
  each(rows, query.row_bytes, count, out, [&](const auto* row) { return bits_one(query, row); });
}
template <class Term>
void floats(const float* query, std::size_t dim, const CodeRows& rows, std::size_t count, float* out) noexcept {
  each(rows, dim, count, out, [&](const auto* row) { return float_one<Term>(query, dim, row); });
}

}  // namespace

constinit const CodeKernels kScalarCodes = {.isa = kernels::Isa::scalar,
                                            .name = "scalar",
                                            .nvfp4_search = nvfp4_search_scalar,
                                            .nvfp4 = nvfp4,
                                            .nvfp4_tiles = nvfp4_tiles,
                                            .int8 = bytes<std::int8_t>,
                                            .u8 = bytes<std::uint8_t>,
                                            .bits = bits,
                                            .dot_u8 = floats<Product>,
                                            .l2_u8 = floats<SquaredDifference>};

}  // namespace boon::codec
