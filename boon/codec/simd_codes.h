// Internal: the loops over codes, written once for every width. A file per instruction set defines Lanes, includes this
// inside its target region and instantiates it, as kernels/simd_distance.h says.
//
// Lanes has, for floats, what SimdDistance asks for, with load(p) and load_first(p, n) from bytes too,
// and store(p, v), multiply(v, number). For bytes:
//  Bytes, kBytes; load_bytes(p), load_first_bytes(p, n), zeros from byte n on; no_bytes()
//  low_values(codes), high_values(codes): 2 * value + 12 of the low and the high nibble of each byte
//  add_products(sum, u, s): adds products of unsigned and signed bytes, four to a 32-bit number; u is at most 24
//  add_signed(sum, row, query), add_unsigned(sum, row, query): the same for rows of any bytes. The former adds
//    kSignedOffset for each byte of the query too many.
//  add(x, y) of 32-bit numbers; fold(a, b): sums of neighbours, in order; total(v)
//  word(n), four_bytes(p): a number, or four bytes, in each 32-bit lane
//  to_float(words), scales(p), first_scales(p, n): block scales divided by 256, what e4m3 read as the top of fp16 gives
//  both(x, y); count_bits(v): of each 64-bit lane; add_shifted<k>(sum, v): adds v << k, as 64-bit numbers
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "boon/codec/code_kernels.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/kernels/rows.h"
#include "boon/kernels/simd_distance.h"

namespace boon::codec {

template <class Lanes>
struct SimdCodes {
  using Vector = typename Lanes::Vector;
  using Bytes = typename Lanes::Bytes;
  static constexpr std::size_t kBytes = Lanes::kBytes;
  static constexpr std::size_t kFloats = Lanes::kWidth;
  // 256 for the scales that are divided by it, 1/2 for the values that are doubled. Both exact.
  static constexpr float kUnit = 128;

  template <bool weighted>
  static Vector weighed(Vector scales, const Nvfp4Query& query, std::size_t block) noexcept {
    if constexpr (weighted) return Lanes::multiply(scales, Lanes::load(query.weights + block));
    return scales;
  }

  // Two vectors of codes are kFloats blocks; each lane of fp32 takes every 16th block.
  template <bool weighted>
  static Vector add_blocks(Vector sum, const Nvfp4Query& query, std::size_t block, Bytes first, Bytes second,
                           Vector scales) noexcept {
    const std::int8_t* even = query.even + block * kNvfp4BlockBytes;
    const std::int8_t* odd = query.odd + block * kNvfp4BlockBytes;
    Bytes a = Lanes::add_products(Lanes::no_bytes(), Lanes::low_values(first), Lanes::load_bytes(even));
    Bytes b = Lanes::add_products(Lanes::no_bytes(), Lanes::low_values(second), Lanes::load_bytes(even + kBytes));
    a = Lanes::add_products(a, Lanes::high_values(first), Lanes::load_bytes(odd));
    b = Lanes::add_products(b, Lanes::high_values(second), Lanes::load_bytes(odd + kBytes));
    const Bytes whole = Lanes::add(Lanes::fold(a, b), Lanes::load_bytes(query.offsets + block));
    return Lanes::multiply_add(Lanes::to_float(whole), weighed<weighted>(scales, query, block), sum);
  }

  template <bool weighted>
  static float nvfp4_one(const Nvfp4Query& query, const std::uint8_t* codes) noexcept {
    constexpr std::size_t kSums = 16 / kFloats;
    const std::uint8_t* scales = codes + query.blocks * kNvfp4BlockBytes;
    Vector sums[kSums];
    for (Vector& sum : sums) sum = Lanes::zero();
    std::size_t block = 0, s = 0;
    for (; block + kFloats <= query.blocks; block += kFloats, s = (s + 1) % kSums) {
      const std::uint8_t* from = codes + block * kNvfp4BlockBytes;
      sums[s] = add_blocks<weighted>(sums[s], query, block, Lanes::load_bytes(from), Lanes::load_bytes(from + kBytes),
                                     Lanes::scales(scales + block));
    }
    if (const std::size_t rest = query.blocks - block; rest > 0) {
      const std::uint8_t* from = codes + block * kNvfp4BlockBytes;
      const std::size_t bytes = rest * kNvfp4BlockBytes;
      const bool full = bytes >= kBytes;
      const Bytes first = full ? Lanes::load_bytes(from) : Lanes::load_first_bytes(from, bytes);
      const Bytes second = bytes > kBytes ? Lanes::load_first_bytes(from + kBytes, bytes - kBytes) : Lanes::no_bytes();
      sums[s] = add_blocks<weighted>(sums[s], query, block, first, second, Lanes::first_scales(scales + block, rest));
    }
    if constexpr (kSums == 2) sums[0] = Lanes::add(sums[0], sums[1]);
    return kernels::SimdDistance<Lanes>::sum_of_lanes(Lanes::halve_to_4(sums[0])) * kUnit;
  }

