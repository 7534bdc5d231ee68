// Rows drawn from a set of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "boon/geometry/points.h"

namespace boon::geometry {

// `wanted` of the numbers below `count`, each set as likely as any other, in rising order; all if there are no more.
// O(count) (Knuth, The Art of Computer Programming 3.4.2, Algorithm S).
std::vector<std::uint32_t> sample_rows(std::size_t count, std::size_t wanted, std::uint64_t seed);

// The rows by their numbers.
PointSet gather(const Points& points, std::span<const std::uint32_t> rows);

// Pairs of different rows, each drawn independently of the others; none if there are fewer than two rows.
using Pair = std::pair<std::uint32_t, std::uint32_t>;
std::vector<Pair> sample_pairs(std::size_t count, std::size_t wanted, std::uint64_t seed);

// The numbers of the rows that equal no row before them (0 and -0 are equal), in rising order. O(count * dim).
std::vector<std::uint32_t> distinct_rows(const Points& points);

}  // namespace boon::geometry
