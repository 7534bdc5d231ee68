// Instruction sets: what the processor offers, and which one is used.
#pragma once

#include <string_view>

namespace boon::kernels {

// amx: what avx512 has, and tiles for products of matrices.
enum class Isa { scalar, avx2, avx512, amx };

// The name that BOON_ISA knows it by.
std::string_view name(Isa isa) noexcept;

// What this processor and its operating system can run; scalar always.
struct IsaSupport {
  bool avx2 = false;    // with FMA and F16C, as x86-64-v3 has them
  bool avx512 = false;  // F, VL, BW and DQ: every AVX-512 server processor since 2017, and Zen 4

  // Parts that some processors of a set have. A kernel that gains by one also exists without it.
  bool avx_vnni = false;          // beside avx2: dot products of bytes
  bool avx512_vnni = false;       // beside avx512: the same
  bool avx512_bf16 = false;       // beside avx512: dot products of bf16
  bool avx512_vbmi = false;       // beside avx512: look-ups of bytes
  bool avx512_vpopcntdq = false;  // beside avx512: counts of bits
  // avx512_bf16 that gains: on AMD's processors it does twice the products of an fp32 multiply-add in the same time, on
  // Intel's (Sapphire Rapids, measured: vdpbf16ps every second cycle) as many as one in twice the time.
  bool fast_bf16 = false;
  bool amx_int8 = false;  // tiles of bytes, which the system lets this process use
  bool amx_bf16 = false;  // tiles of bf16, likewise

  bool has(Isa isa) const noexcept;
};

// The first call asks the system for tiles, on behalf of the whole process: a processor may have them and a virtual
// machine or a container refuse them.
IsaSupport isa_support() noexcept;

// The set that `requested`, the value of BOON_ISA, asks for; the best of `support` if it is empty.
// Throws invalid_argument for a name that is none, unsupported for one that `support` lacks.
Isa choose_isa(std::string_view requested, IsaSupport support);

// The value of BOON_ISA, empty if it is not set.
std::string_view requested_isa() noexcept;

// choose_isa() for this processor and BOON_ISA. Throws as it does.
Isa isa_in_use();

}  // namespace boon::kernels
