#include "boon/codec/gemv_bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "boon/core/buffer.h"
#include "boon/core/check.h"
#include "boon/core/random.h"
#include "boon/kernels/bandwidth.h"
#include "boon/kernels/distance.h"

namespace boon::codec {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;  // four times the largest last-level cache met so far

// Scales from 2^-4 to 2 in `count` bytes; what was there is random.
void make_scales(std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(0x18 + bytes[i] % 0x28);
}

// As many matrices as there is room for, in one order at a time.
class Matrices {
 public:
  explicit Matrices(const GemvShape& shape)
      : shape_(shape), count_(std::max(kMemory / shape.matrix_bytes(), 2 * shape.batch)) {
    count_ -= count_ % shape.batch;
    memory_.reserve(count_ * shape.matrix_bytes());
  }
  void fill(bool tiles) {
    Random random(1);
    auto* bytes = reinterpret_cast<std::uint8_t*>(memory_.data());
    const std::size_t size = count_ * shape_.matrix_bytes();
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      const std::uint64_t word = random.next();
      std::memcpy(bytes + i, &word, 8);
    }
    const std::size_t period = tiles ? kTileBytes : shape_.columns / kNvfp4Block * (kNvfp4BlockBytes + 1);
    const std::size_t scales = tiles ? kTileBytes - kTileScales : shape_.columns / kNvfp4Block;
    for (std::size_t i = 0; i < size; i += period) make_scales(bytes + i + period - scales, scales);
  }
  std::size_t calls() const noexcept { return count_ / shape_.batch; }
  std::size_t call_bytes() const noexcept { return shape_.batch * shape_.matrix_bytes(); }
  const std::uint8_t* bytes(std::size_t i) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(memory_.data()) + i * shape_.matrix_bytes();
  }
  Nvfp4Matrix matrix(std::size_t i) const noexcept {
    return {shape_.rows, shape_.columns, bytes(i), bytes(i), 0x1p-6F};
  }

 private:
  GemvShape shape_;
  std::size_t count_;
  PageBuffer memory_;
};

GemvVector random_vector(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> codes(size / 2), scales(size / kNvfp4Block);
  for (auto& byte : codes) byte = static_cast<std::uint8_t>(random.next());
  for (auto& byte : scales) byte = static_cast<std::uint8_t>(random.next());
  make_scales(scales.data(), scales.size());
  return GemvVector({codes, scales, 0x1p-6F});
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void read(const std::uint8_t* bytes, std::size_t size, ThreadPool* pool) {
  const auto sum = [&](std::size_t begin, std::size_t end) {
    const auto* floats = reinterpret_cast<const float*>(bytes + begin);
    const float value = kernels::distances().sum(floats, (end - begin) / sizeof(float));
    asm volatile("" : : "x"(value));
  };
  if (pool == nullptr) return sum(0, size);
  constexpr std::size_t kPart = std::size_t{512} << 10;
  pool->for_each((size + kPart - 1) / kPart, 1,
                 [&](std::size_t i, std::size_t) { sum(i * kPart, std::min(size, (i + 1) * kPart)); });
}

}  // namespace

std::vector<GemvBandwidth> measure_gemv(const GemvShape& shape, const CodeKernels& kernels, ThreadPool& pool,
                                        double seconds) {
  BOON_CHECK(shape.rows % kTileVectors == 0 && shape.columns % kTileDim == 0 && shape.batch > 0);
  std::vector<GemvVector> vectors;
  for (std::size_t i = 0; i < shape.batch; ++i) vectors.push_back(random_vector(shape.columns, i));
  std::vector<kernels::Fp16> y(shape.rows);
  Matrices matrices(shape);
  const auto bytes = static_cast<double>(matrices.call_bytes());
  std::vector<GemvBandwidth> results;
  for (const GemvWay way : kGemvWays) {
    const bool tiles = way == GemvWay::interleaved || way == GemvWay::threads;
    if (way == kGemvWays[0] || way == GemvWay::interleaved) matrices.fill(tiles);
    double best = 0, best_read = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t call = 0;
         call < 3 || std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds); ++call) {
      const std::size_t first = call % matrices.calls() * shape.batch;
      const double spent = seconds_of([&] {
        for (std::size_t i = 0; i < shape.batch; ++i)
          gemv(way, matrices.matrix(first + i), vectors[i], kernels, pool, y);
      });
      // The read takes the matrices half the memory further on, so that neither finds what the other left in a cache.
      const std::size_t other = (call + matrices.calls() / 2) % matrices.calls() * shape.batch;
      const double spent_read = seconds_of(
          [&] { read(matrices.bytes(other), matrices.call_bytes(), way == GemvWay::threads ? &pool : nullptr); });
      best = best == 0 ? spent : std::min(best, spent);
      best_read = best_read == 0 ? spent_read : std::min(best_read, spent_read);
    }
    results.push_back({shape, way, bytes / best / 1e9, bytes / best_read / 1e9, best});
  }
  return results;
}

}  // namespace boon::codec
