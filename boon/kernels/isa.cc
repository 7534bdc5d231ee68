#include "boon/kernels/isa.h"

#include <cstdlib>
#include <string>

#include "boon/core/error.h"

namespace boon::kernels {

std::string_view name(Isa isa) noexcept {
  switch (isa) {
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
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
    case Isa::scalar:
      break;
  }
  return true;
}

// __builtin_cpu_supports also asks XGETBV whether the operating system saves the wide registers.
IsaSupport isa_support() noexcept {
  return {.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
          .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")};
}

Isa choose_isa(std::string_view requested, IsaSupport support) {
  if (requested.empty()) {
    if (support.avx512) return Isa::avx512;
    return support.avx2 ? Isa::avx2 : Isa::scalar;
  }
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    if (name(isa) != requested) continue;
    if (support.has(isa)) return isa;
    throw Error(ErrorCode::unsupported, "BOON_ISA=" + std::string(requested) + ": this processor does not have it");
  }
  throw Error(ErrorCode::invalid_argument,
              "BOON_ISA=" + std::string(requested) + " is no instruction set; use scalar, avx2 or avx512");
}

std::string_view requested_isa() noexcept {
  const char* value = std::getenv("BOON_ISA");
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace boon::kernels
