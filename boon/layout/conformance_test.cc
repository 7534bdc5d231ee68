// Every case of conformance_cases.h, at run time and as a constant expression, and every case that must be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "boon/core/error.h"
#include "boon/layout/coalesce.h"
#include "boon/layout/complement.h"
#include "boon/layout/composition.h"
#include "boon/layout/conformance_cases.h"
#include "boon/layout/divide.h"
#include "boon/layout/inverse.h"
#include "boon/layout/product.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

using cases::Case;

// The operation with a right side that is a layout or a tiler.
template <class Right>
constexpr Layout apply(std::string_view operation, const Layout& a, const Right& b) {
  if (operation == "composition") return composition(a, b);
  if (operation == "logical_divide") return logical_divide(a, b);
  if (operation == "zipped_divide") return zipped_divide(a, b);
  if (operation == "tiled_divide") return tiled_divide(a, b);
  if (operation == "flat_divide") return flat_divide(a, b);
  if (operation == "logical_product") return logical_product(a, b);
  if (operation == "zipped_product") return zipped_product(a, b);
  if (operation == "tiled_product") return tiled_product(a, b);
  if (operation == "flat_product") return flat_product(a, b);
  if constexpr (std::is_same_v<Right, Layout>) {
    if (operation == "blocked_product") return blocked_product(a, b);
    if (operation == "raked_product") return raked_product(a, b);
    if (operation == "max_common_layout") return max_common_layout(a, b);
  }
  throw "an operation that the test does not know";
}

constexpr Layout apply(std::string_view operation, const Layout& a) {
  if (operation == "coalesce") return coalesce(a);
  if (operation == "complement") return complement(a);
  if (operation == "right_inverse") return right_inverse(a);
  if (operation == "left_inverse") return left_inverse(a);
  throw "an operation that the test does not know";
}

constexpr Layout outcome(const Case& c) {
  const Layout a = parse_layout(c.a);
  if (c.b.empty()) return apply(c.operation, a);
  if (c.b[0] == '<') return apply(c.operation, a, parse_tiler(c.b));
  if (c.operation == "complement") return complement(a, parse_tuple(c.b).value[0]);
  return apply(c.operation, a, parse_layout(c.b));
}

constexpr bool all_hold(std::span<const Case> table) {
  for (const Case& c : table) {
    if (outcome(c) != parse_layout(c.result)) return false;
  }
  return true;
}

void expect_all(std::span<const Case> table) {
  for (const Case& c : table) {
    EXPECT_EQ(to_string(outcome(c)), c.result)
        << "case " << c.number << ": " << c.operation << " " << c.a << " " << c.b;
  }
}

