// Mean and covariance of points that come in batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boon/core/parallel.h"
#include "boon/geometry/points.h"

namespace boon::geometry {

class Moments {
 public:
  // A covariance of this dimension takes 134 MB.
  static constexpr std::size_t kCovarianceDimMax = 4096;

  // Throws invalid_argument for a dimension of 0 or above kCovarianceDimMax.
  explicit Moments(std::size_t dim);

  // Joins the points of a batch, O(count * dim^2), summed in double about the mean of 256 rows at a time and merged as
  // Chan, Golub & LeVeque do ("Algorithms for computing the sample variance", The American Statistician 37(3), 1983).
  // Batches of any sizes give the same result to rounding error; the same batches give the same bits, on any number of
  // threads. Throws invalid_argument with row and component for a value that is not finite, and changes nothing then.
  void add(const Points& points, ThreadPool* pool = nullptr);

  std::size_t dim() const noexcept { return mean_.size(); }
  std::uint64_t count() const noexcept { return count_; }
  const std::vector<double>& mean() const noexcept { return mean_; }
  // dim x dim, symmetric; divided by count - 1, and zeros for fewer than two points.
  std::vector<double> covariance() const;

 private:
  void add_part(const Points& points, std::size_t begin, std::size_t end, ThreadPool* pool);

  std::uint64_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> scatter_;  // of the upper triangle, row-major: sums of products of differences from the mean
};

// The mean of points, in double. Throws as check_points() for at least one.
std::vector<double> mean_of(const Points& points);

}  // namespace boon::geometry
