// Random projections after Johnson and Lindenstrauss: R^d to R^k so that distances are kept up to a factor 1 +- eps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/parallel.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

// The target dimension that suffices for `points` points and a relative error of squared distances of at most eps, with
// some projection: 4 ln n / (eps^2 / 2 - eps^3 / 3), rounded down as scikit-learn's johnson_lindenstrauss_min_dim does.
// Dasgupta & Gupta, "An elementary proof of a theorem of Johnson and Lindenstrauss", Random Struct. Alg. 22(1), 2003:
// one Gaussian projection into this dimension keeps every pair with a probability of at least 1 / n.
// Throws invalid_argument unless points >= 1 and 0 < eps < 1.
std::size_t johnson_lindenstrauss_dim(std::size_t points, double eps);

// The other way round: the least eps for which `target` dimensions suffice, to twelve digits; 1 where none below 1
// does. Throws invalid_argument unless points >= 1 and target >= 1.
double johnson_lindenstrauss_eps(std::size_t points, std::size_t target);

enum class ProjectionKind : std::uint32_t {
  gaussian = 0,  // normal entries
  // sqrt(3) times 1 or -1 with probability 1/6 each, else 0. Achlioptas, "Database-friendly random projections", JCSS
  // 66(4), 2003. Two thirds of the products are with 0, but skipping them is slower than a vector unit is without.
  sparse = 1,
};

struct ProjectionOptions {
  std::size_t dim = 0;     // of what is projected, 1 to kDimMax
  std::size_t target = 0;  // 1 or more; dim * target is at most 2^28. johnson_lindenstrauss_dim() gives a safe one
  std::uint64_t seed = 1;
  ProjectionKind kind = ProjectionKind::gaussian;

  // Throws invalid_argument, naming the field.
  void validate() const;
  bool operator==(const ProjectionOptions&) const = default;
};

// A random linear map whose entries have variance 1 / k, so that squared lengths are kept on average. Its matrix takes
// 4 * dim * target bytes and is stored as its seed. The result has the same bits on every machine, alone or in a batch.
class Projection {
 public:
  // Throws invalid_argument, and what kernels::isa_in_use() throws.
  explicit Projection(const ProjectionOptions& options);

  const ProjectionOptions& options() const noexcept { return options_; }
  // dim x target, row-major: row i is where unit vector i goes.
  std::span<const float> matrix() const noexcept { return matrix_; }

  // `in` has the dimension dim and `out` target, else invalid_argument. O(dim * target).
  void forward(std::span<const float> in, std::span<float> out) const;
  // Rows to rows of `out`, target floats apart. Throws invalid_argument with row and component for a value that is not
  // finite. `pool` may be null.
  void forward(const Points& rows, float* out, ThreadPool* pool = nullptr) const;

  std::vector<std::byte> to_bytes() const;
  // Throws corrupted, or unsupported for bytes of a newer format.
  static Projection from_bytes(Bytes bytes);

 private:
  ProjectionOptions options_;
  std::vector<float> matrix_;
};

}  // namespace boon::geometry
