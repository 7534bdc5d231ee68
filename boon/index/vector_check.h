// What a vector must be to be held or searched for, and the form in which it is held.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "boon/index/metric.h"

namespace boon {

// Sum of squares, in double precision.
double squared_norm(std::span<const float> vector) noexcept;

// Throws Error{invalid_argument}, beginning with `what` ("row 17"), if the vector cannot be held or searched for.
// Returns its sum of squares.
double check_vector(std::span<const float> vector, Metric metric, const std::string& what);

// The same for `count` rows, `stride` floats apart; an error begins with `what` and the number of the row, counted from
// `first` on: "query 17".
void check_rows(const float* rows, std::size_t count, std::size_t dim, std::size_t stride, Metric metric,
                std::string_view what, std::size_t first = 0);

// Writes a checked vector, whose sum of squares may be known, as the index holds it: of length 1 under cosine.
void write_row(std::span<const float> vector, Metric metric, double squared, float* out) noexcept;
void write_row(std::span<const float> vector, Metric metric, float* out) noexcept;

}  // namespace boon
