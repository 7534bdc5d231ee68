// Principal components: the orthogonal directions along which points vary most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/parallel.h"
#include "boon/geometry/moments.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

enum class PcaMethod {
  automatic,   // exact up to dimension 512, or where an eighth of the dimension or more is asked for
  exact,       // eigenvectors of the covariance: O(n d^2 + d^3), up to Moments::kCovarianceDimMax
  randomised,  // subspace iteration: O(n d k) a pass
};

struct PcaOptions {
  std::size_t components = 0;  // how many to keep, up to the dimension; 0: all
  // Divides each coordinate by its standard deviation, so that all have variance 1.
  bool whiten = false;
  PcaMethod method = PcaMethod::automatic;
  // Of the randomised method. More passes (q in the paper, up to 1000) and more directions beside those asked for (p,
  // up to kDimMax) help where variances fall slowly.
  std::size_t passes = 4;
  std::size_t oversampling = 10;
  std::uint64_t seed = 1;

  // For points of this dimension. Throws invalid_argument, naming the field.
  void validate(std::size_t dim) const;
};

class Pca {
 public:
  // The randomised method is Algorithm 4.4 of Halko, Martinsson & Tropp ("Finding structure with randomness", SIAM
  // Review 53(2), 2011) on the transposed, centred rows, with a Rayleigh-Ritz step at the end. Variances are divided by
  // n - 1. One point, or equal ones, have variances of 0. Throws invalid_argument for no points, for a value that is
  // not finite (with row and component), for options that do not do, and for the exact method past its dimension.
  // `pool` may be null; the number of threads does not change the bits.
  static Pca fit(const Points& points, const PcaOptions& options = {}, ThreadPool* pool = nullptr);
  // From batches of points; exact. Throws invalid_argument for moments of no points, and as above.
  static Pca fit(const Moments& moments, const PcaOptions& options = {});

  std::size_t dim() const noexcept { return mean_.size(); }
  std::size_t components() const noexcept { return variances_.size(); }
  bool whitens() const noexcept { return whiten_; }
  std::span<const float> mean() const noexcept { return mean_; }
  // components x dim, row-major; rows of length 1, orthogonal to each other.
  std::span<const float> directions() const noexcept { return directions_; }
  std::span<const double> variances() const noexcept { return variances_; }  // the largest first
  // Also of what is left out: at least the sum of variances(), which are added in their order.
  double total_variance() const noexcept { return total_variance_; }
  // The share of the total in the first `count` components, 0 to 1; 1 where nothing varies.
  double explained(std::size_t count) const noexcept;

  // dim floats to components floats, else invalid_argument. Where a whitened direction has no variance the result is 0.
  // The same bits on every machine, alone or in a batch.
  void forward(std::span<const float> in, std::span<float> out) const;
  // Back to the nearest point of the subspace.
  void inverse(std::span<const float> in, std::span<float> out) const;
  // Rows to rows of `out`, components() floats apart. Throws invalid_argument with row and component.
  void forward(const Points& rows, float* out, ThreadPool* pool = nullptr) const;

  std::vector<std::byte> to_bytes() const;
  // Throws corrupted, or unsupported for bytes of a newer format.
  static Pca from_bytes(Bytes bytes);

 private:
  Pca() = default;
  void make_matrix();
  double sum_of_first(std::size_t count) const noexcept;  // of the variances

  std::vector<float> mean_;
  std::vector<float> directions_;
  std::vector<double> variances_;
  double total_variance_ = 0;
  bool whiten_ = false;
  std::vector<float> scales_;  // of each coordinate of the result; 1 without whitening
  std::vector<float> matrix_;  // dim x components: the directions, transposed and scaled
};

}  // namespace boon::geometry
