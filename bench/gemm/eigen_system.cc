// Eigen, compiled for the very processor it runs on, as those who care build it; on one thread. A module.
#include <Eigen/Core>

#include "bench/gemm/system.h"

#ifdef __clang__
#define BOON_BENCH_COMPILER "clang++ " __clang_version__
#else
#define BOON_BENCH_COMPILER "g++ " __VERSION__
#endif

namespace boon::bench::gemm {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Input = Eigen::Map<const Matrix, Eigen::Aligned64>;
using Output = Eigen::Map<Matrix, Eigen::Aligned64>;

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

class EigenSystem : public System {
 public:
  std::string name() const override { return "Eigen"; }
  std::string details() const override {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION) + ", " + Eigen::SimdInstructionSetsInUse() +
           ", -O3 -march=native, " BOON_BENCH_COMPILER;
  }
  bool use_threads(std::size_t threads) override { return threads == 1; }
  using System::prepare;
  Product prepare(const Fp32Problem& problem) override {
    return {.run = [problem] {
      const Shape& shape = problem.shape;
      const Input a(problem.a, index(shape.a_transposed ? shape.depth : shape.rows), index(shape.a_stride()));
      const Input b(problem.b, index(shape.b_transposed ? shape.columns : shape.depth), index(shape.b_stride()));
      Output c(problem.c, index(shape.rows), index(shape.columns));
      if (shape.a_transposed && shape.b_transposed) {
        c.noalias() = a.transpose() * b.transpose();
      } else if (shape.a_transposed) {
        c.noalias() = a.transpose() * b;
      } else if (shape.b_transposed) {
        c.noalias() = a * b.transpose();
      } else {
        c.noalias() = a * b;
      }
    }};
  }
};

}  // namespace

extern "C" void boon_bench_gemm_systems(SystemList& systems) {
  systems.push_back(std::make_unique<EigenSystem>());
}

}  // namespace boon::bench::gemm
