// How near two vectors are. Smaller distances are nearer, for every metric.
#pragma once

#include <cstdint>
#include <string_view>

namespace boon {

enum class Metric : std::uint32_t {
  l2 = 0,             // squared Euclidean distance: sum of (a - b)^2
  cosine = 1,         // 1 - cos(a, b), from 0 to 2; vectors are scaled to length 1 when they are added
  inner_product = 2,  // 1 - sum of a * b; may be negative
};

// "l2", "cosine", "ip".
std::string_view name(Metric metric) noexcept;
// The names above and what others call them ("euclidean", "angular", "dot", "inner_product"). Throws invalid_argument.
Metric parse_metric(std::string_view name);

}  // namespace boon
