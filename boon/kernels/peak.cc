#include "boon/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "boon/core/error.h"
#include "boon/kernels/peak_loops.h"

namespace boon::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// Short enough to run undisturbed between two interrupts, long enough that the clock's own time is nothing.
constexpr double kSecondsALoop = 0.0005;

PeakLoop loop_of(Arithmetic what, Isa isa, IsaSupport support) noexcept {
  switch (isa) {
    case Isa::avx2:
      return peak_loop_avx2(what, support);
    case Isa::avx512:
      return peak_loop_avx512(what, support);
    case Isa::amx:
      return peak_loop_amx(what, support);
    case Isa::scalar:
      break;
  }
  return peak_loop_scalar(what);
}

double seconds_of(const PeakLoop& loop, std::size_t turns) noexcept {
  const auto start = Clock::now();
  loop.run(turns);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::string_view name(Arithmetic what) noexcept {
  switch (what) {
    case Arithmetic::int8:
      return "int8";
    case Arithmetic::bf16:
      return "bf16";
    case Arithmetic::fp32:
      break;
  }
  return "fp32";
}

Peak measure_peak(Arithmetic what, Isa isa, double seconds, IsaSupport support) {
  if (!support.has(isa)) {
    throw Error(ErrorCode::unsupported, "no peak to measure: this processor has no " + std::string(name(isa)));
  }
  const PeakLoop loop = loop_of(what, isa, support);
  std::size_t turns = 1000;
  while (seconds_of(loop, turns) < kSecondsALoop) turns *= 2;
  double best = seconds_of(loop, turns);
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    best = std::min(best, seconds_of(loop, turns));
  }
  return {.gops = static_cast<double>(turns) * loop.operations_a_turn / best * 1e-9, .instruction = loop.instruction};
}

}  // namespace boon::kernels
