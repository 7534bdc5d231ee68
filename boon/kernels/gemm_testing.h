// For tests of products of matrices: matrices that lie in every way, and the kernels that this machine can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/gemm.h"

namespace boon::kernels {

enum class Lies { by_rows, by_columns, padded_rows, padded_columns, scattered };
inline constexpr Lies kLies[] = {Lies::by_rows, Lies::by_columns, Lies::padded_rows, Lies::padded_columns,
                                 Lies::scattered};

// A matrix with its memory, of which places between elements hold a mark.
template <class T>
class TestMatrix {
 public:
  TestMatrix(std::size_t rows, std::size_t columns, Lies lies, T mark = {}) : mark_(mark) {
    matrix_ = {nullptr, rows, columns, 1, 1};
    switch (lies) {
      case Lies::by_rows:
        matrix_.row_stride = columns;
        break;
      case Lies::by_columns:
        matrix_.column_stride = rows;
        break;
      case Lies::padded_rows:
        matrix_.row_stride = columns + 3;
        break;
      case Lies::padded_columns:
        matrix_.column_stride = rows + 5;
        break;
      case Lies::scattered:
        matrix_.row_stride = 2;
        matrix_.column_stride = 2 * rows + 1;
        break;
    }
    // Nothing behind the last element: a sanitizer sees what is read there.
    values_.assign(kBefore + (rows - 1) * matrix_.row_stride + (columns - 1) * matrix_.column_stride + 1, mark);
    values_.shrink_to_fit();
    matrix_.data = values_.data() + kBefore;
  }
  TestMatrix(const TestMatrix&) = delete;
  TestMatrix& operator=(const TestMatrix&) = delete;

  const Matrix<T>& operator*() const noexcept { return matrix_; }
  const Matrix<T>* operator->() const noexcept { return &matrix_; }

  template <class Draw>
  void fill(Draw draw) {
    for (std::size_t i = 0; i < matrix_.rows; ++i) {
      for (std::size_t j = 0; j < matrix_.columns; ++j) matrix_(i, j) = draw();
    }
  }
  // The values with all elements replaced by the mark: nothing but marks, if only elements were written.
  template <class Same>
  bool marks_are_left(Same same) {
    std::vector<T> values = values_;
    for (std::size_t i = 0; i < matrix_.rows; ++i) {
      for (std::size_t j = 0; j < matrix_.columns; ++j) {
        values[kBefore + i * matrix_.row_stride + j * matrix_.column_stride] = mark_;
      }
    }
    for (const T& value : values) {
      if (!same(value, mark_)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kBefore = 3;  // so that nothing is aligned
  T mark_;
  std::vector<T> values_;
  Matrix<T> matrix_;
};

// An instruction set, with or without its dot products.
struct TestKernel {
  Isa isa;
  IsaSupport support;
  std::string name;

  GemmOptions options(ThreadPool* pool = nullptr, GemmWorkspace* workspace = nullptr) const {
    return {.pool = pool, .workspace = workspace, .isa = isa, .support = support};
  }
  friend void PrintTo(const TestKernel& kernel, std::ostream* out) { *out << kernel.name; }
};

// Those that the processor has and BOON_ISA does not leave out.
inline std::vector<TestKernel> test_kernels() {
  std::vector<TestKernel> kernels;
  const IsaSupport have = isa_support();
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx}) {
    if (!have.has(isa) || (!requested_isa().empty() && requested_isa() != name(isa))) continue;
    IsaSupport full = have;
    full.fast_bf16 = full.avx512_bf16;
    kernels.push_back({isa, full, std::string(name(isa))});
    if (isa == Isa::scalar || isa == Isa::amx) continue;
    IsaSupport plain = have;
    plain.avx_vnni = plain.avx512_vnni = plain.avx512_bf16 = plain.fast_bf16 = false;
    kernels.push_back({isa, plain, std::string(name(isa)) + "_plain"});
  }
  return kernels;
}

}  // namespace boon::kernels
