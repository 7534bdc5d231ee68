#include "boon/kernels/isa.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "boon/core/error.h"

namespace boon::kernels {
namespace {

constexpr std::array kIsas = {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx};

constexpr bool bit(std::uint32_t word, int position) noexcept {
  return (word >> position & 1) != 0;
}

// Linux grants the 8 KiB of tile state of each thread on request only: a process that never asks gets SIGILL from its
// first tile. Threads that start later, or have started, share the grant.
bool tiles_are_granted() noexcept {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// __builtin_cpu_supports also asks XGETBV whether the operating system saves the wide registers. Of what it knows by
// no name that both compilers share, the bits are read here (leaves 1 and 7 of CPUID).
IsaSupport detect() noexcept {
  IsaSupport support{.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
                     .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")};
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  support.avx2 = support.avx2 && __get_cpuid(1, &a, &b, &c, &d) != 0 && bit(c, 29);  // F16C
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return support;
  support.avx512_vnni = support.avx512 && bit(c, 11);
  support.avx512_vbmi = support.avx512 && bit(c, 1);
  support.avx512_vpopcntdq = support.avx512 && bit(c, 14);
  const bool tiles = support.avx512 && bit(d, 24) && tiles_are_granted();
  support.amx_bf16 = tiles && bit(d, 22);
  support.amx_int8 = tiles && bit(d, 25);
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return support;
  support.avx_vnni = support.avx2 && bit(a, 4);
  support.avx512_bf16 = support.avx512 && bit(a, 5);
  support.fast_bf16 = support.avx512_bf16 && __builtin_cpu_is("amd");
  return support;
}

}  // namespace

std::string_view name(Isa isa) noexcept {
  switch (isa) {
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::amx:
      return "amx";
    case Isa::scalar:
      break;
  }
  return "scalar";
}

bool IsaSupport::has(Isa isa) const noexcept {
  switch (isa) {
    case Isa::avx2:
      return avx2;
    case Isa::avx512:
      return avx512;
    case Isa::amx:
      return avx512 && amx_int8 && amx_bf16;
    case Isa::scalar:
      break;
  }
  return true;
}

IsaSupport isa_support() noexcept {
  static const IsaSupport kSupport = detect();
  return kSupport;
}

Isa choose_isa(std::string_view requested, IsaSupport support) {
  if (requested.empty()) {
    Isa best = Isa::scalar;
    for (const Isa isa : kIsas) {
      if (support.has(isa)) best = isa;
    }
    return best;
  }
  for (const Isa isa : kIsas) {
    if (name(isa) != requested) continue;
    if (support.has(isa)) return isa;
    throw Error(ErrorCode::unsupported,
                "BOON_ISA=" + std::string(requested) + ": this processor does not have it" +
                    (isa == Isa::amx ? ", or the system does not let this process use it" : ""));
  }
  throw Error(ErrorCode::invalid_argument,
              "BOON_ISA=" + std::string(requested) + " is no instruction set; use scalar, avx2, avx512 or amx");
}

std::string_view requested_isa() noexcept {
  const char* value = std::getenv("BOON_ISA");
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

Isa isa_in_use() {
  static const Isa kChosen = choose_isa(requested_isa(), isa_support());
  return kChosen;
}

}  // namespace boon::kernels
