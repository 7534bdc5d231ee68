// The peak of one thread: how many operations a second registers alone allow, with no memory in the way. What a product
// of matrices reaches is told as a share of it, measured in the same run, as clocks and neighbours change.
#pragma once

#include <string_view>

#include "boon/kernels/isa.h"

namespace boon::kernels {

// What is multiplied: fp32, or pairs of bytes and of bf16 that are summed to 32 bits.
enum class Arithmetic { fp32, int8, bf16 };

std::string_view name(Arithmetic what) noexcept;

struct Peak {
  double gops = 0;               // 1e9 operations a second; a multiplication and its addition count as two
  std::string_view instruction;  // by which
};

// The best of short loops over `seconds`, by the fastest instruction that `isa` and `support` have; where there is none
// for `what`, by those that stand in for it. Throws unsupported unless support.has(isa).
Peak measure_peak(Arithmetic what, Isa isa, double seconds = 0.02, IsaSupport support = isa_support());

}  // namespace boon::kernels
