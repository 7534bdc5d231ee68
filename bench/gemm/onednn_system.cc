// oneDNN in both forms that it has: the calls that are named as BLAS names them, and the matmul primitive, which is
// made once for a shape. A module.
#include <oneapi/dnnl/dnnl.hpp>

#include "bench/gemm/system.h"

// Of the OpenMP that the library itself is linked to; another compiler's omp.h would bring its own.
extern "C" void omp_set_num_threads(int threads);

namespace boon::bench::gemm {
namespace {

using dnnl::memory;

std::string version() {
  const dnnl_version_t& version = *dnnl_version();
  const char* runtime = version.cpu_runtime == DNNL_RUNTIME_OMP ? "OpenMP" : "not OpenMP";
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch) +
         " (" + runtime + ")";
}

// The library's threads are those of OpenMP.
class OneDnn : public System {
 public:
  std::string details() const override { return version(); }
  bool use_threads(std::size_t threads) override {
    if (threads > 1 && dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP) return false;
    omp_set_num_threads(static_cast<int>(threads));
    return true;
  }
  using System::prepare;
};

class Calls : public OneDnn {
 public:
  std::string name() const override { return "oneDNN gemm"; }
  using OneDnn::prepare;
  Product prepare(const Fp32Problem& problem) override {
    return {.run = [problem, call = Call(problem.shape)] {
      dnnl_sgemm(call.a, call.b, call.m, call.n, call.k, 1, problem.a, call.lda, problem.b, call.ldb, 0, problem.c,
                 call.ldc);
    }};
  }
  Product prepare(const Int8Problem& problem) override {
    return {.run = [problem, call = Call(problem.shape)] {
      const std::int32_t no_offset = 0;
      dnnl_gemm_s8s8s32(call.a, call.b, 'F', call.m, call.n, call.k, 1, problem.a, call.lda, 0, problem.b, call.ldb, 0,
                        0, problem.c, call.ldc, &no_offset);
    }};
  }

 private:
  // A shape in the terms of BLAS.
  struct Call {
    explicit Call(const Shape& shape)
        : a(shape.a_transposed ? 'T' : 'N'),
          b(shape.b_transposed ? 'T' : 'N'),
          m(static_cast<dnnl_dim_t>(shape.rows)),
          n(static_cast<dnnl_dim_t>(shape.columns)),
          k(static_cast<dnnl_dim_t>(shape.depth)),
          lda(static_cast<dnnl_dim_t>(shape.a_stride())),
          ldb(static_cast<dnnl_dim_t>(shape.b_stride())),
          ldc(static_cast<dnnl_dim_t>(shape.c_stride())) {}
    char a, b;
    dnnl_dim_t m, n, k, lda, ldb, ldc;
  };
};

template <class Element>
constexpr memory::data_type kType = memory::data_type::f32;
template <>
constexpr memory::data_type kType<std::int8_t> = memory::data_type::s8;
template <>
constexpr memory::data_type kType<std::int32_t> = memory::data_type::s32;
template <>
constexpr memory::data_type kType<kernels::Bf16> = memory::data_type::bf16;

template <class Element>
memory::desc describe(std::size_t rows, std::size_t columns, std::size_t stride, bool transposed) {
  const auto gap = static_cast<memory::dim>(stride);
  return {{static_cast<memory::dim>(rows), static_cast<memory::dim>(columns)},
          kType<Element>,
          transposed ? memory::dims{1, gap} : memory::dims{gap, 1}};
}

dnnl::matmul::primitive_desc plan(const dnnl::engine& engine, const memory::desc& a, const memory::desc& b,
                                  const memory::desc& c) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a, b, c, dnnl::primitive_attr(), true};
#else
  return {dnnl::matmul::desc(a, b, c), engine, true};
#endif
}

class Matmul : public OneDnn {
 public:
  Matmul() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}
  std::string name() const override { return "oneDNN matmul"; }
  Product prepare(const Fp32Problem& problem) override { return prepared(problem); }
  Product prepare(const Int8Problem& problem) override { return prepared(problem); }
  Product prepare(const Bf16Problem& problem) override { return prepared(problem); }

 private:
  template <class Element, class Sum>
  Product prepared(const Problem<Element, Sum>& problem) {
    const Shape& shape = problem.shape;
    const auto a = describe<Element>(shape.rows, shape.depth, shape.a_stride(), shape.a_transposed);
    const auto b = describe<Element>(shape.depth, shape.columns, shape.b_stride(), shape.b_transposed);
    const auto c = describe<Sum>(shape.rows, shape.columns, shape.c_stride(), false);
    const auto planned = plan(engine_, a, b, c);
    // What the library calls ref is there to be right and takes minutes.
    if (!planned || std::string(planned.impl_info_str()).starts_with("ref")) return {};
    // The library reads A and B alone, but its type for memory doesn't say so.
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, memory(a, engine_, const_cast<Element*>(problem.a))},
                                              {DNNL_ARG_WEIGHTS, memory(b, engine_, const_cast<Element*>(problem.b))},
                                              {DNNL_ARG_DST, memory(c, engine_, problem.c)}};
    return {.run =
                [this, primitive = dnnl::matmul(planned), arguments = std::move(arguments)] {
                  primitive.execute(stream_, arguments);
                  stream_.wait();
                },
            .kernel = planned.impl_info_str()};
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
};

}  // namespace

extern "C" void boon_bench_gemm_systems(SystemList& systems) {
  systems.push_back(std::make_unique<Calls>());
  systems.push_back(std::make_unique<Matmul>());
}

}  // namespace boon::bench::gemm
