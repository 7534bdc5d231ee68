// Which codes suit vectors, tried on some of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "boon/index/metric.h"
#include "boon/kernels/element.h"

namespace boon::index {

// As many rows as a choice needs; with fewer vectors walks are short, and codes not worth their memory.
inline constexpr std::size_t kCodesFrom = 1024;

// Codes are good enough by which so many of the ten nearest rows are among the twenty of least estimate: where to look
// for what a beam must hold.
inline constexpr double kCodesEnough = .98;

// The codec of fewest bytes, of "nvfp4" and "int8", that is good enough and whose records are at most half as long as
// the vectors, as others gain nothing; "none" if neither is. `rows` are at least kCodesFrom rows of `dim` components as
// an index holds them, drawn without order, and `held` what their components are there.
std::string_view choose_codes(std::span<const float> rows, std::size_t dim, Metric metric, kernels::Element held);

}  // namespace boon::index