  // How far ahead tiles are asked for: 18 KB. From DRAM 16 to 32 tiles into L2 read at 85 to 89% of the speed of a
  // plain read; 8 into L1, where few lines can be on the way at once, at 80%; none at 60%.
  static constexpr std::size_t kTilesAhead = 32;

  template <bool weighted>
  static void tiles_of(const Nvfp4Query& query, const std::uint8_t* tiles, std::size_t columns, std::size_t groups,
                       float* out) noexcept {
    constexpr std::size_t kBlocks = kTileDim / kNvfp4Block;
    for (std::size_t group = 0; group < groups; ++group, tiles += columns * kTileBytes, out += kTileVectors) {
      for (std::size_t part = 0; part < kTileVectors / kFloats; ++part) {
        Vector sum = Lanes::zero();
        for (std::size_t column = 0; column < columns; ++column) {
          const std::uint8_t* codes = tiles + column * kTileBytes + part * kBytes;
          const std::uint8_t* scales = tiles + column * kTileBytes + kTileScales + part * kFloats;
          const std::size_t first = column * kBlocks;
          if (part == 0) kernels::prefetch_row<kernels::Into::l2>(codes + kTilesAhead * kTileBytes, kTileBytes);
          for (std::size_t b = 0; b < kBlocks; ++b) {
            const std::int8_t* even = query.even + (first + b) * kNvfp4BlockBytes;
            const std::int8_t* odd = query.odd + (first + b) * kNvfp4BlockBytes;
            const Bytes x = Lanes::load_bytes(codes + b * 128), y = Lanes::load_bytes(codes + b * 128 + 64);
            Bytes whole = Lanes::word(query.offsets[first + b]);
            whole = Lanes::add_products(whole, Lanes::low_values(x), Lanes::four_bytes(even));
            whole = Lanes::add_products(whole, Lanes::high_values(x), Lanes::four_bytes(odd));
            whole = Lanes::add_products(whole, Lanes::low_values(y), Lanes::four_bytes(even + 4));
            whole = Lanes::add_products(whole, Lanes::high_values(y), Lanes::four_bytes(odd + 4));
            Vector unit = Lanes::scales(scales + b * kTileVectors);
            if constexpr (weighted) unit = Lanes::multiply(unit, query.weights[first + b]);
            sum = Lanes::multiply_add(Lanes::to_float(whole), unit, sum);
          }
        }
        Lanes::store(out + part * kFloats, Lanes::multiply(sum, kUnit));
      }
    }
  }

  static void nvfp4_tiles(const Nvfp4Query& query, const std::uint8_t* tiles, std::size_t columns, std::size_t groups,
                          float* out) noexcept {
    (query.weights == nullptr ? tiles_of<false> : tiles_of<true>)(query, tiles, columns, groups, out);
  }

  struct Signed {
    static constexpr std::int32_t kOffset = Lanes::kSignedOffset;
    static Bytes add(Bytes sum, Bytes row, Bytes query) noexcept { return Lanes::add_signed(sum, row, query); }
  };
  struct Unsigned {
    static constexpr std::int32_t kOffset = 0;
    static Bytes add(Bytes sum, Bytes row, Bytes query) noexcept { return Lanes::add_unsigned(sum, row, query); }
  };

  template <class Row>
  static std::int32_t bytes_one(const Int8Query& query, const std::uint8_t* row) noexcept {
    Bytes a = Lanes::no_bytes(), b = a;
    std::size_t i = 0;
    for (; i + 2 * kBytes <= query.dim; i += 2 * kBytes) {
      a = Row::add(a, Lanes::load_bytes(row + i), Lanes::load_bytes(query.codes + i));
      b = Row::add(b, Lanes::load_bytes(row + i + kBytes), Lanes::load_bytes(query.codes + i + kBytes));
    }
    if (i + kBytes <= query.dim) {
      a = Row::add(a, Lanes::load_bytes(row + i), Lanes::load_bytes(query.codes + i));
      i += kBytes;
    }
    // The query ends with zeros, so what the row is filled up with counts for nothing.
    if (i < query.dim)
      b = Row::add(b, Lanes::load_first_bytes(row + i, query.dim - i), Lanes::load_bytes(query.codes + i));
    return Lanes::total(Lanes::add(a, b)) - Row::kOffset * query.sum;
  }

