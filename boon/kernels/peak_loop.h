// Internal: the loop of the peak probe. A file per instruction set defines the operations, includes this inside its
// target region and names its loops.
#pragma once

#include <cstddef>
#include <string_view>

#include "boon/kernels/peak_loops.h"
#include "boon/kernels/target.h"

namespace boon::kernels {
namespace {

// Sums that do not wait for each other: enough to cover the latency of two units, few enough for 16 registers.
constexpr int kPeakSums = 12;

// Operation has Vector, kOperations (of one add) and add(sum, x, y), written as `asm volatile`: a compiler would merge
// sums that are equal and take products that do not change out of the loop.
template <class Operation>
struct RegisterLoop {
  using Vector = typename Operation::Vector;

  static void run(std::size_t turns) noexcept {
    // As fp32, bf16 and bytes: middling numbers, neither denormal nor so large that a sum ends as infinity.
    alignas(64) unsigned char bytes[64];
    for (std::size_t i = 0; i < 64; ++i) bytes[i] = static_cast<unsigned char>(0x3b + i % 4);
    const Vector x = *reinterpret_cast<const Vector*>(bytes);
    Vector sums[kPeakSums];
    for (Vector& sum : sums) sum = x;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      BOON_UNROLL(12)
      for (Vector& sum : sums) Operation::add(sum, x, x);
    }
  }

  static PeakLoop named(std::string_view instruction) noexcept {
    return {instruction, kPeakSums * Operation::kOperations, run};
  }
};

}  // namespace
}  // namespace boon::kernels
