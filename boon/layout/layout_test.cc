// Values, coordinates and text of layouts.
#include "boon/layout/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "boon/core/error.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

template <Layout L>
struct OfLayout {
  static constexpr Layout kLayout = L;
};
static_assert(std::is_same_v<OfLayout<Layout{{4, 3}, {1, 8}}>, OfLayout<"(4,3):(1,8)"_layout>>);
static_assert(!std::is_same_v<OfLayout<Layout{{4, 3}, {1, 8}}>, OfLayout<"(4,3):(1,9)"_layout>>);

// Calls and returns what the Error says, "" where none came.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(Tuple, KeepsItsTree) {
  constexpr Tuple kT{4, {2, {3, 5}}, 7};
  static_assert(rank(kT) == 3 && depth(kT) == 3 && kT.count == 5 && size(kT) == 840);
  static_assert(mode(kT, 0) == Tuple(4) && mode(kT, 1) == Tuple{2, {3, 5}} && mode(kT, 2) == Tuple(7));
  static_assert(mode(mode(kT, 1), 1) == Tuple{3, 5});
  static_assert(flatten(kT) == Tuple{4, 2, 3, 5, 7});
  static_assert(product_each(kT) == Tuple{4, 30, 7});
  EXPECT_EQ(to_string(kT), "(4,(2,(3,5)),7)");
  EXPECT_EQ(to_string(tuple(4)), "(4)");
  EXPECT_EQ(to_string(tuple(tuple(tuple(4)), 2)), "(((4)),2)");
  EXPECT_NE(tuple(4), Tuple(4));
  EXPECT_EQ(mode(tuple(4), 0), Tuple(4));
}

TEST(Tuple, CompatibilityFollowsCoordinates) {
  static_assert(compatible(24, {4, 6}) && compatible({4, 6}, {{2, 2}, 6}) && compatible(24, {{2, 2}, 6}));
  static_assert(!compatible({4, 6}, 24) && !compatible({6, 4}, {{2, 2}, 6}) && !compatible(23, {4, 6}));
  static_assert(congruent({4, {2, 3}}, {1, {1, 1}}) && !congruent({4, {2, 3}}, {1, 1, 1}));
  static_assert(weakly_congruent({1, 2}, {{2, 2}, 6}) && !weakly_congruent({{2, 2}, 6}, {1, 2}));
}

TEST(Layout, SizesAreOfTheReference) {
  constexpr Layout kL = "((2,2),(2,2)):((1,4),(2,8))"_layout;
  static_assert(size(kL) == 16 && cosize(kL) == 16 && rank(kL) == 2 && depth(kL) == 2);
  static_assert(cosize("(4,8):(1,5)"_layout) == 39 && cosize("4:0"_layout) == 1 && cosize("4:-1"_layout) == 4);
  EXPECT_EQ(rank(Layout(4, 1)), 1);
  EXPECT_EQ(depth(Layout(4, 1)), 0);
}

TEST(Layout, AllFormsOfACoordinateAgree) {
  constexpr Layout kL = "(3,(2,3)):(3,(12,1))"_layout;
  static_assert(kL(16) == 17 && kL(1, 5) == 17 && kL({1, {1, 2}}) == 17 && kL({1, 5}) == 17);
  static_assert("(4,3):(1,10)"_layout(15) == 33);
  static_assert("((2,2),(4,2)):((1,8),(2,16))"_layout(22) == 26);
  static_assert(idx2crd(22, {{2, 2}, {4, 2}}) == Tuple{{0, 1}, {1, 1}});
  static_assert(idx2crd(15, {4, 3}) == Tuple{3, 3} && idx2crd(15, {4, 3}, {1, 4}) == Tuple{3, 0});
  for (int i = 0; i < 40; ++i) {
    const Tuple crd = idx2crd(i, kL.shape);
    EXPECT_EQ(kL(crd), kL(i));
    EXPECT_EQ(kL(i % 3, i / 3), kL(i));
    EXPECT_EQ(crd2idx(crd, kL.shape), i);
  }
}

TEST(Layout, AnIndexCountsTheLeftmostModeFastest) {
  constexpr Layout kL = "((2,2),(2,2)):((1,4),(2,8))"_layout;
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < 16; ++i) offsets.push_back(kL(i));
  EXPECT_THAT(offsets, testing::ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
  static_assert(kL({1, {0, 1}}) == 9);
}

TEST(Layout, BasisStridesGiveCoordinates) {
  constexpr Layout kL = "(4,(2,3)):(E1,(E0,2E0))"_layout;
  static_assert(evaluate(kL, {3, {1, 2}}) == Tuple{5, 3});
  EXPECT_EQ(to_string(kL), "(4,(2,3)):(E1,(E0,2E0))");
  EXPECT_THAT(error_of([&] { (void)kL(Tuple{1, 1}); }), testing::HasSubstr("basis vectors"));
  EXPECT_THAT(error_of([&] { (void)cosize(kL); }), testing::HasSubstr("basis vectors"));
}

