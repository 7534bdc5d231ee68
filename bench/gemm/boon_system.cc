// boon as its callers use it.
#include <fmt/format.h>

#include "bench/gemm/system.h"
#include "boon/core/parallel.h"
#include "boon/kernels/gemm.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/matrix.h"

namespace boon::bench::gemm {
namespace {

template <class T>
kernels::Matrix<T> matrix(T* data, std::size_t rows, std::size_t columns, bool transposed) {
  return transposed ? kernels::row_major(data, columns, rows).transposed() : kernels::row_major(data, rows, columns);
}

class Boon : public System {
 public:
  std::string name() const override { return kOurName; }
  std::string details() const override {
    return fmt::format("{}, {}", BOON_VERSION, kernels::name(kernels::isa_in_use()));
  }
  bool use_threads(std::size_t threads) override {
    pool_ = threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr;
    options_.pool = pool_.get();
    options_.workspace = &workspace_;
    return true;
  }
  Product prepare(const Fp32Problem& problem) override { return prepared(problem); }
  Product prepare(const Int8Problem& problem) override { return prepared(problem); }
  Product prepare(const Bf16Problem& problem) override { return prepared(problem); }

 private:
  template <class Element, class Sum>
  Product prepared(const Problem<Element, Sum>& problem) const {
    const Shape& shape = problem.shape;
    return {.run = [a = matrix(problem.a, shape.rows, shape.depth, shape.a_transposed),
                    b = matrix(problem.b, shape.depth, shape.columns, shape.b_transposed),
                    c = kernels::row_major(problem.c, shape.rows, shape.columns),
                    options = options_] { kernels::gemm(a, b, c, {}, options); }};
  }

  std::unique_ptr<ThreadPool> pool_;
  kernels::GemmWorkspace workspace_;  // as a program keeps it that multiplies again and again
  kernels::GemmOptions options_;
};

}  // namespace

std::unique_ptr<System> boon_system() {
  return std::make_unique<Boon>();
}

}  // namespace boon::bench::gemm
