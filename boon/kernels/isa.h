// Instruction sets: what the processor offers, and which one is used.
#pragma once

#include <string_view>

namespace boon::kernels {

enum class Isa { scalar, avx2, avx512 };

// The name that BOON_ISA knows it by.
std::string_view name(Isa isa) noexcept;

// What this processor and its operating system can run; scalar always.
struct IsaSupport {
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, VL, BW and DQ: every AVX-512 server processor since 2017, and Zen 4

  bool has(Isa isa) const noexcept;
};

IsaSupport isa_support() noexcept;

// The set that `requested`, the value of BOON_ISA, asks for; the best of `support` if it is empty.
// Throws invalid_argument for a name that is none, unsupported for one that `support` lacks.
Isa choose_isa(std::string_view requested, IsaSupport support);

// The value of BOON_ISA, empty if it is not set.
std::string_view requested_isa() noexcept;

}  // namespace boon::kernels
