// What the compiler says of a composition that is refused in a constant expression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "boon/core/temporary_folder.h"

namespace boon::layout {
namespace {

// The output of the compiler of this build for a program with these lines; empty where it compiles.
std::string messages_of(const std::string& header, const std::string& lines) {
  const TemporaryFolder folder;
  folder.put("snippet.cc", "#include \"boon/layout/" + header +
                               "\"\n"
                               "using namespace boon::layout;\n"
                               "constexpr Layout kA{{4, 3}, {1, 8}};\n"
                               "constexpr Layout kB(6, 1);\n" +
                               lines + "\n");
  const std::string command =
      BOON_CXX " -std=c++20 -fsyntax-only -I" BOON_SOURCE_DIR " " + (folder / "snippet.cc").native() + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot start " + command;
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) output.append(buffer.data(), n);
  ::pclose(pipe);
  return output;
}

class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(BOON_CXX)) GTEST_SKIP() << "no compiler at " BOON_CXX;
  }
};

TEST_F(Compiler, TakesWhatComposes) {
  EXPECT_EQ(messages_of("fixed.h", "static_assert(Compose<kA, Layout(6, 2)>::layout == Layout({2, 3}, {2, 8}));"), "");
}

TEST_F(Compiler, NamesTheRuleAndItsNumbersInFewLines) {
  const std::string messages = messages_of("fixed.h", "constexpr Layout kC = Compose<kA, kB>::layout;");
  EXPECT_THAT(messages, testing::HasSubstr("Rule::rhs_extent_not_a_multiple_of_lhs_chunk, 0, 6, 1, 4"));
  EXPECT_LT(std::count(messages.begin(), messages.end(), '\n'), 10) << messages;
}

TEST_F(Compiler, NamesTheRuleOfAnOrdinaryCall) {
  const std::string messages = messages_of("composition.h", "constexpr Layout kC = composition(kA, kB);");
  EXPECT_THAT(messages, testing::HasSubstr("rhs_extent_not_a_multiple_of_lhs_chunk"));
}

TEST_F(Compiler, StopsAtTextThatIsNoLayout) {
  const std::string messages = messages_of("text.h", "constexpr Layout kC = \"(4,3:(1,8)\"_layout;");
  EXPECT_THAT(messages, testing::HasSubstr("snippet.cc:5:"));
  EXPECT_THAT(messages, testing::HasSubstr("(4,3:(1,8)"));
  EXPECT_THAT(messages, testing::HasSubstr("read_tuple"));
}

}  // namespace
}  // namespace boon::layout
