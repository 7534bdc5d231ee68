// Products of matrices, C = alpha * A * B + beta * C, as BLAS calls GEMM: fp32, bf16 summed in fp32, int8 summed in
// int32. Rows and columns of each of the three may lie at any strides: row-major, column-major, transposed
// (Matrix::transposed()), every second column.
//
// The loops and packing are those of BLIS (Van Zee and van de Geijn, ACM TOMS 41(3), 2015), with micro-kernels for
// AVX2, AVX-512, VNNI, AVX-512 BF16 and AMX.
//
// An element of C has the same bits whatever the number of threads, and whether it is computed in a product of all
// rows and columns of C or of some: the order of its sum depends on the depth (A's columns) and the instruction set
// alone. int8 products are exact, mod 2^32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "boon/core/buffer.h"
#include "boon/core/parallel.h"
#include "boon/kernels/bf16.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/matrix.h"

namespace boon::kernels {

// C = alpha * A * B + beta * C; with beta = 0 what C held is not read, so it may be anything, NaN too.
struct GemmScale {
  float alpha = 1;
  float beta = 0;
};

// C = A * B, or C += A * B.
struct GemmAdd {
  bool to_old = false;
};

// Memory that products pack their operands into, kept from one to the next, on huge pages from 2 MB on: for each thread
// at most 1 MB, and 2 KB for each column of the product, or each row where C is row-major, up to 3,072. One product at
// a time.
class GemmWorkspace {
 public:
  std::size_t capacity_bytes() const noexcept { return buffer_.capacity(); }
  // At least `bytes`, beginning on a cache line. Throws out_of_memory.
  std::byte* reserve(std::size_t bytes) {
    buffer_.reserve(bytes);
    return buffer_.data();
  }

 private:
  PageBuffer buffer_;
};

struct GemmOptions {
  // Shares the work, by rows or columns of C. Null: this thread does it alone.
  ThreadPool* pool = nullptr;
  // For whoever multiplies again and again: saves the allocation of each call, and some 5 % of a large product, as
  // that is not on huge pages. Null: memory of its own.
  GemmWorkspace* workspace = nullptr;
  // For tests and benchmarks: another instruction set than isa_in_use(), or one without some of its parts.
  std::optional<Isa> isa = std::nullopt;
  IsaSupport support = isa_support();
};

// A has the shape (m, k), B (k, n), C (m, n); any of m, n and k may be 0, and with k or alpha 0 the product is 0,
// whatever A and B hold. C overlaps neither A nor B, and its rows follow each other, or its columns do. Throws
// invalid_argument for shapes that don't match and for a C that lies otherwise, unsupported for an instruction set that
// the processor lacks, out_of_memory; C is unchanged then.
void gemm(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, GemmScale scale = {},
          const GemmOptions& options = {});
// Products of bf16 are exact in fp32 unless they under- or overflow; where the processor multiplies bf16 itself,
// denormals count as 0, on the way in and out.
void gemm(Matrix<const Bf16> a, Matrix<const Bf16> b, Matrix<float> c, GemmScale scale = {},
          const GemmOptions& options = {});
void gemm(Matrix<const std::int8_t> a, Matrix<const std::int8_t> b, Matrix<std::int32_t> c, GemmAdd add = {},
          const GemmOptions& options = {});

}  // namespace boon::kernels
