#include "boon/kernels/gemm.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "boon/core/error.h"
#include "boon/kernels/gemm_tables.h"

namespace boon::kernels {
namespace {

const Fp32Gemm& fp32_kernel(Isa isa, IsaSupport /*support*/) noexcept {
  switch (isa) {
    case Isa::avx2:
      return kAvx2Fp32Gemm;
    case Isa::avx512:
    case Isa::amx:
      return kAvx512Fp32Gemm;
    case Isa::scalar:
      break;
  }
  return kScalarFp32Gemm;
}

const Bf16Gemm& bf16_kernel(Isa isa, IsaSupport support) noexcept {
  switch (isa) {
    case Isa::avx2:
      return kAvx2Bf16Gemm;
    case Isa::avx512:
      return support.fast_bf16 ? kAvx512DotBf16Gemm : kAvx512Bf16Gemm;
    case Isa::amx:
      return kAmxBf16Gemm;
    case Isa::scalar:
      break;
  }
  return kScalarBf16Gemm;
}

const Int8Gemm& int8_kernel(Isa isa, IsaSupport support) noexcept {
  switch (isa) {
    case Isa::avx2:
      return support.avx_vnni ? kAvxVnniInt8Gemm : kAvx2Int8Gemm;
    case Isa::avx512:
      return support.avx512_vnni ? kAvx512VnniInt8Gemm : kAvx512Int8Gemm;
    case Isa::amx:
      return kAmxInt8Gemm;
    case Isa::scalar:
      break;
  }
  return kScalarInt8Gemm;
}

template <class T>
std::string shape_of(std::string_view name, const Matrix<T>& m) {
  return std::string(name) + " is " + std::to_string(m.rows) + " x " + std::to_string(m.columns);
}

// Whether no two elements share a place: rows follow each other, or columns do.
template <class T>
bool is_apart(const Matrix<T>& m) noexcept {
  const auto follow = [](std::size_t inner, std::size_t inner_stride, std::size_t outer, std::size_t outer_stride) {
    return (inner <= 1 || inner_stride > 0) && (outer <= 1 || outer_stride > (inner - 1) * inner_stride);
  };
  return m.rows == 0 || m.columns == 0 || follow(m.columns, m.column_stride, m.rows, m.row_stride) ||
         follow(m.rows, m.row_stride, m.columns, m.column_stride);
}

template <class T, class Sum>
void check(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<Sum>& c) {
  if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns) {
    throw Error(ErrorCode::invalid_argument, "no product: " + shape_of("A", a) + ", " + shape_of("B", b) + " and " +
                                                 shape_of("C", c) + "; they must be m x k, k x n and m x n");
  }
  if (!is_apart(c)) {
    throw Error(ErrorCode::invalid_argument, "neither rows nor columns of C follow each other: it is " +
                                                 std::to_string(c.rows) + " x " + std::to_string(c.columns) +
                                                 " with a row stride of " + std::to_string(c.row_stride) +
                                                 " and a column stride of " + std::to_string(c.column_stride));
  }
}

// A product's own workspace.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes, kLine, std::nothrow))) {
    if (data_ == nullptr) {
      throw Error(ErrorCode::out_of_memory,
                  "no memory for the workspace of a product of matrices, " + std::to_string(bytes) + " bytes");
    }
  }
  std::byte* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(std::byte* data) const noexcept { ::operator delete(data, kLine); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

bool changes_nothing(GemmScale scale) noexcept {
  return scale.beta == 1;
}
bool changes_nothing(GemmAdd add) noexcept {
  return add.to_old;
}
void scale_old(float& c, GemmScale scale) noexcept {
  c = scale.beta == 0 ? 0 : scale.beta * c;
}
void scale_old(std::int32_t& c, GemmAdd /*add*/) noexcept {
  c = 0;
}

// The update by a product that is 0.
template <class Sum, class Update>
void add_nothing(const Matrix<Sum>& c, Update update) noexcept {
  if (changes_nothing(update)) return;
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) scale_old(c(i, j), update);
  }
}

// A thread that waits awake (core/parallel.cc) takes over within a microsecond, a tenth of what these take one thread.
// One that sleeps may come too late, which cost a sixth at most: the caller then does all pieces itself.
constexpr double kProductsAThread = 1 << 20;

