#include "boon/geometry/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numbers>

#include "boon/core/check.h"
#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/geometry/loop.h"
#include "boon/geometry/stored.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kBitsMax = std::size_t{1} << 20;
constexpr std::size_t kDimLeast = 64;  // of a rotation

}  // namespace

void SketchOptions::validate() const {
  check_dim(dim);
  if (bits < 1 || bits > kBitsMax) {
    throw Error(ErrorCode::invalid_argument, fmt::format("bits is {}; it may be 1 to {}", bits, kBitsMax));
  }
}

Sketcher::Sketcher(const SketchOptions& options) : options_(options) {
  options.validate();
  const std::size_t rotated = std::max(options.dim, kDimLeast);
  std::uint64_t seed = options.seed;
  for (std::size_t bits = 0; bits < options.bits; bits += rotated) {
    seed = splitmix64(seed);
    rotations_.emplace_back(RotationOptions{.dim = rotated, .seed = seed});
  }
}

void Sketcher::sketch(std::span<const float> in, std::span<std::uint64_t> out) const {
  check_same_dim(in.size(), options_.dim, "the vector");
  check_same_dim(out.size(), words(), "the sketch, in words,");
  std::fill(out.begin(), out.end(), std::uint64_t{0});
  std::vector<float> padded(rotations_[0].dim()), rotated(padded.size());
  std::copy(in.begin(), in.end(), padded.begin());
  std::size_t bit = 0;
  for (const Rotation& rotation : rotations_) {
    rotation.forward(padded, rotated);
    for (std::size_t i = 0; i < rotated.size() && bit < options_.bits; ++i, ++bit) {
      out[bit / 64] |= std::uint64_t{rotated[i] > 0} << bit % 64;
    }
  }
}

void Sketcher::sketch(const Points& rows, std::uint64_t* out, ThreadPool* pool) const {
  check_points(rows, 0);
  check_same_dim(rows.dim, options_.dim, "a row");
  for_each(pool, rows.count, 16, [&](std::size_t row) { sketch(rows[row], {out + row * words(), words()}); });
}

std::vector<std::byte> Sketcher::to_bytes() const {
  StoredWriter writer(StoredKind::sketch);
  writer.put<std::uint64_t>(options_.dim);
  writer.put<std::uint64_t>(options_.bits);
  writer.put(options_.seed);
  return writer.finish();
}

Sketcher Sketcher::from_bytes(Bytes bytes) {
  StoredReader reader(bytes, StoredKind::sketch);
  SketchOptions options;
  options.dim = reader.get<std::uint64_t>();
  options.bits = reader.get<std::uint64_t>();
  options.seed = reader.get<std::uint64_t>();
  reader.finish();
  try {
    options.validate();
  } catch (const Error& error) {
    reader.damaged(error.what());
  }
  return Sketcher(options);
}

std::size_t hamming_distance(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  BOON_DCHECK(a.size() == b.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::size_t>(std::popcount(a[i] ^ b[i]));
  return sum;
}

double estimated_angle(std::size_t differing, std::size_t bits) noexcept {
  return std::numbers::pi * static_cast<double>(differing) / static_cast<double>(bits);
}

}  // namespace boon::geometry
