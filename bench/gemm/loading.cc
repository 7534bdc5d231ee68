#include "bench/gemm/loading.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "boon/core/error.h"

namespace boon::bench::gemm {
namespace {

// Threads of a pool that wait by spinning would take the processor from whatever is measured next. About 1 ms keeps
// them awake from one product to the next, and the measurement pauses for longer between two systems. libgomp counts
// turns of its loop, OpenBLAS takes the logarithm of clock cycles. Both read them when they are loaded.
void bound_spinning() {
  ::setenv("GOMP_SPINCOUNT", "20000", 0);
  ::setenv("OPENBLAS_THREAD_TIMEOUT", "21", 0);
}

[[noreturn]] void refuse_absent(const std::string& package) {
  throw Error(ErrorCode::unsupported,
              "its library was not there when the benchmark was built; ./dev bench gemm installs " + package);
}

// `found` is empty where CMake found none.
std::string file_of(const std::string& given, const std::string& found, const std::string& package) {
  if (given.empty() && found.empty()) refuse_absent(package);
  return given.empty() ? found : given;
}

void load_module(const std::string& file, const std::string& package, SystemList& systems) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / file;
  if (!std::filesystem::exists(path)) refuse_absent(package);
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (module == nullptr) throw Error(ErrorCode::unsupported, ::dlerror());
  auto* entry = reinterpret_cast<ModuleEntry*>(::dlsym(module, kModuleEntry));
  if (entry == nullptr) throw Error(ErrorCode::unsupported, ::dlerror());
  entry(systems);
}

}  // namespace

Loaded load_systems(const LibraryFiles& files) {
  bound_spinning();
  Loaded loaded;
  const auto attempt = [&](const char* name, const auto& load) {
    try {
      load();
    } catch (const std::exception& error) {
      loaded.missing.push_back({name, error.what()});
    }
  };
  loaded.systems.push_back(boon_system());
  attempt("OpenBLAS", [&] {
    const auto file = file_of(files.openblas, BOON_BENCH_OPENBLAS, "libopenblas-pthread-dev");
    loaded.systems.push_back(openblas_system(file));
  });
  attempt("BLIS", [&] {
    const auto file = file_of(files.blis, BOON_BENCH_BLIS, "libblis-openmp-dev");
    loaded.systems.push_back(blis_system(file));
  });
  attempt("oneDNN", [&] { load_module("boon-bench-gemm-onednn.so", "libdnnl-dev", loaded.systems); });
  attempt("Eigen", [&] { load_module("boon-bench-gemm-eigen.so", "libeigen3-dev", loaded.systems); });
  return loaded;
}

}  // namespace boon::bench::gemm
