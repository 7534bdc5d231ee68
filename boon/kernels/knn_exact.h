// Internal: the distance that exact search answers with, in double.
//
// Component i goes to partial sum i % 8; the eight are added as a tree: halves of four, of two, of one. Every product
// and every sum is rounded by itself (no fused multiplication), so each instruction set gives the same bits, and a row
// of another element gives those of the same row of floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "boon/kernels/knn.h"

namespace boon::kernels {

// Sums over a query in doubles and a row.
template <class Element>
struct ExactSums {
  // Sum of (q - x)^2.
  double (*squared_differences)(const double* query, const Element* row, std::size_t dim) noexcept;
  // Sum of q * x.
  double (*products)(const double* query, const Element* row, std::size_t dim) noexcept;
  // Sum of (q - x * scale)^2.
  double (*scaled_differences)(const double* query, const Element* row, double scale, std::size_t dim) noexcept;
};

struct ExactTable {
  std::tuple<ExactSums<float>, ExactSums<std::uint8_t>, ExactSums<Fp16>, ExactSums<Bf16>> sums;

  template <class Element>
  const ExactSums<Element>& of() const noexcept {
    return std::get<ExactSums<Element>>(sums);
  }
};

extern const ExactTable kExactScalar;
extern const ExactTable kExactAvx2;
extern const ExactTable kExactAvx512;

inline const void* place(const KnnRows& rows, std::size_t row) noexcept {
  return static_cast<const std::byte*>(rows.data) + row * rows.stride_bytes;
}
template <class Element>
const Element* row_of(const KnnRows& rows, std::size_t row) noexcept {
  return static_cast<const Element*>(place(rows, row));
}
inline float component(const KnnRows& rows, std::size_t row, std::size_t i) noexcept {
  return with_type(rows.element, [&]<class T>(std::type_identity<T>) { return to_float(row_of<T>(rows, row)[i]); });
}

// The sums of ExactTable for a row of any element.
double squared_differences(const ExactTable& table, const KnnRows& rows, std::size_t row, const double* query) noexcept;
double products(const ExactTable& table, const KnnRows& rows, std::size_t row, const double* query) noexcept;
double scaled_differences(const ExactTable& table, const KnnRows& rows, std::size_t row, const double* query,
                          double scale) noexcept;

// 1 / |x| for each row, from the sum of squared differences to a vector of zeros; 0 for a row of zeros.
void inverse_lengths(const ExactTable& table, const KnnRows& rows, std::size_t begin, std::size_t end, double* out);

// One query against any row.
class ExactQuery {
 public:
  // `inverse_lengths` of the rows is for cosine alone.
  ExactQuery(const ExactTable& table, const KnnRows& rows, KnnSpace space, const double* inverse_lengths);

  void set(const float* query) noexcept;

  // Ranks rows; smaller is nearer.
  double key(std::size_t row) const noexcept;
  void prefetch(std::size_t row) const noexcept;
  // What is answered for a row of this key.
  static float distance(KnnSpace space, double key) noexcept {
    return static_cast<float>(space == KnnSpace::inner_product ? 1 + key : key);
  }

 private:
  const ExactTable* table_;
  KnnRows rows_;
  KnnSpace space_;
  const double* inverse_lengths_;
  std::vector<double> values_;  // of the query; scaled to length 1 under cosine
  bool is_zero_ = false;        // under cosine
};

}  // namespace boon::kernels
