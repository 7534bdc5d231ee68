// What codecs cost: vectors encoded a second, and records scored a second beside a plain read of the same bytes in the
// same order. BOON_ISA chooses the instruction set.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "boon/codec/code_kernels.h"
#include "boon/codec/codec.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/codec/query.h"
#include "boon/codec/testing.h"
#include "boon/kernels/bandwidth.h"

namespace boon::codec {
namespace {

std::unique_ptr<Codec> codec_of(std::int64_t index, std::size_t dim) {
  const std::string_view name = codec_names()[static_cast<std::size_t>(index)];
  return make_codec({.name = std::string(name), .dim = dim, .centre = {}});
}

std::vector<float> values_for(const Codec& codec, std::size_t count) {
  auto x = gaussian(count, 1);
  if (codec.name() == "u8") {
    for (float& value : x) value = static_cast<float>(static_cast<int>(std::clamp(value * 40 + 128, 0.F, 255.F)));
  }
  return x;
}

// A pass of `run` at its best in GB/s of `bytes`, and a plain read of as many bytes in the same order, by turns.
template <class Run>
void report(benchmark::State& state, std::span<const float> memory, std::size_t record_floats,
            std::span<const std::uint32_t> order, const Run& run) {
  const auto bytes = static_cast<double>(memory.size_bytes());
  double best = 0, read = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t passes = std::max<std::size_t>(1, (std::size_t{8} << 20) / memory.size_bytes());
    for (std::size_t i = 0; i < passes; ++i) run();
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, bytes * static_cast<double>(passes) / elapsed.count());
    read = std::max(read, kernels::read_bandwidth(kernels::distances(), memory, record_floats, order));
  }
  state.counters["GB/s"] = best;
  state.counters["read_GB/s"] = read;
  state.counters["share"] = best / read;
  state.counters["Mrecords/s"] = best * 1e3 / (static_cast<double>(record_floats) * sizeof(float));
}

std::size_t bytes_of(std::int64_t dram) {
  return dram != 0 ? std::size_t{512} << 20 : std::size_t{512} << 10;
}

void encode(benchmark::State& state) {
  constexpr std::size_t kRows = 256;
  const auto dim = static_cast<std::size_t>(state.range(1));
  const auto codec = codec_of(state.range(0), dim);
  const auto x = values_for(*codec, kRows * dim);
  std::vector<std::uint8_t> records(kRows * codec->record_bytes());
  for (auto _ : state) codec->encode(kernels::row_major<const float>(x.data(), kRows, dim), records);
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(kRows * dim * sizeof(float)) * state.iterations());
  state.SetLabel(std::string(codec->name()));
}
BENCHMARK(encode)->ArgNames({"codec", "dim"})->ArgsProduct({{0, 1, 2, 3, 4, 5, 6}, {128, 1024}})->MinTime(.1);

// Gathered: every record once in random order, 16 at a time, as a graph search asks.
void score(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(1));
  const auto codec = codec_of(state.range(0), dim);
  const std::size_t record_bytes = codec->record_bytes(), record_floats = record_bytes / sizeof(float);
  const std::size_t count = bytes_of(state.range(2)) / record_bytes;
  const std::size_t made = std::min<std::size_t>(count, 1000);
  const auto x = values_for(*codec, made * dim);
  std::vector<float> memory(count * record_floats);
  auto* bytes = reinterpret_cast<std::uint8_t*>(memory.data());
  codec->encode(kernels::row_major<const float>(x.data(), made, dim), {bytes, made * record_bytes});
  for (std::size_t i = made; i < count; ++i)
    std::copy_n(bytes + i % made * record_bytes, record_bytes, bytes + i * record_bytes);

  std::vector<std::uint32_t> order(state.range(3) != 0 ? count : 0);
  std::iota(order.begin(), order.end(), 0U);
  Random random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);

  const auto scorer = codec->query(std::span(x).first(dim), Metric::l2);
  constexpr std::size_t kAtOnce = 256, kGathered = 16;
  float out[kAtOnce];
  report(state, memory, record_floats, order, [&] {
    const std::size_t step = order.empty() ? kAtOnce : kGathered;
    for (std::size_t i = 0; i < count; i += step) {
      const std::size_t n = std::min(step, count - i);
      if (order.empty()) {
        scorer->score({bytes + i * record_bytes, record_bytes}, nullptr, n, out);
      } else {
        scorer->score({bytes, record_bytes}, order.data() + i, n, out);
      }
      benchmark::DoNotOptimize(out[0]);
    }
  });
  state.SetLabel(std::string(codec->name()) + (state.range(2) != 0 ? " DRAM" : " L2") +
                 (order.empty() ? " sequential" : " gathered") + " " + std::string(code_kernels().name));
}
BENCHMARK(score)
    ->ArgNames({"codec", "dim", "dram", "gathered"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5, 6}, {128, 1024}, {0, 1}, {0, 1}})
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

void scan_tiles(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  Nvfp4Tiles tiles(dim);
  const std::size_t group_bytes = tiles.columns() * kTileBytes;
  const std::size_t groups = bytes_of(state.range(1)) / group_bytes;
  std::vector<float> memory(groups * group_bytes / sizeof(float));
  auto* bytes = reinterpret_cast<std::uint8_t*>(memory.data());
  const auto x = gaussian(kTileVectors * dim, 1);
  std::vector<std::uint8_t> codes(nvfp4_blocks(dim) * kNvfp4BlockBytes), scales(nvfp4_blocks(dim));
  for (std::size_t i = 0; i < kTileVectors; ++i) {
    const float scale = nvfp4_encode(std::span(x).subspan(i * dim, dim), {codes, scales});
    tiles.add({codes, scales, scale});
  }
  for (std::size_t i = 0; i < groups; ++i) std::ranges::copy(tiles.bytes(), bytes + i * group_bytes);
  const Nvfp4Planes query({x.data(), dim});
  std::vector<float> out(16 * kTileVectors);
  report(state, memory, group_bytes / sizeof(float), {}, [&] {
    for (std::size_t i = 0; i < groups; i += 16) {
      code_kernels().nvfp4_tiles(query.query(), bytes + i * group_bytes, tiles.columns(),
                                 std::min<std::size_t>(16, groups - i), out.data());
      benchmark::DoNotOptimize(out[0]);
    }
  });
  state.counters["Mrecords/s"] = 16 * state.counters["Mrecords/s"];
  state.SetLabel(std::string(state.range(1) != 0 ? "DRAM " : "L2 ") + std::string(code_kernels().name));
}
BENCHMARK(scan_tiles)
    ->ArgNames({"dim", "dram"})
    ->ArgsProduct({{128, 1024}, {0, 1}})
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace boon::codec
