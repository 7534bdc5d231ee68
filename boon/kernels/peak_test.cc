#include "boon/kernels/peak.h"

#include <gtest/gtest.h>

#include <string>

#include "boon/core/error.h"

namespace boon::kernels {
namespace {

// No figure is asserted beyond what any x86-64 of the last fifteen years exceeds.
TEST(Peak, EveryInstructionSetHasOneForEachArithmetic) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx}) {
    if (!isa_support().has(isa)) continue;
    for (const Arithmetic what : {Arithmetic::fp32, Arithmetic::int8, Arithmetic::bf16}) {
      const Peak peak = measure_peak(what, isa, 0.001);
      EXPECT_GT(peak.gops, 0.1) << name(isa) << " " << name(what);
      EXPECT_FALSE(peak.instruction.empty()) << name(isa) << " " << name(what);
      RecordProperty(std::string(name(isa)) + "_" + std::string(name(what)), std::to_string(peak.gops));
    }
  }
}

TEST(Peak, ProcessorsWithoutDotProductsAreMeasuredByWhatStandsInForThem) {
  const IsaSupport skylake{.avx2 = isa_support().avx2, .avx512 = isa_support().avx512};
  if (skylake.avx2) {
    EXPECT_EQ(measure_peak(Arithmetic::int8, Isa::avx2, 0.001, skylake).instruction, "vpmaddwd, vpaddd ymm");
    EXPECT_EQ(measure_peak(Arithmetic::bf16, Isa::avx2, 0.001, skylake).instruction, "vfmadd231ps ymm");
  }
  if (skylake.avx512) {
    EXPECT_EQ(measure_peak(Arithmetic::int8, Isa::avx512, 0.001, skylake).instruction, "vpmaddwd, vpaddd zmm");
    EXPECT_EQ(measure_peak(Arithmetic::bf16, Isa::avx512, 0.001, skylake).instruction, "vfmadd231ps zmm");
  }
}

TEST(Peak, AnInstructionSetThatIsMissingIsRefused) {
  try {
    measure_peak(Arithmetic::fp32, Isa::avx512, 0.001, IsaSupport{.avx2 = true});
    FAIL() << "was measured";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

}  // namespace
}  // namespace boon::kernels
