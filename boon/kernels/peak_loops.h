// Internal: the loops that peak.cc chooses from. Only one that the processor can run may be called.
#pragma once

#include <cstddef>
#include <string_view>

#include "boon/kernels/isa.h"
#include "boon/kernels/peak.h"

namespace boon::kernels {

struct PeakLoop {
  std::string_view instruction;
  double operations_a_turn = 0;
  void (*run)(std::size_t turns) noexcept = nullptr;
};

PeakLoop peak_loop_scalar(Arithmetic what) noexcept;
PeakLoop peak_loop_avx2(Arithmetic what, IsaSupport support) noexcept;
PeakLoop peak_loop_avx512(Arithmetic what, IsaSupport support) noexcept;
PeakLoop peak_loop_amx(Arithmetic what, IsaSupport support) noexcept;

}  // namespace boon::kernels
