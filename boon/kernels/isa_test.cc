#include "boon/kernels/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "boon/core/error.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/isa_skip.h"

namespace boon::kernels {
namespace {

constexpr IsaSupport kOld{};
constexpr IsaSupport kHaswell{.avx2 = true};
constexpr IsaSupport kServer{.avx2 = true, .avx512 = true};
constexpr IsaSupport kTiles{.avx2 = true, .avx512 = true, .amx_int8 = true, .amx_bf16 = true};

ErrorCode refusal(std::string_view requested, IsaSupport support) {
  try {
    choose_isa(requested, support);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << requested << " was accepted";
  return ErrorCode::internal;
}

TEST(Isa, TheBestIsChosenWhenNoneIsNamed) {
  EXPECT_EQ(choose_isa("", kOld), Isa::scalar);
  EXPECT_EQ(choose_isa("", kHaswell), Isa::avx2);
  EXPECT_EQ(choose_isa("", kServer), Isa::avx512);
  EXPECT_EQ(choose_isa("", kTiles), Isa::amx);
}

TEST(Isa, AmxTakesTilesOfBothKindsAndAvx512) {
  EXPECT_EQ(choose_isa("", {.avx2 = true, .avx512 = true, .amx_bf16 = true}), Isa::avx512);
  EXPECT_EQ(choose_isa("", {.avx2 = true, .avx512 = true, .amx_int8 = true}), Isa::avx512);
  EXPECT_EQ(choose_isa("", {.avx2 = true, .amx_int8 = true, .amx_bf16 = true}), Isa::avx2);
}

TEST(Isa, TheNamedOneIsChosen) {
  EXPECT_EQ(choose_isa("scalar", kServer), Isa::scalar);
  EXPECT_EQ(choose_isa("avx2", kServer), Isa::avx2);
  EXPECT_EQ(choose_isa("avx512", kServer), Isa::avx512);
  EXPECT_EQ(choose_isa("avx512", kTiles), Isa::avx512);
  EXPECT_EQ(choose_isa("amx", kTiles), Isa::amx);
}

TEST(Isa, OneThatTheProcessorLacksIsUnsupported) {
  EXPECT_EQ(refusal("amx", kServer), ErrorCode::unsupported);
  EXPECT_EQ(refusal("avx512", kHaswell), ErrorCode::unsupported);
  EXPECT_EQ(refusal("avx2", kOld), ErrorCode::unsupported);
}

TEST(Isa, AnUnknownNameIsRefusedAndTheRightOnesAreNamed) {
  for (const char* unknown : {"sse9", "AVX2", " avx2", "avx", "avx5122"}) {
    EXPECT_EQ(refusal(unknown, kServer), ErrorCode::invalid_argument) << unknown;
  }
  try {
    choose_isa("sse9", kServer);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "BOON_ISA=sse9 is no instruction set; use scalar, avx2, avx512 or amx");
  }
}

TEST(Isa, NamesAreThoseThatBoonIsaTakes) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx}) {
    EXPECT_EQ(choose_isa(name(isa), kTiles), isa);
  }
}

TEST(Isa, TheTableInUseIsTheOneAskedFor) {
  const Isa expected = choose_isa(requested_isa(), isa_support());
  EXPECT_EQ(isa_in_use(), expected);
  const Isa of_distances = expected == Isa::amx ? Isa::avx512 : expected;
  EXPECT_EQ(distances().isa, of_distances);
  EXPECT_EQ(distances().name, name(of_distances));
  EXPECT_EQ(&distances(), distances(expected));
}

TEST(Isa, PartsComeWithTheirSet) {
  const IsaSupport here = isa_support();
  EXPECT_LE(here.avx_vnni, here.avx2);
  EXPECT_LE(here.avx512_vnni, here.avx512);
  EXPECT_LE(here.avx512_bf16, here.avx512);
  EXPECT_LE(here.fast_bf16, here.avx512_bf16);
  EXPECT_LE(here.amx_int8, here.avx512);
  EXPECT_LE(here.amx_bf16, here.avx512);
}

TEST(Isa, TablesExistForWhatTheProcessorHasAndNoMore) {
  EXPECT_NE(distances(Isa::scalar), nullptr);
  EXPECT_EQ(distances(Isa::avx2) != nullptr, isa_support().avx2);
  EXPECT_EQ(distances(Isa::avx512) != nullptr, isa_support().avx512);
  EXPECT_EQ(distances(Isa::amx) != nullptr, isa_support().has(Isa::amx));
}

// A death test of the threadsafe style runs in a fresh process, where no table has been picked yet.
class IsaDeathTest : public testing::Test {
 protected:
  IsaDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Ends the process with 0 if BOON_ISA=`value` gives `isa`, 1 if another, 2 if the name is refused.
  [[noreturn]] static void pick(const char* value, Isa isa) {
    setenv("BOON_ISA", value, 1);
    try {
      std::_Exit(distances().isa == isa ? 0 : 1);
    } catch (const Error& error) {
      std::_Exit(error.code() == ErrorCode::invalid_argument ? 2 : 1);
    }
  }
};

TEST_F(IsaDeathTest, BoonIsaDecidesAtFirstUse) {
  EXPECT_EXIT(pick("scalar", Isa::scalar), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(pick("sse9", Isa::scalar), testing::ExitedWithCode(2), "");
}

TEST_F(IsaDeathTest, AnEmptyBoonIsaIsNone) {
  const Isa best = choose_isa("", isa_support());
  const Isa table = best == Isa::amx ? Isa::avx512 : best;  // tiles have no distances of their own
  EXPECT_EXIT(pick("", table), testing::ExitedWithCode(0), "");
}

TEST_F(IsaDeathTest, ATestOfAMissingIsaIsSkipped) {
  EXPECT_EXIT(skip_if_isa_is_missing("avx512", kHaswell), testing::ExitedWithCode(77), "skipped: BOON_ISA=avx512");
}

TEST(Isa, ATestOfAnIsaThatIsThereIsNotSkipped) {
  EXPECT_TRUE(skip_if_isa_is_missing("avx512", kServer));
  EXPECT_TRUE(skip_if_isa_is_missing("sse9", kOld));  // left for the tests to fail on
}

}  // namespace
}  // namespace boon::kernels
