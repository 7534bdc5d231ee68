// For tests: included in a test binary, it ends the program with code 77, which CTest shows as "skipped", when
// BOON_ISA names an instruction set that this processor lacks. A wrong name is left for the tests to fail on.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "boon/core/error.h"
#include "boon/kernels/isa.h"

namespace boon::kernels {

inline bool skip_if_isa_is_missing(std::string_view requested, IsaSupport support) {
  try {
    choose_isa(requested, support);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) {
      std::fprintf(stderr, "skipped: %s\n", error.what());
      _exit(77);
    }
  }
  return true;
}

// Initialised before main, so no test has begun.
inline const bool kIsaIsPresent = skip_if_isa_is_missing(requested_isa(), isa_support());

}  // namespace boon::kernels
