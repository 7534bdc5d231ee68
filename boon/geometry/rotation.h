// A random rotation: an isometry of R^d drawn by a seed, applied in O(d log d).
//
// Each round flips random signs and takes the Walsh-Hadamard transform of 2^k coordinates, the most that fit d: of the
// first 2^k in even rounds, of the last in odd ones (Ailon & Chazelle, "The fast Johnson-Lindenstrauss transform", SIAM
// J. Comput. 39(1), 2009, for the signs and the transform). Where d is no power of two, every second round ends with
// butterflies of coordinates i and i + ceil(d / 2), as in Kac's random walk: the two blocks may overlap in a single
// coordinate, and would else hardly mix. (After every round they would leave a spike of what the first block has not
// touched.)
//
// Invariants
//  1. Nothing is padded: d floats go in and d come out, and lengths, angles and distances are kept to rounding error.
//  2. The bits of the result depend on the vector, the seed and the rounds alone: not on the instruction set, nor on
//     whether it is rotated alone or in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/parallel.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

struct RotationOptions {
  std::size_t dim = 0;     // 1 to kDimMax
  std::uint64_t seed = 1;  // each seed is another rotation
  // 1 to 16. From some 64 dimensions on, four make a coordinate of any vector look normal, and for powers of two two
  // do; below, signs and butterflies have few outcomes.
  std::size_t rounds = 4;

  // Throws invalid_argument, naming the field.
  void validate() const;
  bool operator==(const RotationOptions&) const = default;
};

class Rotation {
 public:
  // Takes 4 bytes a round and dimension. Throws invalid_argument, and what linear() throws for BOON_ISA.
  explicit Rotation(const RotationOptions& options);

  const RotationOptions& options() const noexcept { return options_; }
  std::size_t dim() const noexcept { return options_.dim; }

  // `in` and `out` have the dimension, else invalid_argument; they may be the same. A finite vector of which the length
  // fits a float stays finite; what is NaN or infinite makes others so.
  void forward(std::span<const float> in, std::span<float> out) const;
  // Undoes forward(), to rounding error.
  void inverse(std::span<const float> in, std::span<float> out) const;

  // Rows to rows of `out`, dim() floats apart; out may be where the rows are if they follow each other without a gap.
  // Checks that every value is finite first: throws invalid_argument with row and component. `pool` may be null.
  void forward(const Points& rows, float* out, ThreadPool* pool = nullptr) const;
  void inverse(const Points& rows, float* out, ThreadPool* pool = nullptr) const;

  // Seed and options: 56 bytes.
  std::vector<std::byte> to_bytes() const;
  // Throws corrupted, or unsupported for bytes of a newer format.
  static Rotation from_bytes(Bytes bytes);

 private:
  std::size_t block_begin(std::size_t round) const noexcept { return round % 2 == 0 ? 0 : dim() - block_; }
  bool mixes_after(std::size_t round) const noexcept { return round % 2 == 1 && block_ != dim(); }
  void rotate(float* values) const noexcept;
  void rotate_back(float* values) const noexcept;
  void mix_halves(float* values) const noexcept;

  RotationOptions options_;
  std::size_t block_ = 1;     // 2^k, the largest that is at most the dimension
  float scale_ = 1;           // 1 / sqrt(block_)
  std::vector<float> signs_;  // rounds x dim, each 1 or -1
};

}  // namespace boon::geometry
