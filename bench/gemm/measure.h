// Computes one product with each system, by turns in one process, beside the peak of the processor.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gemm/system.h"
#include "boon/kernels/peak.h"

namespace boon::bench::gemm {

struct MeasureOptions {
  std::vector<std::size_t> threads = {1};
  std::size_t turns = 31;  // of each system; more where neighbours disturb the machine
  double turn_ms = 2;      // of a turn, at least; a turn has one product or more
  // Time products on one thread by its processor time.
  bool processor_time = false;
};

// What a system made of a product.
struct SystemFigures {
  std::string name;
  std::string kernel;           // as Product has it
  std::string fault;            // what is wrong with its answer, which is then not timed; empty if nothing
  std::vector<double> seconds;  // of one product, a turn; empty: the system doesn't have it, or not on so many threads
};

struct CaseFigures {
  kernels::Arithmetic what = kernels::Arithmetic::fp32;
  Shape shape;
  std::size_t threads = 1;
  std::string peak_instruction = {};
  std::vector<double> peak_gops = {};  // of all threads together, a turn
  std::vector<SystemFigures> systems = {};
};

// False asks to stop.
using KeepOn = std::function<bool()>;

// One a number of threads. Throws cancelled once keep_on() is false.
std::vector<CaseFigures> measure(kernels::Arithmetic what, const Shape& shape, const SystemList& systems,
                                 const MeasureOptions& options, const KeepOn& keep_on);

}  // namespace boon::bench::gemm
