// For tests: points with known properties, and errors as values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

using Cloud = PointSet;

inline Cloud normal_cloud(std::size_t count, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  Cloud cloud{.dim = dim, .values = std::vector<float>(count * dim)};
  for (float& value : cloud.values) value = static_cast<float>(random.normal());
  return cloud;
}

inline Cloud uniform_cloud(std::size_t count, std::size_t dim, std::uint64_t seed) {
  Random random(seed);
  Cloud cloud{.dim = dim, .values = std::vector<float>(count * dim)};
  for (float& value : cloud.values) value = static_cast<float>(random.uniform());
  return cloud;
}

// The error that a call throws; nothing if it returns.
template <class Call>
std::optional<Error> error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

MATCHER_P2(IsError, code, text, "") {
  if (!arg) {
    *result_listener << "nothing was thrown";
    return false;
  }
  *result_listener << "code " << static_cast<int>(arg->code()) << ", \"" << arg->what() << '"';
  return arg->code() == code && std::string_view(arg->what()).find(text) != std::string_view::npos;
}

}  // namespace boon::geometry
