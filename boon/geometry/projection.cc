#include "boon/geometry/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/geometry/linear.h"
#include "boon/geometry/loop.h"
#include "boon/geometry/normal.h"
#include "boon/geometry/stored.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kEntriesMax = std::size_t{1} << 28;
constexpr std::size_t kRowsAtOnce = 16;  // what a thread takes from a batch
// Columns of the matrix that rows of a batch go through together: with 1,000 dimensions 512 KB, which L2 holds.
constexpr std::size_t kColumnsAtOnce = 128;

void check_count(std::size_t points) {
  if (points < 1) throw Error(ErrorCode::invalid_argument, "the number of points is 0; it may be 1 or more");
}

double exponent(double eps) noexcept {
  return eps * eps / 2 - eps * eps * eps / 3;
}

}  // namespace

std::size_t johnson_lindenstrauss_dim(std::size_t points, double eps) {
  check_count(points);
  if (!(eps > 0 && eps < 1)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("eps is {}; it lies between 0 and 1", eps));
  }
  const double dim = 4 * std::log(static_cast<double>(points)) / exponent(eps);
  constexpr double kMax = 0x1p63;
  return static_cast<std::size_t>(std::min(dim, kMax));
}

double johnson_lindenstrauss_eps(std::size_t points, std::size_t target) {
  check_count(points);
  if (target < 1) throw Error(ErrorCode::invalid_argument, "the target dimension is 0; it may be 1 or more");
  const double wanted = 4 * std::log(static_cast<double>(points)) / static_cast<double>(target);
  if (wanted >= exponent(1)) return 1;
  double low = 0, high = 1;  // between them exponent() rises
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (exponent(middle) < wanted ? low : high) = middle;
  }
  return high;
}

void ProjectionOptions::validate() const {
  check_dim(dim);
  if (target < 1 || target > kEntriesMax / dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("target is {}; from dimension {} it may be 1 to {}", target, dim, kEntriesMax / dim));
  }
  if (kind != ProjectionKind::gaussian && kind != ProjectionKind::sparse) {
    throw Error(ErrorCode::invalid_argument, "kind is neither gaussian nor sparse");
  }
}

Projection::Projection(const ProjectionOptions& options) : options_(options) {
  options.validate();
  linear();
  matrix_.resize(options.dim * options.target);
  Random random(options.seed);
  const double scale = 1 / std::sqrt(static_cast<double>(options.target));
  if (options.kind == ProjectionKind::gaussian) {
    for (float& entry : matrix_) entry = static_cast<float>(portable_normal(random) * scale);
    return;
  }
  const auto value = static_cast<float>(std::sqrt(3.0) * scale);
  for (float& entry : matrix_) {
    const std::uint64_t face = random.below(6);
    entry = face == 0 ? value : face == 1 ? -value : 0.0F;
  }
}

void Projection::forward(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), options_.dim, "the vector");
  check_same_dim(out.size(), options_.target, "the result");
  std::fill(out.begin(), out.end(), 0.0F);
  linear().add_products_f32(in.data(), 1, in.size(), matrix_.data(), options_.target, out.data(), out.size());
}

void Projection::forward(const Points& rows, float* out, ThreadPool* pool) const {
  check_points(rows, 0);
  check_same_dim(rows.dim, options_.dim, "a row");
  const std::size_t target = options_.target;
  const std::size_t parts = (rows.count + kRowsAtOnce - 1) / kRowsAtOnce;
  for_each(pool, parts, 1, [&](std::size_t index) {
    const std::size_t begin = index * kRowsAtOnce, end = std::min(rows.count, begin + kRowsAtOnce);
    std::fill(out + begin * target, out + end * target, 0.0F);
    for (std::size_t column = 0; column < target; column += kColumnsAtOnce) {
      for (std::size_t row = begin; row < end; ++row) {
        linear().add_products_f32(rows[row].data(), 1, rows.dim, matrix_.data() + column, target,
                                  out + row * target + column, std::min(kColumnsAtOnce, target - column));
      }
    }
  });
}

std::vector<std::byte> Projection::to_bytes() const {
  StoredWriter writer(StoredKind::projection);
  writer.put<std::uint64_t>(options_.dim);
  writer.put<std::uint64_t>(options_.target);
  writer.put(options_.seed);
  writer.put(static_cast<std::uint64_t>(options_.kind));
  return writer.finish();
}

Projection Projection::from_bytes(Bytes bytes) {
  StoredReader reader(bytes, StoredKind::projection);
  ProjectionOptions options;
  options.dim = reader.get<std::uint64_t>();
  options.target = reader.get<std::uint64_t>();
  options.seed = reader.get<std::uint64_t>();
  const auto kind = reader.get<std::uint64_t>();
  reader.finish();
  if (kind > static_cast<std::uint64_t>(ProjectionKind::sparse)) reader.damaged("its kind is unknown");
  options.kind = static_cast<ProjectionKind>(kind);
  try {
    options.validate();
  } catch (const Error& error) {
    reader.damaged(error.what());
  }
  return Projection(options);
}

}  // namespace boon::geometry
