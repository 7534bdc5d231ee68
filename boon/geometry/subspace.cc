#include "boon/geometry/subspace.h"

#include <algorithm>
#include <cmath>

#include "boon/geometry/eigen.h"
#include "boon/geometry/linear.h"
#include "boon/geometry/loop.h"
#include "boon/geometry/normal.h"

namespace boon::geometry {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

// Rows of numbers in double.
struct Rows {
  std::size_t count;
  std::size_t dim;
  std::vector<double> values = std::vector<double>(count * dim);

  double* operator[](std::size_t row) noexcept { return values.data() + row * dim; }
  const double* operator[](std::size_t row) const noexcept { return values.data() + row * dim; }
};

Rows transposed(const Rows& in) {
  Rows out{.count = in.dim, .dim = in.count};
  for (std::size_t i = 0; i < in.count; ++i) {
    for (std::size_t j = 0; j < in.dim; ++j) out[j][i] = in[i][j];
  }
  return out;
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Gram-Schmidt, twice ("twice is enough", Kahan and Parlett). A row that others span is drawn anew.
void orthonormalise(Rows& rows, Random& random) {
  constexpr double kSpanned = 1e-10;
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (;;) {
      const double before = std::sqrt(dot(rows[i], rows[i], rows.dim));
      for (int turn = 0; turn < 2; ++turn) {
        for (std::size_t j = 0; j < i; ++j) {
          const double factor = -dot(rows[i], rows[j], rows.dim);
          linear().add_products_f64(&factor, 1, 1, rows[j], rows.dim, rows[i], rows.dim);
        }
      }
      const double length = std::sqrt(dot(rows[i], rows[i], rows.dim));
      if (length > kSpanned * before) {
        for (std::size_t k = 0; k < rows.dim; ++k) rows[i][k] /= length;
        break;
      }
      for (std::size_t k = 0; k < rows.dim; ++k) rows[i][k] = portable_normal(random);
    }
  }
}

// S Z for S = sum of (x - mean)(x - mean)^T and Z of dim x size.
Rows times_scatter(const Points& points, const std::vector<double>& mean, const Rows& z, ThreadPool* pool) {
  const std::size_t d = points.dim, size = z.dim;
  Rows out{.count = d, .dim = size};
  Rows centred{.count = kRowsAtOnce, .dim = d}, projected{.count = kRowsAtOnce, .dim = size};
  for (std::size_t begin = 0; begin < points.count; begin += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, points.count - begin);
    for_each(pool, rows, 8, [&](std::size_t row) {
      for (std::size_t i = 0; i < d; ++i) centred[row][i] = points[begin + row][i] - mean[i];
      std::fill_n(projected[row], size, 0.0);
      linear().add_products_f64(centred[row], 1, d, z[0], size, projected[row], size);
    });
    for_each(pool, d, 8, [&](std::size_t i) {
      linear().add_products_f64(centred[0] + i, d, rows, projected[0], size, out[i], size);
    });
  }
  return out;
}

}  // namespace

Subspace leading_subspace(const Points& points, const std::vector<double>& mean, std::size_t wanted, std::size_t size,
                          std::size_t passes, std::uint64_t seed, ThreadPool* pool) {
  const std::size_t d = points.dim;
  Random random(seed);
  Rows basis{.count = size, .dim = d};
  for (double& value : basis.values) value = portable_normal(random);
  orthonormalise(basis, random);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    basis = transposed(times_scatter(points, mean, transposed(basis), pool));
    orthonormalise(basis, random);
  }
  // Rayleigh-Ritz: the eigenvectors of S within the subspace.
  const Rows z = transposed(basis);
  const Rows y = times_scatter(points, mean, z, pool);
  std::vector<double> within(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    linear().add_products_f64(z[0] + a, size, d, y[0], size, within.data() + a * size, size);
  }
  const Eigen eigen = symmetric_eigen(within, size);
  Subspace result{.values = {eigen.values.begin(), eigen.values.begin() + static_cast<std::ptrdiff_t>(wanted)},
                  .vectors = std::vector<double>(wanted * d)};
  for (std::size_t i = 0; i < wanted; ++i) {
    linear().add_products_f64(eigen.vectors.data() + i * size, 1, size, basis[0], d, result.vectors.data() + i * d, d);
  }
  return result;
}

}  // namespace boon::geometry
