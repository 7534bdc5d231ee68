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
#include "boon/kernels/units_avx2.h"

BOON_TARGET_BEGIN("avx2,fma")
#include "boon/kernels/gemm_pack.h"

namespace boon::kernels {
namespace {

template <class Source>
void expect_both_strips() {
  expect_packed_as_layouts_say<Source, 16>([](const auto& from, auto* to) { StripPacker<Source, 16>::pack(from, to); });
  expect_packed_as_layouts_say<Source, 6>([](const auto& from, auto* to) { StripPacker<Source, 6>::pack(from, to); });
}

}  // namespace
}  // namespace boon::kernels
BOON_TARGET_END

namespace boon::kernels {
namespace {

TEST(PackedLayout, IsWhatAvx2Packs) {
  if (!isa_support().avx2) GTEST_SKIP() << "this processor has no avx2";
  expect_both_strips<FloatSource<Units256>>();
  expect_both_strips<WideBf16Source<Units256>>();
  expect_both_strips<Bf16PairSource<Units256>>();
  expect_both_strips<WordPairSource<Units256>>();
  expect_both_strips<BytesSource<Units256, 0>>();
  expect_both_strips<BytesSource<Units256, 0x80>>();
}

}  // namespace
}  // namespace boon::kernels