// Rows of C are contiguous, if its rows or its columns are, and its longer side is shared out.
template <class T, class Sum, class Update>
void multiply(const GemmKernel<T, Sum, Update>& kernel, Matrix<const T> a, Matrix<const T> b, Matrix<Sum> c,
              Update update, const GemmOptions& options) {
  ThreadPool* const pool = options.pool;
  const double products = static_cast<double>(c.rows) * static_cast<double>(c.columns) * static_cast<double>(a.columns);
  const std::size_t threads =
      pool == nullptr ? 1
                      : std::min(pool->size(), static_cast<std::size_t>(std::max(products / kProductsAThread, 1.0)));
  const bool by_rows = c.rows >= c.columns;
  const std::size_t tile = by_rows ? kernel.rows_a_tile : kernel.columns_a_tile;
  const std::size_t length = by_rows ? c.rows : c.columns;
  const std::size_t tiles = (length + tile - 1) / tile;
  const std::size_t piece = (tiles + threads - 1) / threads * tile;
  const std::size_t pieces = (length + piece - 1) / piece;

  const auto bytes_of = [&](std::size_t count) {
    return by_rows ? kernel.workspace_bytes(count, c.columns, a.columns)
                   : kernel.workspace_bytes(c.rows, count, a.columns);
  };
  // The last piece may be shorter and yet need more: 150 rows are two blocks of 80, and 144 are one.
  const std::size_t bytes = std::max(bytes_of(std::min(piece, length)), bytes_of(length - (pieces - 1) * piece));
  std::optional<Memory> own;
  if (options.workspace == nullptr) own.emplace(bytes * pieces);
  std::byte* const workspace = own ? own->data() : options.workspace->reserve(bytes * pieces);
  const auto multiply_piece = [&](std::size_t i, std::size_t /*worker*/) {
    const std::size_t begin = i * piece, count = std::min(piece, length - begin);
    std::byte* space = workspace + i * bytes;
    if (by_rows) {
      kernel.run(a.block(begin, 0, count, a.columns), b, c.block(begin, 0, count, c.columns), update, space);
    } else {
      kernel.run(a, b.block(0, begin, b.rows, count), c.block(0, begin, c.rows, count), update, space);
    }
  };
  if (pieces == 1) {
    multiply_piece(0, 0);
  } else {
    pool->for_each(pieces, 1, multiply_piece);
  }
}

template <class T, class Sum, class Update>
void run(const GemmKernel<T, Sum, Update>& kernel, Matrix<const T> a, Matrix<const T> b, Matrix<Sum> c, Update update,
         bool is_zero, const GemmOptions& options) {
  check(a, b, c);
  if (c.rows == 0 || c.columns == 0) return;
  if (is_zero || a.columns == 0) return add_nothing(c, update);
  // Kernels write C by rows: of a row-major C they see the transpose, C' = B' * A'.
  const bool transpose = c.row_stride != 1 && c.column_stride == 1;
  if (transpose) {
    multiply(kernel, b.transposed(), a.transposed(), c.transposed(), update, options);
  } else {
    multiply(kernel, a, b, c, update, options);
  }
}

Isa isa_of(const GemmOptions& options) {
  if (!options.isa) return isa_in_use();
  if (options.support.has(*options.isa)) return *options.isa;
  throw Error(ErrorCode::unsupported, "no product by " + std::string(name(*options.isa)) + ": this processor lacks it");
}

}  // namespace

void gemm(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, GemmScale scale, const GemmOptions& options) {
  run(fp32_kernel(isa_of(options), options.support), a, b, c, scale, scale.alpha == 0, options);
}

void gemm(Matrix<const Bf16> a, Matrix<const Bf16> b, Matrix<float> c, GemmScale scale, const GemmOptions& options) {
  run(bf16_kernel(isa_of(options), options.support), a, b, c, scale, scale.alpha == 0, options);
}

void gemm(Matrix<const std::int8_t> a, Matrix<const std::int8_t> b, Matrix<std::int32_t> c, GemmAdd add,
          const GemmOptions& options) {
  run(int8_kernel(isa_of(options), options.support), a, b, c, add, false, options);
}

}  // namespace boon::kernels
