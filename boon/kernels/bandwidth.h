// Measures how fast the distance kernels take in rows, next to a plain read of the same rows in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "boon/kernels/distance.h"

namespace boon::kernels {

enum class Kernel { l2, dot };
enum class Access { sequential, gathered };  // gathered: each row once, in a random order, as a graph search asks
enum class Level { l1, l2, dram };

std::string_view name(Kernel kernel) noexcept;
std::string_view name(Access access) noexcept;
std::string_view name(Level level) noexcept;

// Bytes of rows that stay in this level of the cache, or that no cache holds.
std::size_t level_bytes(Level level) noexcept;

struct BandwidthCase {
  Kernel kernel = Kernel::l2;
  Access access = Access::sequential;
  Level level = Level::dram;
  std::size_t dim = 100;
};

struct Bandwidth {
  BandwidthCase what;
  double kernel_gb_s = 0;  // 1e9 bytes of rows a second
  double read_gb_s = 0;    // the same for a plain read

  double ratio() const noexcept { return kernel_gb_s / read_gb_s; }
};

// One case on this thread, the kernel and the read by turns; each at its best over `seconds`, or over three turns if
// that is longer. Allocates level_bytes(level). Throws invalid_argument unless one row fits in the level.
Bandwidth measure_bandwidth(const DistanceTable& table, const BandwidthCase& what, double seconds = 0.2);

// Both kernels in both orders, from L2 and from DRAM, at each of `dims`.
std::vector<Bandwidth> measure_bandwidths(const DistanceTable& table, std::span<const std::size_t> dims,
                                          double seconds_each = 0.2);

// GB/s of one pass of table.sum over rows of `dim` floats: the rows that `order` numbers, or all of them from front to
// back if it is empty. Repeats the pass until it has read about 8 MiB, so that the clock's own time is lost in it.
double read_bandwidth(const DistanceTable& table, std::span<const float> rows, std::size_t dim,
                      std::span<const std::uint32_t> order);

}  // namespace boon::kernels
