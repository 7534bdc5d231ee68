#include "boon/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "boon/core/check.h"

namespace boon {
namespace {

constexpr ErrorCode kCodes[] = {
    ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::already_exists, ErrorCode::busy,
    ErrorCode::read_only,        ErrorCode::corrupted, ErrorCode::unsupported,    ErrorCode::io,
    ErrorCode::out_of_memory,    ErrorCode::cancelled, ErrorCode::internal};

TEST(Error, EveryCodeHasItsOwnExitCodeAndName) {
  std::set<int> exit_codes;
  std::set<std::string_view> names;
  for (const ErrorCode code : kCodes) {
    exit_codes.insert(exit_code(code));
    names.insert(describe(code));
  }
  EXPECT_EQ(exit_codes, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130}));
  EXPECT_EQ(names.size(), std::size(kCodes));
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(exit_code(ErrorCode::invalid_argument), 2);
  EXPECT_EQ(exit_code(ErrorCode::not_found), 3);
  EXPECT_EQ(exit_code(ErrorCode::already_exists), 4);
  EXPECT_EQ(exit_code(ErrorCode::busy), 5);
  EXPECT_EQ(exit_code(ErrorCode::corrupted), 6);
  EXPECT_EQ(exit_code(ErrorCode::unsupported), 7);
  EXPECT_EQ(exit_code(ErrorCode::io), 8);
  EXPECT_EQ(exit_code(ErrorCode::out_of_memory), 9);
  EXPECT_EQ(exit_code(ErrorCode::read_only), 10);
  EXPECT_EQ(exit_code(ErrorCode::cancelled), 130);
  EXPECT_EQ(exit_code(ErrorCode::internal), 1);
}

TEST(Check, FailureNamesConditionAndPlaceAndNotTheBuildersFolders) {
  try {
    BOON_CHECK(1 + 1 == 3);
    FAIL() << "the check held";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.what(), testing::HasSubstr("'1 + 1 == 3' does not hold at boon/core/error_test.cc:"));
  }
}

TEST(Check, TrueConditionIsEvaluatedOnce) {
  int evaluations = 0;
  BOON_CHECK(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace boon
