// y = A x for a matrix and a vector in NVFP4: the memory-bound product of large language models at batch size 1,
// several ways, from the plain loop to tiles on all threads. A day's competition on GPUs was about this product; here
// each step of the way is kept, so that its gain can be measured (`boon bench gemv`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "boon/codec/code_kernels.h"
#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/core/parallel.h"
#include "boon/kernels/fp16.h"

namespace boon::codec {

enum class GemvWay {
  decode,       // each element decoded, in fp32
  table,        // a table from a byte to its two values; the vector in fp32, block sums scaled once
  wide,         // 64 bytes at a time against the vector's values as int8, in whole numbers
  prefetch,     // the same, and the next row is asked for
  interleaved,  // 16 rows side by side, as nvfp4_tiles.h lays them, and tiles far ahead are asked for
  threads,      // the same on all threads of the pool
};
inline constexpr GemvWay kGemvWays[] = {GemvWay::decode,   GemvWay::table,       GemvWay::wide,
                                        GemvWay::prefetch, GemvWay::interleaved, GemvWay::threads};
std::string_view name(GemvWay way) noexcept;

// A matrix of `rows` x `columns`, columns a multiple of 64, in both orders in someone else's memory: row-major, a row
// its codes and then its block scales; and in tiles. Both are rows * columns / 16 * 9 bytes, with rows rounded up to 16
// in tiles.
struct Nvfp4Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const std::uint8_t* row_major = nullptr;
  const std::uint8_t* tiles = nullptr;
  float scale = 1;

  std::size_t row_bytes() const noexcept { return columns / kNvfp4Block * (kNvfp4BlockBytes + 1); }
};

// A vector of NVFP4 in the forms that the ways want. Its values, doubled, are whole numbers from -12 to 12, so nothing
// is lost.
class GemvVector {
 public:
  // Throws as nvfp4_check() does.
  explicit GemvVector(const Nvfp4View& vector);

  std::size_t size() const noexcept { return values_.size(); }
  Nvfp4Query query() const noexcept;
  std::span<const float> values() const noexcept { return values_; }  // without the vector's scale
  float scale() const noexcept { return scale_; }

 private:
  std::vector<float> values_;
  std::vector<std::int8_t> planes_;
  std::vector<std::int32_t> offsets_;
  std::vector<float> weights_;
  float scale_;
};

// y[i] = the product of row i and x, rounded to fp16; past 65504 it is infinite. y has a.rows elements, x a.columns.
// Sums are in fp32. Only GemvWay::threads uses the pool.
void gemv(GemvWay way, const Nvfp4Matrix& a, const GemvVector& x, const CodeKernels& kernels, ThreadPool& pool,
          std::span<kernels::Fp16> y);

}  // namespace boon::codec
