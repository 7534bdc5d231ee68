#include "boon/codec/gemv.h"

#include <algorithm>
#include <array>

#include "boon/codec/e2m1.h"
#include "boon/codec/e4m3.h"
#include "boon/core/check.h"
#include "boon/kernels/rows.h"

namespace boon::codec {
namespace {

struct Pair {
  float low;
  float high;
};
constexpr std::array<Pair, 256> kPairs = [] {
  std::array<Pair, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte) pairs[byte] = {kE2m1[byte & 15], kE2m1[byte >> 4]};
  return pairs;
}();

float row_by_elements(const std::uint8_t* row, std::span<const float> x) noexcept {
  const std::uint8_t* scales = row + x.size() / 2;
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(row[i / 2] >> i % 2 * 4 & 15);
    sum += e2m1_to_float(code) * e4m3_to_float(scales[i / kNvfp4Block]) * x[i];
  }
  return sum;
}

float row_by_table(const std::uint8_t* row, std::span<const float> x) noexcept {
  const std::uint8_t* scales = row + x.size() / 2;
  float sum = 0;
  for (std::size_t block = 0; block < x.size() / kNvfp4Block; ++block) {
    const std::uint8_t* codes = row + block * kNvfp4BlockBytes;
    const float* values = x.data() + block * kNvfp4Block;
    float low = 0, high = 0;
    for (std::size_t i = 0; i < kNvfp4BlockBytes; ++i) {
      const Pair pair = kPairs[codes[i]];
      low += pair.low * values[2 * i];
      high += pair.high * values[2 * i + 1];
    }
    sum += (low + high) * e4m3_to_float(scales[block]);
  }
  return sum;
}

// How many groups of 16 rows are taken at a time, by one thread or by each: 72 bytes a column, so 72 KiB at 1024.
constexpr std::size_t kGroups = 8;

// Rows [16 * group, 16 * (group + count)).
void by_tiles(const Nvfp4Matrix& a, const GemvVector& x, const CodeKernels& kernels, std::size_t group,
              std::size_t count, float unit, std::span<kernels::Fp16> y) noexcept {
  const std::size_t columns = a.columns / kTileDim;
  float sums[kGroups * kTileVectors];
  kernels.nvfp4_tiles(x.query(), a.tiles + group * columns * kTileBytes, columns, count, sums);
  const std::size_t begin = group * kTileVectors, end = std::min(a.rows, begin + count * kTileVectors);
  for (std::size_t i = begin; i < end; ++i) y[i] = kernels::to_fp16(sums[i - begin] * unit);
}

}  // namespace

std::string_view name(GemvWay way) noexcept {
  constexpr std::string_view kNames[] = {"decode", "table", "wide", "prefetch", "interleaved", "threads"};
  return kNames[static_cast<std::size_t>(way)];
}

GemvVector::GemvVector(const Nvfp4View& vector)
    : values_(vector.scales.size() * kNvfp4Block),
      planes_((vector.codes.size() + kQueryBytes - 1) / kQueryBytes * kQueryBytes * 2),
      offsets_(planes_.size() / 2 / kNvfp4BlockBytes),
      weights_(offsets_.size()),
      scale_(vector.scale) {
  nvfp4_check(vector, "vector");
  nvfp4_decode({vector.codes, vector.scales, 1}, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(vector.codes[i / 2] >> i % 2 * 4 & 15);
    const auto doubled = static_cast<std::int8_t>(2 * e2m1_to_float(code));
    planes_[i / 2 + i % 2 * planes_.size() / 2] = doubled;
    offsets_[i / kNvfp4Block] -= 12 * doubled;
  }
  for (std::size_t block = 0; block < vector.scales.size(); ++block) {
    weights_[block] = e4m3_to_float(vector.scales[block]) / 2;  // takes the doubling back
  }
}

Nvfp4Query GemvVector::query() const noexcept {
  return {planes_.data(), planes_.data() + planes_.size() / 2, offsets_.data(), values_.size() / kNvfp4Block,
          weights_.data()};
}

void gemv(GemvWay way, const Nvfp4Matrix& a, const GemvVector& x, const CodeKernels& kernels, ThreadPool& pool,
          std::span<kernels::Fp16> y) {
  BOON_CHECK(x.size() == a.columns && y.size() == a.rows && a.columns % kTileDim == 0);
  const float unit = a.scale * x.scale();
  const auto row = [&](std::size_t i) { return a.row_major + i * a.row_bytes(); };
  const std::size_t groups = (a.rows + kTileVectors - 1) / kTileVectors;
  switch (way) {
    case GemvWay::decode:
      for (std::size_t i = 0; i < a.rows; ++i) y[i] = kernels::to_fp16(row_by_elements(row(i), x.values()) * unit);
      return;
    case GemvWay::table:
      for (std::size_t i = 0; i < a.rows; ++i) y[i] = kernels::to_fp16(row_by_table(row(i), x.values()) * unit);
      return;
    case GemvWay::wide:
    case GemvWay::prefetch:
      for (std::size_t i = 0; i < a.rows; ++i) {
        if (way == GemvWay::prefetch && i + 1 < a.rows) kernels::prefetch_row(row(i + 1), a.row_bytes());
        float sum = 0;
        kernels.nvfp4(x.query(), {row(i), a.row_bytes(), nullptr, 0}, 1, &sum);
        y[i] = kernels::to_fp16(sum * unit);
      }
      return;
    case GemvWay::interleaved:
      for (std::size_t group = 0; group < groups; group += kGroups) {
        by_tiles(a, x, kernels, group, std::min(kGroups, groups - group), unit, y);
      }
      return;
    case GemvWay::threads:
      pool.for_each((groups + kGroups - 1) / kGroups, 1, [&](std::size_t part, std::size_t) {
        const std::size_t group = part * kGroups;
        by_tiles(a, x, kernels, group, std::min(kGroups, groups - group), unit, y);
      });
      return;
  }
}

}  // namespace boon::codec
