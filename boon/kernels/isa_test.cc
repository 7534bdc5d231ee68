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
}

TEST(Isa, TheNamedOneIsChosen) {
  EXPECT_EQ(choose_isa("scalar", kServer), Isa::scalar);
  EXPECT_EQ(choose_isa("avx2", kServer), Isa::avx2);
  EXPECT_EQ(choose_isa("avx512", kServer), Isa::avx512);
}

TEST(Isa, OneThatTheProcessorLacksIsUnsupported) {
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
    EXPECT_STREQ(error.what(), "BOON_ISA=sse9 is no instruction set; use scalar, avx2 or avx512");
  }
}

TEST(Isa, NamesAreThoseThatBoonIsaTakes) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) EXPECT_EQ(choose_isa(name(isa), kServer), isa);
}

TEST(Isa, TheTableInUseIsTheOneAskedFor) {
  const Isa expected = choose_isa(requested_isa(), isa_support());
  EXPECT_EQ(distances().isa, expected);
  EXPECT_EQ(distances().name, name(expected));
  EXPECT_EQ(&distances(), distances(expected));
}

TEST(Isa, TablesExistForWhatTheProcessorHasAndNoMore) {
  EXPECT_NE(distances(Isa::scalar), nullptr);
  EXPECT_EQ(distances(Isa::avx2) != nullptr, isa_support().avx2);
  EXPECT_EQ(distances(Isa::avx512) != nullptr, isa_support().avx512);
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
  EXPECT_EXIT(pick("", choose_isa("", isa_support())), testing::ExitedWithCode(0), "");
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