TEST(Layout, BadOnesAreRefusedByName) {
  const auto refused = [](std::string_view text) { return error_of([&] { (void)parse_layout(text); }); };
  EXPECT_THAT(refused("(4,3):(1,8,2)"), testing::HasSubstr("same parentheses"));
  EXPECT_THAT(refused("(4,3):1"), testing::HasSubstr("same parentheses"));
  EXPECT_THAT(refused("(4,(1,3)):((1,2),3)"), testing::HasSubstr("same parentheses"));
  EXPECT_THAT(refused("(4,0):(1,8)"),
              testing::HasSubstr("layout((4,0), (1,8)): leaf 1: extent 0; extents are 1 or more"));
  EXPECT_THAT(refused("(-4,3):(1,8)"), testing::HasSubstr("leaf 0: extent -4"));
  EXPECT_THAT(refused("(4,_):(1,8)"), testing::HasSubstr("extent"));
  EXPECT_THAT(refused("(4,3):(1,_)"), testing::HasSubstr("must be an integer"));
  EXPECT_THAT(refused("(4,E1):(1,8)"), testing::HasSubstr("must be an integer"));
  EXPECT_THAT(refused("(4,3):(1,E0)"), testing::HasSubstr("all integers or all basis vectors"));
  EXPECT_THAT(refused("(4294967296,4294967296):(1,1)"), testing::HasSubstr("leaf 1"));
  EXPECT_THAT(refused("(4294967296,4294967296)"), testing::HasSubstr("beyond 64 bits"));
  EXPECT_THAT(refused("(3,3):(4611686018427387904,1)"), testing::HasSubstr("beyond 64 bits"));
}

TEST(Layout, CoordinatesThatDoNotFitAreRefused) {
  const Layout l{{4, 3}, {1, 8}};
  EXPECT_THAT(error_of([&] { (void)l({1, 2, 3}); }), testing::HasSubstr("one number for each mode"));
  EXPECT_THAT(error_of([&] { (void)l({1, {2, 0}}); }), testing::HasSubstr("one number for each mode"));
  EXPECT_THAT(error_of([&] { (void)l({1, -2}); }), testing::HasSubstr("negative"));
  EXPECT_THAT(error_of([&] { (void)l({1, kAll}); }), testing::HasSubstr("must be an integer"));
  EXPECT_THAT(error_of([&] { (void)l(Tuple(INT64_MAX)); }), testing::HasSubstr("beyond 64 bits"));
  EXPECT_THAT(error_of([&] { (void)mode(l, 2); }), testing::HasSubstr("there is no mode 2; there are 2"));
}

TEST(Refusal, EveryRuleHasANameAndASentence) {
  std::set<std::string_view> names;
  std::set<std::string> sentences;
  const int rules = static_cast<int>(Rule::overflows_index_type) + 1;
  for (int i = 1; i < rules; ++i) {
    const auto rule = static_cast<Rule>(i);
    names.insert(name(rule));
    sentences.insert(to_string(Refusal{rule, 1, 2, 3, 4}));
    EXPECT_THAT(name(rule), testing::Not(testing::AnyOf("unknown", "none")));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(rules - 1));
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(rules - 1));
  EXPECT_EQ(name(static_cast<Rule>(rules)), "unknown");
}

TEST(Text, GoesRound) {
  for (const char* text : {"4:1", "(4,3):(1,8)", "((2,2),(2,3)):((1,4),(-8,0))", "(4):(1)", "(4,3):(2E1,-E0)",
                           "9223372036854775807:0", "(2,((3)),5):(1,((2)),6)"}) {
    EXPECT_EQ(to_string(parse_layout(text)), text);
  }
  EXPECT_EQ(parse_layout(" ( 4 , 3 ) : ( 1 , 8 ) "), parse_layout("(4,3):(1,8)"));
  EXPECT_EQ(parse_layout("(_4,_3):(_1,_-8)"), parse_layout("(4,3):(1,-8)"));
  EXPECT_EQ(parse_layout("(4,3):(1@0,2@1)"), parse_layout("(4,3):(E0,2E1)"));
  EXPECT_EQ(parse_layout("(4,(2,3))"), parse_layout("(4,(2,3)):(1,(4,8))"));
  EXPECT_EQ(parse_tuple("(2,_)"), (Tuple{2, kAll}));
  EXPECT_EQ(to_string(parse_tuple("(2,(_,_))")), "(2,(_,_))");
}

TEST(Text, ErrorsNameThePosition) {
  const auto refused = [](std::string_view text) { return error_of([&] { (void)parse_layout(text); }); };
  EXPECT_EQ(refused("(4,3:(1,8)"), "\"(4,3:(1,8)\", position 5: expected ',' or ')', not ':'");
  EXPECT_EQ(refused("(4,3"), "\"(4,3\", position 5: expected ',' or ')', but the text ends");
  EXPECT_THAT(refused(""), testing::HasSubstr("position 1: expected a number"));
  EXPECT_THAT(refused("()"), testing::HasSubstr("position 2: expected a number"));
  EXPECT_THAT(refused("(4,)"), testing::HasSubstr("position 4: expected a number"));
  EXPECT_THAT(refused("4:1)"), testing::HasSubstr("position 4: expected nothing more, not ')'"));
  EXPECT_THAT(refused("4:"), testing::HasSubstr("position 3"));
  EXPECT_THAT(refused("4:E"), testing::HasSubstr("position 4: expected the number of a coordinate"));
  EXPECT_THAT(refused("4:E99"), testing::HasSubstr("at most 31"));
  EXPECT_THAT(refused("9223372036854775808:1"), testing::HasSubstr("63 bits"));
  EXPECT_THAT(refused("4:-9223372036854775808"), testing::HasSubstr("63 bits"));
  EXPECT_THAT(refused("4:x\xc3\xbc"), testing::HasSubstr("not 'x'"));
  EXPECT_THAT(refused("4:\xc3\xbc"), testing::HasSubstr("not '\xc3\xbc'"));
  EXPECT_THAT(refused(std::string(40, '(')), testing::HasSubstr("32 parentheses"));
  std::string many = "(1";
  for (int i = 1; i < 33; ++i) many += ",1";
  EXPECT_THAT(refused(many + ")"), testing::HasSubstr("at most 32 numbers"));
  EXPECT_LT(refused(std::string(100000, '1')).size(), 200u);
}

}  // namespace
}  // namespace boon::layout
