// Internal: the sums of exact search in double (knn_exact.h), eight at a time. A file per instruction set defines
// Lanes, includes this inside its target region and fills its table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/knn_exact.h"

namespace boon::kernels {

// Lanes has Sums, eight doubles, with zero(), load(pointer to doubles), widen(pointer to elements),
// broadcast(x), subtract, add, multiply, store; a product and a sum are rounded each by itself.
template <class Lanes>
struct KnnExactLoop {
  using Sums = typename Lanes::Sums;
  static constexpr std::size_t kSums = 8;

  struct SquaredDifference {
    Sums operator()(Sums q, Sums x) const noexcept {
      const Sums difference = Lanes::subtract(q, x);
      return Lanes::multiply(difference, difference);
    }
  };
  struct Product {
    Sums operator()(Sums q, Sums x) const noexcept { return Lanes::multiply(q, x); }
  };
  struct ScaledDifference {
    Sums scale;
    Sums operator()(Sums q, Sums x) const noexcept { return SquaredDifference{}(q, Lanes::multiply(x, scale)); }
  };

  template <class Element, class Term>
  [[gnu::always_inline]] static inline double sum(const double* query, const Element* row, std::size_t dim,
                                                  const Term& term) noexcept {
    Sums sums = Lanes::zero();
    std::size_t i = 0;
    for (; i + kSums <= dim; i += kSums) {
      sums = Lanes::add(sums, term(Lanes::load(query + i), Lanes::widen(row + i)));
    }
    if (i < dim) {
      // Terms of zeros are 0, and 0 changes no sum: these start from +0 and so are never -0.
      double query_rest[kSums] = {};
      Element row_rest[kSums] = {};
      std::memcpy(query_rest, query + i, (dim - i) * sizeof(double));
      std::memcpy(row_rest, row + i, (dim - i) * sizeof(Element));
      sums = Lanes::add(sums, term(Lanes::load(query_rest), Lanes::widen(row_rest)));
    }
    double s[kSums];
    Lanes::store(s, sums);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }

  template <class Element>
  static double squared_differences(const double* query, const Element* row, std::size_t dim) noexcept {
    return sum(query, row, dim, SquaredDifference{});
  }
  template <class Element>
  static double products(const double* query, const Element* row, std::size_t dim) noexcept {
    return sum(query, row, dim, Product{});
  }
  template <class Element>
  static double scaled_differences(const double* query, const Element* row, double scale, std::size_t dim) noexcept {
    return sum(query, row, dim, ScaledDifference{Lanes::broadcast(scale)});
  }

  template <class Element>
  static constexpr ExactSums<Element> kSumsOf = {squared_differences<Element>, products<Element>,
                                                 scaled_differences<Element>};
  static constexpr ExactTable table() noexcept {
    return {{kSumsOf<float>, kSumsOf<std::uint8_t>, kSumsOf<Fp16>, kSumsOf<Bf16>}};
  }
};

}  // namespace boon::kernels
