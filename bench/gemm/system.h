// What the benchmark asks of boon and of each peer. No type of any of them appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/gemm/shape.h"
#include "boon/kernels/bf16.h"

namespace boon::bench::gemm {

// C = A * B over memory of the caller, which outlives the product and starts at multiples of 64 bytes.
template <class Element, class Sum>
struct Problem {
  Shape shape;
  const Element* a = nullptr;
  const Element* b = nullptr;
  Sum* c = nullptr;
};
using Fp32Problem = Problem<float, float>;
using Int8Problem = Problem<std::int8_t, std::int32_t>;
using Bf16Problem = Problem<kernels::Bf16, float>;

// A product that is ready to be computed, as often as one likes.
struct Product {
  std::function<void()> run;  // empty: the system doesn't have it
  std::string kernel = {};    // by which the system computes it, where it tells
};

// A library that multiplies matrices. It overrides prepare() for what it has: all that a user would make once and keep
// (a primitive, its memory) is made there.
class System {
 public:
  virtual ~System() = default;
  virtual std::string name() const = 0;
  virtual std::string details() const = 0;  // version, kernels it chose, how it was compiled
  // For products that are prepared from here on, and none before; false if the system can't.
  virtual bool use_threads(std::size_t threads) = 0;
  virtual Product prepare(const Fp32Problem&) { return {}; }
  virtual Product prepare(const Int8Problem&) { return {}; }
  virtual Product prepare(const Bf16Problem&) { return {}; }
};

using SystemList = std::vector<std::unique_ptr<System>>;

// The name of boon_system().
inline constexpr const char* kOurName = "boon";

std::unique_ptr<System> boon_system();

// OpenBLAS and BLIS out of shared libraries that the program itself is not linked to. Throw unsupported.
std::unique_ptr<System> openblas_system(const std::string& file);
std::unique_ptr<System> blis_system(const std::string& file);

// A peer that is compiled with its own flags is a shared library of ours that defines this function.
inline constexpr const char* kModuleEntry = "boon_bench_gemm_systems";
using ModuleEntry = void(SystemList& systems);

}  // namespace boon::bench::gemm