// What the error of the operation says; "" where there was none.
std::string refusal_of(std::string_view operation, std::string_view a, std::string_view b = "") {
  try {
    (void)outcome({0, operation, a, b, ""});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

static_assert(all_hold(cases::kCoalesce));
TEST(Conformance, Coalesce) {
  expect_all(cases::kCoalesce);
}

static_assert(all_hold(cases::kComposition));
TEST(Conformance, Composition) {
  expect_all(cases::kComposition);
}

static_assert(all_hold(cases::kComplement));
TEST(Conformance, Complement) {
  expect_all(cases::kComplement);
}

static_assert(all_hold(cases::kDivide));
TEST(Conformance, Divide) {
  expect_all(cases::kDivide);
}

static_assert(all_hold(cases::kProduct));
TEST(Conformance, Product) {
  expect_all(cases::kProduct);
}

static_assert(all_hold(cases::kInverse));
TEST(Conformance, Inverse) {
  expect_all(cases::kInverse);
}

// The rule, and the leaf of B, as it was left, with what it met.
void expect_refused(std::string_view a, std::string_view b, const Refusal& expected) {
  const ComposeResult composed = try_compose(parse_layout(a), parse_layout(b));
  EXPECT_EQ(composed.refusal, expected) << a << " o " << b << ": " << to_string(composed.refusal);
  EXPECT_THAT(refusal_of("composition", a, b),
              testing::StartsWith(std::string("composition(").append(a).append(", ").append(b).append("): leaf ")));
}

constexpr Rule rule_of(std::string_view a, std::string_view b) {
  return try_compose(parse_layout(a), parse_layout(b)).refusal.rule;
}
static_assert(rule_of("(4,3):(1,8)", "6:1") == Rule::rhs_extent_not_a_multiple_of_lhs_chunk);
static_assert(rule_of("(4,6,8):(2,3,5)", "6:3") == Rule::rhs_stride_does_not_divide_lhs_extent);
static_assert(rule_of("(6,2):(1,7)", "(3,2):(2,3)") == Rule::rhs_leaves_carry_into_next_lhs_mode);
static_assert(rule_of("(2,2):(1,10)", "(2,2):(1,1)") == Rule::rhs_leaves_carry_into_next_lhs_mode);
static_assert(rule_of("(8,8):(8,1)", "4:3") == Rule::rhs_stride_does_not_divide_lhs_extent);
static_assert(rule_of("(8,8):(8,1)", "3:3") == Rule::none);

TEST(Refused, R1CompositionThatWouldLoseElements) {
  expect_refused("(4,3):(1,8)", "6:1", {Rule::rhs_extent_not_a_multiple_of_lhs_chunk, 0, 6, 1, 4});
  EXPECT_EQ(
      refusal_of("composition", "(4,3):(1,8)", "6:1"),
      "composition((4,3):(1,8), 6:1): leaf 0 of the right side, now 6:1, meets 4 steps in a mode on the left, and 6 "
      "is not a multiple of 4; the last round would be cut short");
}
TEST(Refused, R2StrideThatPassesAModeUnevenly) {
  expect_refused("(4,6,8):(2,3,5)", "6:3", {Rule::rhs_stride_does_not_divide_lhs_extent, 0, 6, 3, 4});
}
TEST(Refused, R3LeavesThatCarryTogether) {
  expect_refused("(6,2):(1,7)", "(3,2):(2,3)", {Rule::rhs_leaves_carry_into_next_lhs_mode, 1, 2, 3, 6});
}
TEST(Refused, R4EqualStridesThatCarry) {
  expect_refused("(2,2):(1,10)", "(2,2):(1,1)", {Rule::rhs_leaves_carry_into_next_lhs_mode, 1, 2, 1, 2});
}
TEST(Refused, R5StepsThatNeitherDivideNorAreDivided) {
  expect_refused("(8,8):(8,1)", "4:3", {Rule::rhs_stride_does_not_divide_lhs_extent, 0, 4, 3, 8});
  expect_refused("(4,2,8):(3,12,97)", "4:3", {Rule::rhs_stride_does_not_divide_lhs_extent, 0, 4, 3, 8});
  expect_refused("(4,2,8):(3,15,97)", "3:3", {Rule::rhs_stride_does_not_divide_lhs_extent, 0, 3, 3, 4});
}
TEST(Refused, R6ComplementOfWhatOverlaps) {
  EXPECT_EQ(refusal_of("complement", "(2,2):(2,3)", "19"),
            "complement((2,2):(2,3)): the mode 2:3 overlaps smaller strides, which cover 4 offsets; the layout must "
            "take each offset at most once");
}
TEST(Refused, R7LeftInverseOfUnevenStrides) {
  EXPECT_EQ(refusal_of("left_inverse", "(4,2):(2,3)"),
            "left_inverse((4,2):(2,3)): the mode 2:3 needs a stride that is a multiple of 2");
}
TEST(Refused, DivideThatHangsOverEachColumnAsksForATiler) {
  EXPECT_EQ(refusal_of("logical_divide", "(6,4):(1,10)", "4:1"),
            "logical_divide((6,4):(1,10), 4:1): what counts the tiles, now 6:4, hangs over within the layout's modes; "
            "divide mode by mode, with a tiler such as <4,_>");
  EXPECT_EQ(to_string(logical_divide(parse_layout("(6,4):(1,10)"), parse_tiler("<4,_>"))), "((4,2),4):((1,4),10)");
}

TEST(Refused, DivideByATileThatLeavesElementsOut) {
  EXPECT_EQ(
      refusal_of("logical_divide", "20:1", "(2,2):(1,5)"),
      "logical_divide(20:1, (2,2):(1,5)): tiles with the mode 2:5 leave elements out: 5 is not a multiple of the 2 "
      "offsets that smaller modes cover");
}

TEST(Refused, InversesOfWhatOverlapsOrHasNoPlace) {
  EXPECT_THAT(refusal_of("left_inverse", "(4,2):(1,2)"), testing::HasSubstr("overlaps"));
  EXPECT_THAT(refusal_of("left_inverse", "4:-1"), testing::HasSubstr("negative stride"));
  EXPECT_THAT(refusal_of("complement", "4:-1", "8"), testing::HasSubstr("negative stride"));
  EXPECT_THAT(refusal_of("complement", "4:1", "0"), testing::HasSubstr("extents are 1 or more"));
  EXPECT_THAT(refusal_of("right_inverse", "(2,2):(E0,E1)"), testing::HasSubstr("basis vectors"));
}

TEST(Refused, CompositionOutsideTheLeftSide) {
  expect_refused("(4,3):(1,8)", "4:-1", {Rule::rhs_stride_negative, 0, 4, -1, 0});
  expect_refused("(4,3):(1,8)", "(2,2):(E0,E2)", {Rule::rhs_axis_not_in_lhs, 1, 2, 2, 2});
  expect_refused("2:4611686018427387904", "2:4", {Rule::overflows_64_bits, 0, 2, 4, 0});
  EXPECT_THAT(refusal_of("composition", "(4,3):(1,8)", "<2,2,2>"), testing::HasSubstr("tiler has 3 modes"));
}

TEST(Composition, OfATilerDropsFurtherModesAndLeavesOthersAlone) {
  const Layout a = parse_layout("(4,6,5):(1,4,24)");
  EXPECT_EQ(to_string(composition(a, parse_tiler("<2,3>"))), "(2,3):(1,4)");
  EXPECT_EQ(to_string(composition(a, parse_tiler("<_,3:2>"))), "(4,3):(1,8)");
  EXPECT_EQ(to_string(composition(a, parse_tiler("<2>"))), "(2):(1)");
  EXPECT_EQ(composition(a, tiler(kAll, Layout(3, 2))), composition(a, parse_tiler("<_,3:2>")));
}

TEST(Composition, AssociatesWhileTheImageLiesInTheDomain) {
  const Layout a = parse_layout("(5,3):(1,7)");
  EXPECT_EQ(to_string(composition(a, composition(Layout(4, 1), Layout(2, 5)))), "2:7");
  EXPECT_EQ(to_string(composition(composition(a, Layout(4, 1)), Layout(2, 5))), "2:5");
}

TEST(Coalesce, ByModeFollowsTheProfile) {
  const Layout l = parse_layout("((2,2),(2,2),(3,1)):((1,2),(4,8),(16,5))");
  EXPECT_EQ(to_string(coalesce(l, parse_tuple("(1,1)"))), "(4,4,(3,1)):(1,4,(16,5))");
  EXPECT_EQ(to_string(coalesce(l, parse_tuple("(1,(1,1),1)"))), "(4,(2,2),3):(1,(4,8),16)");
  EXPECT_THROW((void)coalesce(l, parse_tuple("(1,1,1,1)")), Error);
  EXPECT_THROW((void)coalesce(l, parse_tuple("(1,1,(1,(1,1)))")), Error);
}

TEST(Coalesce, KeepsAxesApart) {
  EXPECT_EQ(to_string(coalesce(parse_layout("(2,2,3):(E0,2E0,4E1)"))), "(4,3):(E0,4E1)");
  EXPECT_EQ(to_string(filter(parse_layout("(2,3,4,1):(1,0,2,9)"))), "8:1");
}

TEST(Tiler, TextGoesRoundAndErrorsNameThePosition) {
  EXPECT_EQ(to_string(parse_tiler("<3:1, (2,4):(1,8)>")), "<3:1,(2,4):(1,8)>");
  EXPECT_EQ(to_string(parse_tiler("<2,_>")), "<2:1,_>");
  EXPECT_EQ(parse_tiler("<2,3>"), tiler_of({2, 3}));
  const auto refused = [](std::string_view text) {
    try {
      (void)parse_tiler(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("<(2,4),3>"), "\"<(2,4),3>\", position 7: expected ':' and the strides of the tile, not ','");
  EXPECT_THAT(refused("<2,3"), testing::HasSubstr("expected ',' or '>', but the text ends"));
  EXPECT_THAT(refused("<>"), testing::HasSubstr("position 2: expected a number"));
  EXPECT_THAT(refused("2"), testing::HasSubstr("expected '<'"));
  EXPECT_THROW((void)tiler_of({2, {2, 2}}), Error);
}

}  // namespace
}  // namespace boon::layout
