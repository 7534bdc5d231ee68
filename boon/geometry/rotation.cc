#include "boon/geometry/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/geometry/linear.h"
#include "boon/geometry/loop.h"
#include "boon/geometry/stored.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRoundsMax = 16;
constexpr std::size_t kRowsAtOnce = 16;  // what a thread takes from a batch

template <class Transform>
void each_row(const Points& rows, std::size_t dim, float* out, ThreadPool* pool, const Transform& transform) {
  check_points(rows, 0);
  check_same_dim(rows.dim, dim, "a row");
  for_each(pool, rows.count, kRowsAtOnce,
           [&](std::size_t row) { transform(rows[row], std::span<float>(out + row * dim, dim)); });
}

}  // namespace

void RotationOptions::validate() const {
  check_dim(dim);
  if (rounds < 1 || rounds > kRoundsMax) {
    throw Error(ErrorCode::invalid_argument, fmt::format("rounds is {}; it may be 1 to {}", rounds, kRoundsMax));
  }
}

Rotation::Rotation(const RotationOptions& options) : options_(options) {
  options.validate();
  linear();
  block_ = std::bit_floor(options.dim);
  scale_ = static_cast<float>(1 / std::sqrt(static_cast<double>(block_)));
  signs_.reserve(options.rounds * options.dim);
  Random random(options.seed);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < options.rounds * options.dim; ++i, bits >>= 1) {
    if (i % 64 == 0) bits = random.next();
    signs_.push_back((bits & 1) != 0 ? -1.0F : 1.0F);
  }
}

void Rotation::mix_halves(float* values) const noexcept {
  constexpr float kHalfRoot = std::numbers::sqrt2_v<float> / 2;
  const std::size_t half = (dim() + 1) / 2;
  for (std::size_t i = 0; i < dim() / 2; ++i) {
    const float a = values[i] * kHalfRoot, b = values[i + half] * kHalfRoot;
    values[i] = a + b;
    values[i + half] = a - b;
  }
}

// Scaled before it is summed, so that nothing on the way is longer than the vector.
void Rotation::rotate(float* values) const noexcept {
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    const float* signs = signs_.data() + round * dim();
    for (std::size_t i = 0; i < dim(); ++i) values[i] *= signs[i];
    float* block = values + block_begin(round);
    for (std::size_t i = 0; i < block_; ++i) block[i] *= scale_;
    linear().hadamard(block, block_);
    if (mixes_after(round)) mix_halves(values);
  }
}

// The transform and the butterflies are their own inverses.
void Rotation::rotate_back(float* values) const noexcept {
  for (std::size_t round = options_.rounds; round-- > 0;) {
    if (mixes_after(round)) mix_halves(values);
    float* block = values + block_begin(round);
    for (std::size_t i = 0; i < block_; ++i) block[i] *= scale_;
    linear().hadamard(block, block_);
    const float* signs = signs_.data() + round * dim();
    for (std::size_t i = 0; i < dim(); ++i) values[i] *= signs[i];
  }
}

void Rotation::forward(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), dim(), "the vector");
  check_same_dim(out.size(), dim(), "the result");
  if (in.data() != out.data()) std::copy(in.begin(), in.end(), out.begin());
  rotate(out.data());
}

void Rotation::inverse(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), dim(), "the vector");
  check_same_dim(out.size(), dim(), "the result");
  if (in.data() != out.data()) std::copy(in.begin(), in.end(), out.begin());
  rotate_back(out.data());
}

void Rotation::forward(const Points& rows, float* out, ThreadPool* pool) const {
  each_row(rows, dim(), out, pool, [&](auto in, auto to) { forward(in, to); });
}

void Rotation::inverse(const Points& rows, float* out, ThreadPool* pool) const {
  each_row(rows, dim(), out, pool, [&](auto in, auto to) { inverse(in, to); });
}

std::vector<std::byte> Rotation::to_bytes() const {
  StoredWriter writer(StoredKind::rotation);
  writer.put<std::uint64_t>(options_.dim);
  writer.put(options_.seed);
  writer.put<std::uint64_t>(options_.rounds);
  return writer.finish();
}

Rotation Rotation::from_bytes(Bytes bytes) {
  StoredReader reader(bytes, StoredKind::rotation);
  RotationOptions options;
  options.dim = reader.get<std::uint64_t>();
  options.seed = reader.get<std::uint64_t>();
  options.rounds = reader.get<std::uint64_t>();
  reader.finish();
  try {
    options.validate();
  } catch (const Error& error) {
    reader.damaged(error.what());
  }
  return Rotation(options);
}

}  // namespace boon::geometry
