// Eigenvalues and eigenvectors of symmetric matrices, in double.
#pragma once

#include <cstddef>
#include <vector>

namespace boon::geometry {

struct Eigen {
  std::vector<double> values;   // n, the largest first
  std::vector<double> vectors;  // n x n: row i is the unit eigenvector of value i, its largest component positive
};

// Of the n x n matrix, of which the lower triangle is read. Householder reduction to a tridiagonal matrix, then
// implicit QL (Golub & Van Loan, "Matrix Computations", 8.3; EISPACK's tred2 and tql2). O(n^3), about 1 s for n = 768.
// Values are right to some 1e-15 of the largest. Throws invalid_argument for a matrix that is not n x n or not finite.
Eigen symmetric_eigen(std::vector<double> matrix, std::size_t n);

}  // namespace boon::geometry
