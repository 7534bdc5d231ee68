#include "boon/kernels/bandwidth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

#include "boon/core/buffer.h"
#include "boon/core/error.h"
#include "boon/core/random.h"

namespace boon::kernels {
namespace {

// A node's unvisited neighbours in a graph search: 5 to 32.
constexpr std::size_t kRowsPerGather = 16;
// Results of one run of rows, small enough to stay in L1 beside the rows.
constexpr std::size_t kRowsPerRun = 256;
constexpr std::size_t kBytesPerTurn = std::size_t{8} << 20;

// What the compiler must believe to be used.
void use(float value) {
  asm volatile("" : : "x"(value));
}

// GB/s of `pass`, which reads `bytes` a call.
template <class Pass>
double gb_per_second(std::size_t bytes, const Pass& pass) {
  using Clock = std::chrono::steady_clock;
  const std::size_t passes = std::max<std::size_t>(1, kBytesPerTurn / bytes);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < passes; ++i) pass();
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  return static_cast<double>(passes * bytes) / elapsed.count();
}

double kernel_bandwidth(const DistanceTable& table, Kernel kernel, std::span<const float> rows, std::size_t dim,
                        std::span<const std::uint32_t> order) {
  const std::vector<float> query(dim, 0.5f);
  std::array<float, kRowsPerRun> out{};
  const std::size_t count = rows.size() / dim;

  if (order.empty()) {
    const auto run = kernel == Kernel::l2 ? table.l2_rows : table.dot_rows;
    return gb_per_second(rows.size_bytes(), [&] {
      for (std::size_t i = 0; i < count; i += kRowsPerRun) {
        run(query.data(), dim, rows.data() + i * dim, dim, std::min(kRowsPerRun, count - i), out.data());
        use(out[0]);
      }
    });
  }
  const auto gather = kernel == Kernel::l2 ? table.l2_gather : table.dot_gather;
  return gb_per_second(rows.size_bytes(), [&] {
    for (std::size_t i = 0; i < count; i += kRowsPerGather) {
      gather(query.data(), dim, rows.data(), dim, order.data() + i, std::min(kRowsPerGather, count - i), out.data());
      use(out[0]);
    }
  });
}

std::vector<std::uint32_t> random_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Random random(1);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

std::string_view name(Kernel kernel) noexcept {
  return kernel == Kernel::l2 ? "l2" : "dot";
}

std::string_view name(Access access) noexcept {
  return access == Access::sequential ? "sequential" : "gathered";
}

std::string_view name(Level level) noexcept {
  switch (level) {
    case Level::l1:
      return "L1";
    case Level::l2:
      return "L2";
    case Level::dram:
      break;
  }
  return "DRAM";
}

std::size_t level_bytes(Level level) noexcept {
  switch (level) {
    case Level::l1:
      return std::size_t{16} << 10;  // half of the smallest L1 in use, 32 KiB
    case Level::l2:
      return std::size_t{512} << 10;  // half of the 1 MiB of Skylake-SP and Zen 4
    case Level::dram:
      break;
  }
  return std::size_t{1} << 30;  // four times the largest last-level cache met so far
}

Bandwidth measure_bandwidth(const DistanceTable& table, const BandwidthCase& what, double seconds) {
  const std::size_t count = what.dim == 0 ? 0 : level_bytes(what.level) / (what.dim * sizeof(float));
  if (count == 0) {
    throw Error(ErrorCode::invalid_argument,
                "no row of " + std::to_string(what.dim) + " floats to measure in " + std::string(name(what.level)));
  }
  PageBuffer buffer;  // as the index keeps its rows
  buffer.reserve(count * what.dim * sizeof(float));
  const std::span<float> rows{reinterpret_cast<float*>(buffer.data()), count * what.dim};
  std::fill(rows.begin(), rows.end(), 1.0f);
  const auto order = what.access == Access::gathered ? random_order(count) : std::vector<std::uint32_t>{};

  Bandwidth best{.what = what};
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> budget{seconds};
  for (int turn = 0; turn < 3 || std::chrono::steady_clock::now() - start < budget; ++turn) {
    best.kernel_gb_s = std::max(best.kernel_gb_s, kernel_bandwidth(table, what.kernel, rows, what.dim, order));
    best.read_gb_s = std::max(best.read_gb_s, read_bandwidth(table, rows, what.dim, order));
  }
  return best;
}

std::vector<Bandwidth> measure_bandwidths(const DistanceTable& table, std::span<const std::size_t> dims,
                                          double seconds_each) {
  std::vector<Bandwidth> results;
  for (const std::size_t dim : dims) {
    for (const Level level : {Level::l2, Level::dram}) {
      for (const Access access : {Access::sequential, Access::gathered}) {
        for (const Kernel kernel : {Kernel::l2, Kernel::dot}) {
          results.push_back(measure_bandwidth(table, {kernel, access, level, dim}, seconds_each));
        }
      }
    }
  }
  return results;
}

double read_bandwidth(const DistanceTable& table, std::span<const float> rows, std::size_t dim,
                      std::span<const std::uint32_t> order) {
  if (order.empty()) {
    return gb_per_second(rows.size_bytes(), [&] { use(table.sum(rows.data(), rows.size())); });
  }
  return gb_per_second(order.size() * dim * sizeof(float), [&] {
    for (const std::uint32_t row : order) use(table.sum(rows.data() + row * dim, dim));
  });
}

}  // namespace boon::kernels
