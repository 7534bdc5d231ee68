#ifndef __clang__
// g++ 12 warns of its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boon/kernels/gemm_layout.h"
#include "boon/kernels/gemm_pack_testing.h"
#include "boon/kernels/isa.h"
#include "boon/kernels/matrix.h"
#include "boon/kernels/target.h"
#include "boon/kernels/units_avx512.h"
#include "boon/layout/layout.h"

BOON_TARGET_BEGIN("avx512f,avx512vl,avx512bw,avx512dq")
#include "boon/kernels/gemm_pack.h"

namespace boon::kernels {
namespace {

template <class Source>
void expect_both_strips() {
  expect_packed_as_layouts_say<Source, 32>([](const auto& from, auto* to) { StripPacker<Source, 32>::pack(from, to); });
  expect_packed_as_layouts_say<Source, 12>([](const auto& from, auto* to) { StripPacker<Source, 12>::pack(from, to); });
}

}  // namespace
}  // namespace boon::kernels
BOON_TARGET_END

namespace boon::kernels {
namespace {

TEST(PackedLayout, AStripIsItsUnitRepeated) {
  using layout::Layout;
  EXPECT_EQ(packed_strip(12, 4, 7), Layout({12, {4, 7}}, {4, {1, 48}}));
  EXPECT_EQ(packed_strip(32, 64, 3), Layout({32, {64, 3}}, {64, {1, 2048}}));
  const Layout unit = kPackedUnit<12, 4>;
  const Layout strip = packed_strip(12, 4, 7);
  for (std::int64_t i = 0; i < 12; ++i) {
    for (std::int64_t k = 0; k < 28; ++k) EXPECT_EQ(strip(i, k), unit(i, k % 4) + k / 4 * layout::cosize(unit));
  }
}

TEST(PackedLayout, IsWhatAvx512Packs) {
  if (!isa_support().avx512) GTEST_SKIP() << "this processor has no avx512";
  expect_both_strips<FloatSource<Units512>>();
  expect_both_strips<WideBf16Source<Units512>>();
  expect_both_strips<Bf16PairSource<Units512>>();
  expect_both_strips<WordPairSource<Units512>>();
  expect_both_strips<BytesSource<Units512, 0>>();
  expect_both_strips<BytesSource<Units512, 0x80>>();
}

}  // namespace
}  // namespace boon::kernels
