#include "boon/cli/names.h"

#include "boon/cli/parser_testing.h"
#include "boon/cli/spelling.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Names table(std::vector<std::string> texts) {
  Names names;
  for (std::size_t id = 0; id < texts.size(); ++id) names.set(id, texts[id]);
  return names;
}

// The stored form of "ab" and "c".
std::string stored() {
  return raw<std::uint64_t>(2) + raw<std::uint32_t>(0) + raw<std::uint32_t>(2) + raw<std::uint32_t>(3) + "abc";
}

TEST(Names, BytesAreAsDocumented) {
  EXPECT_THAT(table({"ab", "c"}).serialise(), testing::ElementsAreArray(bytes_of(stored())));
}

TEST(Names, RoundTripKeepsNamesAndGaps) {
  Names names = table({"ab", "c", "é😀"});
  names.erase(1);
  const Names again = Names::parse(names.serialise());
  EXPECT_EQ(again.size(), 3U);
  EXPECT_EQ(again.of(0), "ab");
  EXPECT_EQ(again.of(1), "");
  EXPECT_EQ(again.of(2), "é😀");
  EXPECT_EQ(again.of(3), "");
  EXPECT_THAT(again.free_ids(), ElementsAre(1));
  EXPECT_EQ(Names::parse(Names().serialise()).size(), 0U);
}

TEST(Names, AreFoundByTheirText) {
  const Names names = table({"ab", "c"});
  EXPECT_EQ(names.find("c"), 1U);
  EXPECT_EQ(names.find("d"), std::nullopt);
  EXPECT_EQ(names.find(""), std::nullopt);
  EXPECT_EQ(names.by_name().at("ab"), 0U);
}

TEST(Names, BytesCutAnywhereAreRefused) {
  const std::string whole = stored();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Exact cut(whole.substr(0, size));
    EXPECT_THAT(error_of([&] { Names::parse(cut.bytes()); }), IsError(ErrorCode::corrupted, "names")) << size;
  }
  const Exact longer(whole + "x");
  EXPECT_THAT(error_of([&] { Names::parse(longer.bytes()); }), IsError(ErrorCode::corrupted, "ends"));
}

TEST(Names, ClaimsAreCheckedAgainstTheBytes) {
  for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const Exact bytes(raw(count) + stored().substr(8));
    EXPECT_THAT(error_of([&] { Names::parse(bytes.bytes()); }), IsError(ErrorCode::corrupted, "")) << count;
  }
  const Exact backwards(raw<std::uint64_t>(2) + raw<std::uint32_t>(0) + raw<std::uint32_t>(9) + raw<std::uint32_t>(3) +
                        "abc");
  EXPECT_THAT(error_of([&] { Names::parse(backwards.bytes()); }), IsError(ErrorCode::corrupted, "before it starts"));
}

TEST(Spelling, EditsAreCounted) {
  EXPECT_EQ(edit_distance("king", "king", 3), 0U);
  EXPECT_EQ(edit_distance("king", "KING", 3), 0U);
  EXPECT_EQ(edit_distance("king", "kings", 3), 1U);
  EXPECT_EQ(edit_distance("king", "kign", 3), 1U);
  EXPECT_EQ(edit_distance("king", "ring", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
  EXPECT_EQ(edit_distance("", "abc", 3), 3U);
  EXPECT_EQ(edit_distance("abcdef", "ghijkl", 2), 3U);
}

TEST(Spelling, TheNearestComeFirstAndAmongEqualsTheEarliest) {
  const std::vector<std::string> words{"sing", "kings", "king", "ring", "", "zebra"};
  EXPECT_THAT(close_spellings("kinG", words), ElementsAre("king", "sing", "kings"));
  EXPECT_THAT(close_spellings("giraffe", words), IsEmpty());
  EXPECT_THAT(close_spellings("", words), IsEmpty());
}

TEST(Spelling, SuggestionsReadAsASentence) {
  EXPECT_EQ(did_you_mean({}), "");
  EXPECT_EQ(did_you_mean(std::vector<std::string>{"a", "b", "c"}), "; did you mean \"a\", \"b\" or \"c\"?");
}

}  // namespace
}  // namespace boon::cli
