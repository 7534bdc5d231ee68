// OpenBLAS and BLIS, each a shared library that is opened by its file. Both export cblas_sgemm: each file's symbols
// stay its own (RTLD_LOCAL), and it finds its own before all others (RTLD_DEEPBIND).
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "bench/gemm/system.h"
#include "boon/core/error.h"
#include "boon/kernels/isa.h"

namespace boon::bench::gemm {
namespace {

// As cblas.h has them; both libraries are built for indices of 32 bits.
constexpr int kRowMajor = 101;
constexpr int kAsItIs = 111;
constexpr int kTransposed = 112;
template <class Element>
using CblasGemm = void(int order, int a_transposed, int b_transposed, int rows, int columns, int depth, float alpha,
                       const Element* a, int a_stride, const Element* b, int b_stride, float beta, float* c,
                       int c_stride);

class Library {
 public:
  explicit Library(const std::string& file) : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
    if (handle_ == nullptr) throw Error(ErrorCode::unsupported, ::dlerror());
    file_ = file;
  }

  // Null if the library lacks it.
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, symbol));
  }
  template <class Function>
  Function* get(const char* symbol) const {
    if (auto* function = find<Function>(symbol)) return function;
    throw Error(ErrorCode::unsupported, fmt::format("{} has no {}", file_, symbol));
  }
  // Only before its first product: its threads may live as long as the process.
  void close() { ::dlclose(handle_); }

 private:
  void* handle_;
  std::string file_;
};

// Where a function really is: proof that two libraries didn't end up as one.
std::string file_of(const void* function) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 ? info.dli_fname : "unknown file";
}

class Blas : public System {
 public:
  Blas(const Library& library, std::string name, std::string version, std::function<void(std::size_t)> set_threads)
      : name_(std::move(name)),
        sgemm_(library.get<CblasGemm<float>>("cblas_sgemm")),
        sbgemm_(library.find<CblasGemm<kernels::Bf16>>("cblas_sbgemm")),
        set_threads_(std::move(set_threads)) {
    details_ = version + ", " + file_of(reinterpret_cast<const void*>(sgemm_));
  }

  std::string name() const override { return name_; }
  std::string details() const override { return details_; }
  bool use_threads(std::size_t threads) override {
    set_threads_(threads);
    return true;
  }
  using System::prepare;
  Product prepare(const Fp32Problem& problem) override { return prepared(sgemm_, problem); }
  Product prepare(const Bf16Problem& problem) override {
    return sbgemm_ == nullptr ? Product{} : prepared(sbgemm_, problem);
  }

 private:
  template <class Element>
  static Product prepared(CblasGemm<Element>* gemm, const Problem<Element, float>& problem) {
    return {.run = [gemm, problem] {
      const Shape& shape = problem.shape;
      gemm(kRowMajor, shape.a_transposed ? kTransposed : kAsItIs, shape.b_transposed ? kTransposed : kAsItIs,
           static_cast<int>(shape.rows), static_cast<int>(shape.columns), static_cast<int>(shape.depth), 1, problem.a,
           static_cast<int>(shape.a_stride()), problem.b, static_cast<int>(shape.b_stride()), 0, problem.c,
           static_cast<int>(shape.c_stride()));
    }};
  }

  std::string name_;
  std::string details_;
  CblasGemm<float>* sgemm_;
  CblasGemm<kernels::Bf16>* sbgemm_;
  std::function<void(std::size_t)> set_threads_;
};

}  // namespace

std::unique_ptr<System> openblas_system(const std::string& file) {
  Library library(file);
  // A version knows processors by their numbers and gives one that came later its oldest kernels. The variable is read
  // when the library is loaded.
  const bool knows_processor = library.get<char*()>("openblas_get_corename")() != std::string_view("Prescott");
  const auto support = kernels::isa_support();
  if (!knows_processor && support.avx2) {
    ::setenv("OPENBLAS_CORETYPE", support.avx512 ? "SkylakeX" : "Haswell", 0);
    library.close();
    library = Library(file);
  }
  auto* config = library.get<char*()>("openblas_get_config");
  auto* set_threads = library.get<void(int)>("openblas_set_num_threads");
  return std::make_unique<Blas>(library, "OpenBLAS", config(),
                                [set_threads](std::size_t threads) { set_threads(static_cast<int>(threads)); });
}

std::unique_ptr<System> blis_system(const std::string& file) {
  const Library library(file);
  auto* name_of_kernels = library.get<const char*(int)>("bli_arch_string");
  // It counts a processor's AVX-512 units by its full name, which virtual machines hide, and does without if it can't.
  // The variable takes a number.
  if (kernels::isa_support().avx512) {
    int kernels = 0;
    const auto is = [&](std::string_view name) { return name_of_kernels(kernels) == name; };
    while (!is("skx") && !is("generic")) ++kernels;
    if (is("skx")) ::setenv("BLIS_ARCH_TYPE", fmt::format("{}", kernels).c_str(), 0);
  }
  library.get<void()>("bli_init")();  // reads it
  auto* version = library.get<const char*()>("bli_info_get_version_str");
  auto* kernels = library.get<int()>("bli_arch_query_id");
  auto* set_threads = library.get<void(std::int64_t)>("bli_thread_set_num_threads");
  return std::make_unique<Blas>(
      library, "BLIS", fmt::format("{} {}", version(), name_of_kernels(kernels())),
      [set_threads](std::size_t threads) { set_threads(static_cast<std::int64_t>(threads)); });
}

}  // namespace boon::bench::gemm
