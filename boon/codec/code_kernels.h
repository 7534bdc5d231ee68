// Products of a query with rows of codes, and the search for NVFP4's block scales; one table of functions per
// instruction set, as kernels/distance.h has them for floats. BOON_ISA forces one.
//
// Invariants
//  1. Sums of whole numbers are exact, and fp32 is added in one order: products with NVFP4, int8, u8 and 1-bit rows
//  have
//     the same bits on every processor, alone or in a gather.
//  2. Nothing past a row's codes is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "boon/codec/nvfp4_search.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/rows.h"

namespace boon::codec {

// Rows of bytes: row i at base + ids[i] * stride, or base + i * stride without ids. Its codes begin `skip` bytes in;
// what stands before them is prefetched with them. Rows of 16-bit elements lie at even addresses.
struct CodeRows {
  const std::uint8_t* base = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* ids = nullptr;
  std::size_t skip = 0;

  const std::uint8_t* operator[](std::size_t i) const noexcept { return base + (ids == nullptr ? i : ids[i]) * stride; }
  // How many rows ahead rows of so many bytes are asked for.
  std::size_t ahead(std::size_t bytes) const noexcept {
    const bool pays = ids != nullptr || kernels::ConsecutiveRows<std::uint8_t>::need_prefetch(bytes);
    return pays ? kernels::kRowsAhead : 0;
  }
};

// How far queries are padded with zeros.
inline constexpr std::size_t kQueryBytes = 128;

// A query of int8 for NVFP4 rows: components 2i and 2i + 1 at even[i] and odd[i], both padded to whole kQueryBytes; for
// each block -12 times the sum of its components, padded to kQueryBytes / 8. The kernels look values up as 2 * value +
// 12, which has no sign, and take that back so.
struct Nvfp4Query {
  const std::int8_t* even = nullptr;
  const std::int8_t* odd = nullptr;
  const std::int32_t* offsets = nullptr;
  std::size_t blocks = 0;
  // What the sum of each block is multiplied by beside the row's scale, padded as the offsets are; none is 1. With
  // block scales of e4m3 here a vector of NVFP4 is a query without loss; other weights may not give the same bits
  // everywhere.
  const float* weights = nullptr;
};

// A query of int8, padded to whole kQueryBytes, and the sum of its components. Against signed codes none of it is -128.
struct Int8Query {
  const std::int8_t* codes = nullptr;
  std::size_t dim = 0;
  std::int32_t sum = 0;
};

// A query of 4-bit numbers as four planes of bits, least first, each padded to whole kQueryBytes and plane_bytes apart.
struct BitQuery {
  const std::uint8_t* planes = nullptr;
  std::size_t plane_bytes = 0;
  std::size_t row_bytes = 0;  // (dim + 7) / 8
};

struct CodeKernels {
  kernels::Isa isa;
  std::string_view name;

  // Encodes blocks of NVFP4 with the scales of least error.
  Nvfp4Search nvfp4_search;

  // out[i] = sum over blocks of scale * sum of value * query, for rows of codes, 8 bytes a block, then scales.
  void (*nvfp4)(const Nvfp4Query& query, const CodeRows& rows, std::size_t count, float* out) noexcept;
  // The same for `groups` of 16 vectors in tiles (nvfp4_tiles.h), `columns` tiles a group; block after block.
  void (*nvfp4_tiles)(const Nvfp4Query& query, const std::uint8_t* tiles, std::size_t columns, std::size_t groups,
                      float* out) noexcept;

  // out[i] = sum of code * query, for rows of signed and of unsigned bytes. Fits up to 65,536 components.
  void (*int8)(const Int8Query& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept;
  void (*u8)(const Int8Query& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept;

  // out[i] = sum of the query's numbers where the row's bit is 1.
  void (*bits)(const BitQuery& query, const CodeRows& rows, std::size_t count, std::int32_t* out) noexcept;

  // out[i] = product, or squared distance, of a query of floats and a row of bytes, in fp32.
  using Float = void (*)(const float* query, std::size_t dim, const CodeRows& rows, std::size_t count,
                         float* out) noexcept;
  Float dot_u8, l2_u8;
};

// The table in use. Throws as kernels::isa_in_use() does.
const CodeKernels& code_kernels();

// The tables of one instruction set, each better than the one before it: beside avx512, those of VNNI and of VBMI.
// Empty where the processor lacks it.
struct CodeKernelList {
  const CodeKernels* table[3] = {};
  std::size_t count = 0;
};
CodeKernelList code_kernels(kernels::Isa isa) noexcept;

}  // namespace boon::codec
