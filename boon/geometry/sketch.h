// Sketches of directions: one bit a random hyperplane, which side of it a vector lies on. Two vectors at the angle
// theta fall on different sides with the probability theta / pi. Charikar, "Similarity estimation techniques from
// rounding algorithms", STOC 2002, after Goemans & Williamson.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/parallel.h"
#include "boon/geometry/points.h"
#include "boon/geometry/rotation.h"

namespace boon::geometry {

struct SketchOptions {
  std::size_t dim = 0;  // of the vectors, 1 to kDimMax
  // 1 to 2^20. An angle is known to a standard error of at most pi / (2 sqrt(bits)): 0.1 with 256 bits.
  std::size_t bits = 256;
  std::uint64_t seed = 1;

  // Throws invalid_argument, naming the field.
  void validate() const;
  bool operator==(const SketchOptions&) const = default;
};

// Bits are the signs of the coordinates of rotated vectors, from as many rotations as it takes: d hyperplanes at right
// angles cost O(d log d) instead of d^2, and their bits say no less than those of independent ones (Ji, Li, Yan, Zhang
// & Tian, "Super-bit locality-sensitive hashing", NIPS 2012). Vectors shorter than 64 are rotated with zeros behind
// them, since signs and butterflies have few outcomes in few dimensions. The bits are the same on every machine; a
// coordinate of 0, and so each of the zero vector, gives a 0.
class Sketcher {
 public:
  // Throws invalid_argument, and what kernels::isa_in_use() throws.
  explicit Sketcher(const SketchOptions& options);

  const SketchOptions& options() const noexcept { return options_; }
  std::size_t words() const noexcept { return (options_.bits + 63) / 64; }

  // `in` has the dimension and `out` words(), else invalid_argument. Bit i stands at i % 64 of word i / 64; those past
  // the last are 0.
  void sketch(std::span<const float> in, std::span<std::uint64_t> out) const;
  // Rows to rows of `out`, words() apart. Throws invalid_argument with row and component.
  void sketch(const Points& rows, std::uint64_t* out, ThreadPool* pool = nullptr) const;

  std::vector<std::byte> to_bytes() const;
  // Throws corrupted, or unsupported for bytes of a newer format.
  static Sketcher from_bytes(Bytes bytes);

 private:
  SketchOptions options_;
  std::vector<Rotation> rotations_;
};

// Bits that differ; both have as many words.
std::size_t hamming_distance(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept;

// The angle, in radians, of vectors whose sketches of so many bits differ in `differing` of them: pi differing / bits.
// Without bias.
double estimated_angle(std::size_t differing, std::size_t bits) noexcept;

}  // namespace boon::geometry
