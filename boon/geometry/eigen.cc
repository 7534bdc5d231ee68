#include "boon/geometry/eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boon/core/error.h"
#include "boon/geometry/linear.h"

namespace boon::geometry {
namespace {

// T = Q^T A Q with the diagonal d and e[i] beside d[i] and d[i + 1]; row i of `rows` is column i of Q.
struct Tridiagonal {
  std::vector<double> d;
  std::vector<double> e;
  std::vector<double> rows;
};

// out += factor * row, for n numbers.
void add_row(double factor, const double* row, double* out, std::size_t n) {
  linear().add_products_f64(&factor, 1, 1, row, n, out, n);
}

// Householder: the reflection I - beta v v^T turns column k below the diagonal into a multiple of its first entry.
// Afterwards v stands in that column, and beta is returned; 0 where nothing was to be done.
double reflect_column(std::vector<double>& a, std::size_t n, std::size_t k, double& beside) {
  const std::size_t m = n - k - 1;
  double* block = a.data() + (k + 1) * n + k + 1;  // m x m, what is left
  std::vector<double> v(m), p(m);
  double rest = 0;
  for (std::size_t i = 0; i < m; ++i) {
    v[i] = a[(k + 1 + i) * n + k];
    if (i > 0) rest += v[i] * v[i];
  }
  beside = v[0];
  if (rest == 0) return 0;
  const double length = std::sqrt(v[0] * v[0] + rest);
  beside = v[0] > 0 ? -length : length;
  v[0] -= beside;
  const double beta = 2 / (v[0] * v[0] + rest);
  linear().add_products_f64(v.data(), 1, m, block, n, p.data(), m);  // A v, as A is symmetric
  double projected = 0;
  for (std::size_t i = 0; i < m; ++i) projected += (p[i] *= beta) * v[i];
  for (std::size_t i = 0; i < m; ++i) p[i] -= beta / 2 * projected * v[i];
  for (std::size_t i = 0; i < m; ++i) {
    add_row(-v[i], p.data(), block + i * n, m);
    add_row(-p[i], v.data(), block + i * n, m);
    a[(k + 1 + i) * n + k] = v[i];
  }
  return beta;
}

Tridiagonal reduce(std::vector<double> a, std::size_t n) {
  Tridiagonal t{.d = std::vector<double>(n), .e = std::vector<double>(n), .rows = std::vector<double>(n * n)};
  std::vector<double> betas(n);
  for (std::size_t k = 0; k + 1 < n; ++k) betas[k] = reflect_column(a, n, k, t.e[k]);
  // Q, from the last reflection to the first: each meets only the block that later ones have filled.
  std::vector<double> q(n * n), projected(n), v(n);
  for (std::size_t i = 0; i < n; ++i) {
    t.d[i] = a[i * n + i];
    q[i * n + i] = 1;
  }
  for (std::size_t k = n - 1; k-- > 0;) {
    if (betas[k] == 0) continue;
    const std::size_t m = n - k - 1;
    double* block = q.data() + (k + 1) * n + k + 1;
    std::fill_n(projected.begin(), m, 0.0);
    for (std::size_t i = 0; i < m; ++i) v[i] = a[(k + 1 + i) * n + k];
    linear().add_products_f64(v.data(), 1, m, block, n, projected.data(), m);
    for (std::size_t i = 0; i < m; ++i) add_row(-betas[k] * v[i], projected.data(), block + i * n, m);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) t.rows[j * n + i] = q[i * n + j];
  }
  return t;
}

// The end of the unreduced part that begins at l: entries beside the diagonal past it are rounding errors of a matrix
// whose largest entry is about 1.
std::size_t part_end(const Tridiagonal& t, std::size_t n, std::size_t l) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  std::size_t m = l;
  while (m + 1 < n && std::abs(t.e[m]) > kEpsilon * std::max(1.0, std::abs(t.d[m]) + std::abs(t.d[m + 1]))) ++m;
  return m;
}

// One implicit step with the shift of Wilkinson on [l, m].
void ql_step(Tridiagonal& t, std::size_t n, std::size_t l, std::size_t m) {
  auto& [d, e, rows] = t;
  double g = (d[l + 1] - d[l]) / (2 * e[l]);
  double r = std::hypot(g, 1.0);
  g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
  double s = 1, c = 1, p = 0;
  for (std::size_t i = m; i-- > l;) {
    const double f = s * e[i], b = c * e[i];
    r = std::hypot(f, g);
    e[i + 1] = r;
    if (r == 0) {  // the matrix has fallen into two
      d[i + 1] -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    linear().rotate_rows(rows.data() + i * n, rows.data() + (i + 1) * n, c, s, n);
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0;
}

void diagonalise(Tridiagonal& t, std::size_t n) {
  constexpr int kStepsMax = 100;  // two or three are usual
  for (std::size_t l = 0; l < n; ++l) {
    int steps = 0;
    for (std::size_t m = part_end(t, n, l); m != l; m = part_end(t, n, l)) {
      if (++steps > kStepsMax) throw Error(ErrorCode::internal, "the eigenvalues do not converge");
      ql_step(t, n, l, m);
    }
  }
}

}  // namespace

Eigen symmetric_eigen(std::vector<double> matrix, std::size_t n) {
  if (n == 0 || matrix.size() != n * n) throw Error(ErrorCode::invalid_argument, "the matrix is not n x n");
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = matrix[i * n + j];
      if (!std::isfinite(value)) throw Error(ErrorCode::invalid_argument, "the matrix has an entry that is not finite");
      largest = std::max(largest, std::abs(value));
      matrix[j * n + i] = value;
    }
  }
  if (largest > 0) {
    for (double& value : matrix) value /= largest;
  }
  Tridiagonal t = reduce(std::move(matrix), n);
  diagonalise(t, n);

  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return t.d[i] > t.d[j]; });
  Eigen result{.values = std::vector<double>(n), .vectors = std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) {
    result.values[i] = t.d[order[i]] * largest;
    const double* row = t.rows.data() + order[i] * n;
    const double top = *std::max_element(row, row + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
    std::transform(row, row + n, result.vectors.data() + i * n, [&](double x) { return top < 0 ? -x : x; });
  }
  return result;
}

}  // namespace boon::geometry