  static Bytes add_planes(Bytes sum, const BitQuery& query, std::size_t i, Bytes row) noexcept {
    const std::uint8_t* plane = query.planes + i;
    sum = Lanes::template add_shifted<0>(sum, Lanes::count_bits(Lanes::both(row, Lanes::load_bytes(plane))));
    plane += query.plane_bytes;
    sum = Lanes::template add_shifted<1>(sum, Lanes::count_bits(Lanes::both(row, Lanes::load_bytes(plane))));
    plane += query.plane_bytes;
    sum = Lanes::template add_shifted<2>(sum, Lanes::count_bits(Lanes::both(row, Lanes::load_bytes(plane))));
    plane += query.plane_bytes;
    return Lanes::template add_shifted<3>(sum, Lanes::count_bits(Lanes::both(row, Lanes::load_bytes(plane))));
  }

  static std::int32_t bits_one(const BitQuery& query, const std::uint8_t* row) noexcept {
    Bytes sum = Lanes::no_bytes();
    std::size_t i = 0;
    for (; i + kBytes <= query.row_bytes; i += kBytes) sum = add_planes(sum, query, i, Lanes::load_bytes(row + i));
    if (i < query.row_bytes) sum = add_planes(sum, query, i, Lanes::load_first_bytes(row + i, query.row_bytes - i));
    return Lanes::total(sum);
  }

  // out[i] = one(query, codes of row i), with the rows to come asked for.
  template <auto one, class Query, class Out>
  static void each(const Query& query, std::size_t bytes, const CodeRows& rows, std::size_t count, Out* out) noexcept {
    const std::size_t ahead = rows.ahead(bytes);
    for (std::size_t i = 0; i < count && i < ahead; ++i) kernels::prefetch_row(rows[i], rows.skip + bytes);
    for (std::size_t i = 0; i < count; ++i) {
      if (ahead > 0 && i + ahead < count) kernels::prefetch_row(rows[i + ahead], rows.skip + bytes);
      out[i] = one(query, rows[i] + rows.skip);
    }
  }

  static void nvfp4(const Nvfp4Query& query, const CodeRows& rows, std::size_t count, float* out) noexcept {
    const std::size_t bytes = query.blocks * (kNvfp4BlockBytes + 1);
    if (query.weights == nullptr) {
      each<nvfp4_one<false>>(query, bytes, rows, count, out);
    } else {
      each<nvfp4_one<true>>(query, bytes, rows, count, out);
    }
  }
  template <class Row>
  static void bytes(const Int8Query& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept {
    each<bytes_one<Row>>(query, query.dim, rows, count, out);
  }
  static void bits(const BitQuery& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept {
    each<bits_one>(query, query.row_bytes, rows, count, out);
  }

  using Distance = kernels::SimdDistance<Lanes>;
  template <class Term>
  static void floats(const float* query, std::size_t dim, const CodeRows& rows, std::size_t count,
                     float* out) noexcept {
    if (count == 0) return;  // there may be no memory to point into
    using Sums = typename Distance::template FloatSums<Term, std::uint8_t>;
    const std::uint8_t* base = rows.base + rows.skip;
    if (rows.ids == nullptr) {
      Distance::template consecutive<Sums>(query, dim, base, rows.stride, count, out);
    } else {
      Distance::template gather<Sums>(query, dim, base, rows.stride, rows.ids, count, out);
    }
  }

  static constexpr CodeKernels table(kernels::Isa isa, std::string_view name, Nvfp4Search search) noexcept {
    using Product = typename Distance::Product;
    using SquaredDifference = typename Distance::SquaredDifference;
    return {.isa = isa,
            .name = name,
            .nvfp4_search = search,
            .nvfp4 = nvfp4,
            .nvfp4_tiles = nvfp4_tiles,
            .int8 = bytes<Signed>,
            .u8 = bytes<Unsigned>,
            .bits = bits,
            .dot_u8 = floats<Product>,
            .l2_u8 = floats<SquaredDifference>};
  }
};

}  // namespace boon::codec
