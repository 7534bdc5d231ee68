#include "boon/geometry/sample.h"

#include <algorithm>
#include <unordered_map>

#include "boon/core/bytes.h"
#include "boon/core/random.h"

namespace boon::geometry {

std::vector<std::uint32_t> sample_rows(std::size_t count, std::size_t wanted, std::uint64_t seed) {
  std::vector<std::uint32_t> rows;
  rows.reserve(std::min(count, wanted));
  Random random(seed);
  for (std::size_t row = 0; row < count && rows.size() < wanted; ++row) {
    if (random.below(count - row) < wanted - rows.size()) rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

PointSet gather(const Points& points, std::span<const std::uint32_t> rows) {
  PointSet set{.dim = points.dim, .values = {}};
  set.values.reserve(rows.size() * points.dim);
  for (const std::uint32_t row : rows) set.values.insert(set.values.end(), points[row].begin(), points[row].end());
  return set;
}

std::vector<Pair> sample_pairs(std::size_t count, std::size_t wanted, std::uint64_t seed) {
  std::vector<Pair> pairs;
  if (count < 2) return pairs;
  Random random(seed);
  pairs.reserve(wanted);
  while (pairs.size() < wanted) {
    const std::uint64_t a = random.below(count), b = random.below(count - 1);
    pairs.emplace_back(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b < a ? b : b + 1));
  }
  return pairs;
}

std::vector<std::uint32_t> distinct_rows(const Points& points) {
  std::vector<std::uint32_t> rows;
  std::unordered_multimap<std::uint64_t, std::uint32_t> seen;
  seen.reserve(points.count);
  std::vector<float> plain(points.dim);
  for (std::size_t row = 0; row < points.count; ++row) {
    for (std::size_t i = 0; i < points.dim; ++i) plain[i] = points[row][i] + 0.0F;  // -0 becomes 0
    const std::uint64_t hash = xxh3(as_bytes(plain.data(), plain.size()));
    const auto [begin, end] = seen.equal_range(hash);
    const bool known = std::any_of(
        begin, end, [&](const auto& entry) { return std::ranges::equal(points[entry.second], points[row]); });
    if (known) continue;
    seen.emplace(hash, static_cast<std::uint32_t>(row));
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

}  // namespace boon::geometry
