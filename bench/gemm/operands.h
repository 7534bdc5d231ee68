// The matrices of a product, and the product in double precision to judge answers by.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bench/gemm/system.h"

namespace boon::bench::gemm {

// Memory at a multiple of 64 bytes, which Eigen is told and all others like.
template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::size_t size) : data_(new(std::align_val_t{64}) T[size]()), size_(size) {}
  T* data() const noexcept { return data_.get(); }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + size_; }

 private:
  struct Delete {
    void operator()(T* data) const noexcept { ::operator delete[](data, std::align_val_t{64}); }
  };
  std::unique_ptr<T[], Delete> data_;
  std::size_t size_;
};

// Random A and B: fp32 and bf16 from [-1, 1), bytes from all that there are. Same on every machine.
template <class Element, class Sum>
class Operands {
 public:
  // Takes the time of the product in plain loops, and 16 bytes an element of B and C.
  explicit Operands(const Shape& shape);

  Problem<Element, Sum> problem() const noexcept { return {shape_, a_.data(), b_.data(), c_.data()}; }

  // Fills C with what no product of theirs has in it.
  void spoil() const;
  // What is wrong with C, empty if nothing: int8 must be exact; fp32 and sums of bf16 within the bound that holds for
  // any order of summation (Higham, Accuracy and Stability, (3.5)).
  std::string fault() const;

 private:
  Shape shape_;
  AlignedArray<Element> a_;
  AlignedArray<Element> b_;
  AlignedArray<Sum> c_;
  std::vector<double> truth_;
  std::vector<double> a_norms_;  // lengths of A's rows and B's columns
  std::vector<double> b_norms_;
};

extern template class Operands<float, float>;
extern template class Operands<std::int8_t, std::int32_t>;
extern template class Operands<kernels::Bf16, float>;

}  // namespace boon::bench::gemm
