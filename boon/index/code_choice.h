// Which codes suit vectors, tried on some of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "boon/index/metric.h"

namespace boon::index {

// As many rows as a choice needs; with fewer vectors walks are short, and codes not worth their memory.
inline constexpr std::size_t kCodesFrom = 1024;

// The codec of fewest bytes, of "nvfp4" and "int8", by which nearly all of the ten nearest rows are among the twenty of
// least estimate; "none" if by neither. `rows` are at least kCodesFrom rows of `dim` components as an index holds them,
// drawn without order.
std::string_view choose_codes(std::span<const float> rows, std::size_t dim, Metric metric);

}  // namespace boon::index
