// The language of layout expressions: its notation, what it means, and its errors. The algebra itself is tested beside
// its headers.
#include "boon/layout/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "boon/core/error.h"
#include "boon/layout/functions.h"
#include "boon/layout/syntax.h"

namespace boon::layout {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string value_of(std::string_view expression) {
  return to_string(evaluate(expression));
}

std::string error_of(std::string_view expression) {
  try {
    const std::string value = value_of(expression);
    ADD_FAILURE() << expression << " is " << value;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(Expression, LayoutsStandForThemselves) {
  for (const char* text : {"(4,3):(1,8)", "4:1", "(4,(2,3)):(1,(4,8))", "(4):(1)", "((2,4)):((4,1))", "4:-1",
                           "(4,4):(E1,E0)", "(2,3):(2E1,-E0)"}) {
    EXPECT_EQ(value_of(text), text);
  }
  EXPECT_EQ(value_of("(_4,_3):(_1@0,2@1)"), "(4,3):(E0,2E1)") << "as CuTe prints them";
}

TEST(Expression, AShapeAloneIsTheLayoutThatFillsIt) {
  EXPECT_EQ(value_of("(4,3)"), "(4,3):(1,4)");
  EXPECT_EQ(value_of("24"), "24:1");
  EXPECT_EQ(value_of("((2,2),3)"), "((2,2),3):((1,2),4)");
  EXPECT_EQ(value_of("shape((4,3):(1,8))"), "(4,3)") << "what a function gives stays a tuple";
}

TEST(Expression, BlanksMeanNothing) {
  EXPECT_EQ(value_of(" ( 4 , 3 ) : ( 1 , 8 ) o\t6 : 2 "), "(2,3):(2,8)");
  EXPECT_EQ(value_of("(4,3):(1,8)o6:2"), "(2,3):(2,8)");
  EXPECT_EQ(value_of("6:2o(3,2):(1,3)"), "(3,2):(2,6)");
}

TEST(Expression, OperatorsAreFunctionsByAnotherName) {
  const auto same = [](std::string_view a, std::string_view b) { EXPECT_EQ(value_of(a), value_of(b)) << a; };
  for (const char* sign : {"o", "∘"})
    same("(4,3):(1,8) " + std::string(sign) + " 6:2", "composition((4,3):(1,8), 6:2)");
  for (const char* sign : {"/", "⊘"}) same("(4,6) " + std::string(sign) + " <2,3>", "logical_divide((4,6), <2,3>)");
  for (const char* sign : {"*", "⊗"}) same("4:1 " + std::string(sign) + " 3:1", "logical_product(4:1, 3:1)");
}

TEST(Expression, OperatorsBindFromLeftToRight) {
  EXPECT_EQ(value_of("(5,3):(1,7) o 4:1 o 2:5"), "2:5");
  EXPECT_EQ(value_of("(5,3):(1,7) o (4:1 o 2:5)"), "2:7");
  EXPECT_EQ(value_of("4:1 * 3:1 / <2,3>"), value_of("(4:1 * 3:1) / <2,3>"));
}

TEST(Expression, ParenthesesGroupOrMakeTuples) {
  EXPECT_EQ(value_of("((4,3):(1,8))"), "(4,3):(1,8)");
  EXPECT_EQ(value_of("(4:1, 3:8)"), "(4,3):(1,8)");
  EXPECT_EQ(value_of("(12 o (4:1, complement(4:1, 12)))"), "(4,3):(1,4)");
  EXPECT_EQ(value_of("(size((4,3)))"), "12");
  EXPECT_EQ(value_of("(size((4,3)), 2)"), "(12,2)");
  EXPECT_EQ(value_of("(size((4,3)), 2):(1,12)"), "(12,2):(1,12)");
  EXPECT_THAT(error_of("(4:1, 3)"), StartsWith("position 1: a tuple holds numbers or layouts"));
}

TEST(Expression, TilersTakeEachModeByItself) {
  EXPECT_EQ(value_of("<2,3>"), "<2:1,3:1>");
  EXPECT_EQ(value_of("<3:1,(2,4):(1,8),_>"), "<3:1,(2,4):(1,8),_>");
  EXPECT_EQ(value_of("(12,(4,8)):(59,(13,1)) o <3,8>"), "(3,(4,2)):(59,(13,1))");
  EXPECT_EQ(value_of("zipped_divide((4,6), (2,3))"), value_of("zipped_divide((4,6), <2,3>)"));
  EXPECT_NE(value_of("zipped_divide((4,6), (2,3):(1,2))"), value_of("zipped_divide((4,6), <2,3>)"));
  EXPECT_THAT(error_of("<2,(2,3)>"), StartsWith("position 4: a tile is a number"));
}

TEST(Expression, LayoutsAreAppliedToCoordinates) {
  EXPECT_EQ(value_of("(3,(2,3)):(3,(12,1))(16)"), "17");
  EXPECT_EQ(value_of("(3,(2,3)):(3,(12,1))(1,5)"), "17");
  EXPECT_EQ(value_of("(3,(2,3)):(3,(12,1))(1,(1,2))"), "17");
  EXPECT_EQ(value_of("(3,(2,3)):(3,(12,1))((1,(1,2)))"), "17");
  EXPECT_EQ(value_of("(4,3)(2)"), "2");
  EXPECT_EQ(value_of("(4:1 o 2:2)(1)"), "2");
  EXPECT_EQ(value_of("complement(4:1, 24)(2)"), "8");
  EXPECT_EQ(value_of("(4,4):(E1,E0)(1,2)"), "(2,1)");
  EXPECT_EQ(value_of("(4,3):(1,10)(15)"), "33") << "the last mode goes on";
  EXPECT_THAT(error_of("(4,3):(1,8)(4:1)"), StartsWith("position 13: a coordinate is"));
  EXPECT_THAT(error_of("<4>(2)"), HasSubstr("has no values at coordinates"));
  EXPECT_THAT(error_of("(4,3)(1,2,3)"), StartsWith("position 6: "));
}

TEST(Expression, ABlankCoordinateSlices) {
  EXPECT_EQ(value_of("((3,2),((2,3),2)):((4,1),((2,15),100))(2,_)"), "8 + ((2,3),2):((2,15),100)");
  EXPECT_EQ(value_of("slice((4,3):(1,8), (_,2))"), "16 + 4:1");
  EXPECT_EQ(value_of("(4,3):(1,8)(_,2)(3)"), "19");
  EXPECT_EQ(value_of("(4,3,2)(1,_,_)(2,_)"), "9 + 2:12") << "origins add up";
  EXPECT_EQ(value_of("identity_layout((4,3))(2,_)(1)"), "(2,1)");
}

TEST(Expression, OperationsOnASliceKeepItsOrigin) {
  EXPECT_EQ(value_of("(8,6):(1,8)(1,_) o 3:2"), "1 + 3:16");
  EXPECT_EQ(value_of("(8,6):(1,8)(1,_) / 2"), "1 + (2,3):(8,16)");
  EXPECT_EQ(value_of("size((8,6):(1,8)(1,_))"), "6");
  EXPECT_EQ(value_of("layout((8,6):(1,8)(1,_))"), "6:8");
  EXPECT_EQ(value_of("local_tile((8,6):(1,8), <4,3>, (1,1))"), "28 + (4,3):(1,8)");
  EXPECT_EQ(value_of("local_tile(local_tile((8,6):(1,8), <4,3>, (1,1)), <2,3>, (1,0))"), "30 + (2,3):(1,8)");
  EXPECT_THAT(error_of("(8,6):(1,8)(1,_) * 2"), HasSubstr("argument 1 of logical_product must be a layout"));
}

TEST(Expression, SwizzlesComposeWithLayouts) {
  EXPECT_EQ(value_of("Swizzle<2,0,3>(8)"), "9");
  EXPECT_EQ(value_of("swizzle(2,0,3)(9)"), "8");
  EXPECT_EQ(value_of("Swizzle<2,0,3>"), "Swizzle<2,0,3>");
  const std::string composed = "Swizzle<2,0,3> o 0 o (8,4):(4,1)";
  EXPECT_EQ(value_of("swizzle(2,0,3) o (8,4):(4,1)"), composed);
  EXPECT_EQ(value_of(composed), composed);
  EXPECT_EQ(value_of("Swizzle<2,0,3> o 8 o (8,4):(4,1)"), "Swizzle<2,0,3> o 8 o (8,4):(4,1)");
  EXPECT_EQ(value_of("(Swizzle<2,0,3> o (8,4):(4,1))(2,0)"), "9");
  EXPECT_EQ(value_of("(Swizzle<2,0,3> o (8,4):(4,1))(2,_)"), "Swizzle<2,0,3> o 8 o 4:1");
  EXPECT_EQ(value_of("(Swizzle<2,0,3> o (8,4):(4,1))(2,_)(0)"), "9");
  EXPECT_EQ(value_of("(Swizzle<2,0,3> o (8,4):(4,1)) o <2,2>"), "Swizzle<2,0,3> o 0 o (2,2):(4,1)");
  EXPECT_EQ(value_of("shape(Swizzle<2,0,3> o (8,4):(4,1))"), "(8,4)");
  EXPECT_THAT(error_of("stride(Swizzle<2,0,3> o (8,4):(4,1))"), HasSubstr("argument 1 of stride must be"));
  EXPECT_THAT(error_of("Swizzle<2,0,3> o <2,2>"), HasSubstr("needs a layout"));
  EXPECT_THAT(error_of("Swizzle<3,0,1>"), StartsWith("position 1: Swizzle("));
}

TEST(Expression, AThreadValueLayoutStandsForPlacesInItsTile) {
  EXPECT_EQ(value_of("make_tv_layout((2,3):(3,1), (2,2):(2,1))(5,3)"), "23");
  EXPECT_EQ(value_of("(4,6):(6,1) o make_tv_layout((2,3):(3,1), (2,2):(2,1))"), "((3,2),(2,2)):((2,12),(1,6))");
  EXPECT_EQ(value_of("layout(make_tv_layout(4:1, 2:1))"), "(4,2):(2,1)");
  EXPECT_EQ(value_of("size(make_tv_layout(4:1, 2:1))"), "8");
}

TEST(Expression, ParametersAreLastArguments) {
  EXPECT_EQ(value_of("upcast<4>((16,8):(1,16))"), "(4,8):(1,4)");
  EXPECT_EQ(value_of("downcast<2>((16,8):(1,16))"), value_of("downcast((16,8):(1,16), 2)"));
  EXPECT_EQ(value_of("size<1>((4,(2,3)))"), "6");
  EXPECT_EQ(value_of("get<1>((4,(2,3)))"), "(2,3):(4,8)");
}

TEST(Expression, NamesOfOtherModelsAreKnown) {
  EXPECT_EQ(value_of("Layout((4,3), (1,8))"), "(4,3):(1,8)");
  EXPECT_EQ(value_of("identity((4,3))"), value_of("identity_layout((4,3))"));
  EXPECT_EQ(value_of("make_identity_tensor((4,3))"), value_of("identity_layout((4,3))"));
  for (const char* name : {"make_tv", "make_layout_tv", "make_tiled_copy", "make_tiled_copy_tv"}) {
    EXPECT_EQ(value_of(std::string(name) + "(4:1, 2:1)"), value_of("make_tv_layout(4:1, 2:1)")) << name;
  }
  EXPECT_EQ(error_of("Composition(4:1, 2:1)"), "position 1: there is no function Composition; there is composition");
}

TEST(Expression, ASliceTakesTheCoordinateFirstToo) {
  EXPECT_EQ(value_of("slice((_,2), (4,3):(1,8))"), value_of("slice((4,3):(1,8), (_,2))"));
  EXPECT_EQ(value_of("slice(2, (4,3):(1,8))"), value_of("slice((4,3):(1,8), 2)"));
  EXPECT_EQ(value_of("slice((_,2), (4,4,2):(4,1,16)(_,_,1))"), "18 + 4:4");
  EXPECT_EQ(value_of("slice((_,2), swizzle(1,0,1) o (4,4):(4,1))"), "Swizzle<1,0,1> o 2 o 4:4");
}

TEST(Expression, AThreadIsItsNumberOrItsCoordinate) {
  EXPECT_EQ(value_of("local_partition((8,6):(1,8), (4,3):(1,4), (1,1))"), "9 + (2,2):(4,24)");
  EXPECT_EQ(value_of("local_partition((8,6):(1,8), (4,3):(3,1), (1,1))"), "9 + (2,2):(4,24)") << "wherever 4 stands";
  EXPECT_EQ(value_of("local_partition((8,6):(1,8), (4,3):(3,1), 4)"), "9 + (2,2):(4,24)");
  EXPECT_EQ(error_of("local_partition((8,6):(1,8), (4,3), (4,0))"),
            "position 1: argument 3 of local_partition must be a thread or its coordinate in (4,3), not (4,0)");
  EXPECT_THAT(error_of("local_partition((8,6):(1,8), (4,3), (1,_))"), StartsWith("position 1: "));
  EXPECT_THAT(error_of("local_partition((8,6):(1,8), (4,3), (1,-1))"), StartsWith("position 1: "));
  EXPECT_THAT(error_of("local_partition((8,6):(1,8), (4,3), (1,1,1))"), StartsWith("position 1: "));
}

// One call of each function, by the names that CuTe gives them where it has them.
TEST(Expression, EveryFunctionAnswers) {
  const std::vector<std::pair<std::string, std::string>> calls{
      {"size((4,8):(1,5))", "32"},
      {"cosize((4,8):(1,5))", "39"},
      {"rank((4,(2,3)))", "2"},
      {"depth((4,(2,3)))", "2"},
      {"shape((4,8):(1,5))", "(4,8)"},
      {"stride((4,8):(1,5))", "(1,5)"},
      {"mode((4,8):(1,5), 1)", "8:5"},
      {"layout(4:1)", "4:1"},
      {"make_layout((4,3), (1,8))", "(4,3):(1,8)"},
      {"col_major((4,3))", "(4,3):(1,4)"},
      {"row_major((4,3))", "(4,3):(3,1)"},
      {"ordered_layout((4,3,2), (1,0,2))", "(4,3,2):(3,1,12)"},
      {"identity_layout((4,3))", "(4,3):(E0,E1)"},
      {"crd2idx((2,1), (4,3):(1,8))", "10"},
      {"idx2crd(22, ((2,2),(4,2)))", "((0,1),(1,1))"},
      {"slice((4,3):(1,8), (2,_))", "2 + 3:8"},
      {"elem_less((3,3), (4,3))", "false"},
      {"congruent((4,(2,3)), (1,(5,6)))", "true"},
      {"weakly_congruent((4,6), (4,(2,3)))", "true"},
      {"compatible(24, ((2,2),6))", "true"},
      {"flatten((4,(2,3)):(1,(4,8)))", "(4,2,3):(1,4,8)"},
      {"coalesce((2,(1,6)):(1,(6,2)))", "12:1"},
      {"filter((2,3,4):(1,0,2))", "8:1"},
      {"composition((4,3):(1,8), 6:2)", "(2,3):(2,8)"},
      {"complement(4:2, 19)", "(2,3):(1,8)"},
      {"right_inverse((8,4):(4,1))", "(4,8):(8,1)"},
      {"left_inverse(4:2)", "(2,4):(0,1)"},
      {"max_common_layout((8,4):(4,1), (8,4):(8,1))", "4:8"},
      {"max_common_vector((8,4):(1,8), (8,4):(1,16))", "8"},
      {"logical_divide(10:1, 4:1)", "(4,3):(1,4)"},
      {"zipped_divide((8,6,5), <4,3>)", "((4,3),(2,2,5)):((1,8),(4,24,48))"},
      {"tiled_divide((8,6,5), <4,3>)", "((4,3),2,2,5):((1,8),4,24,48)"},
      {"flat_divide((4,6), <2,3>)", "(2,3,2,2):(1,4,2,12)"},
      {"logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
      {"zipped_product((2,5):(5,1), <3:5,4:6>)", "((2,5),(3,4)):((5,1),(10,30))"},
      {"tiled_product((2,5):(5,1), <3:5,4:6>)", "((2,5),3,4):((5,1),10,30)"},
      {"flat_product((2,5):(5,1), <3:5,4:6>)", "(2,5,3,4):(5,1,10,30)"},
      {"blocked_product((3,4):(4,1), (2,5):(1,2))", "((3,2),(4,5)):((4,12),(1,24))"},
      {"raked_product((3,4):(4,1), (2,5):(1,2))", "((2,3),(5,4)):((12,4),(24,1))"},
      {"tile_to_shape((4,2):(1,4), (8,4))", "((4,2),(2,2)):((1,8),(4,16))"},
      {"tile_to_shape((4,2):(1,4), (8,4), (1,0))", "((4,2),(2,2)):((1,16),(4,8))"},
      {"local_tile((8,6):(1,8), (4,3), (1,_))", "4 + (4,3,2):(1,8,24)"},
      {"local_partition((8,6):(1,8), (4,3):(1,4), 5)", "9 + (2,2):(4,24)"},
      {"make_tv_layout(4:1, 2:1)", "(4,2):(2,1) of a tile (8)"},
      {"upcast((16,8):(1,16), 4)", "(4,8):(1,4)"},
      {"downcast((16,8):(1,16), 2)", "(32,8):(1,32)"},
      {"swizzle(2,0,3)", "Swizzle<2,0,3>"},
  };
  for (const auto& [call, expected] : calls) EXPECT_EQ(value_of(call), expected) << call;
  for (const Function& function : function_table()) {
    const std::string begin = std::string(function.name()) + "(";
    EXPECT_TRUE(std::ranges::any_of(calls, [&](const auto& call) { return call.first.starts_with(begin); }))
        << function.name() << " has no call here";
  }
  EXPECT_EQ(function_help().size(), function_table().size());
}

TEST(Expression, UnreadableTextIsRefusedWithThePosition) {
  EXPECT_EQ(error_of("(4,3"), "\"(4,3\", position 5: expected ',' or ')', but the text ends");
  EXPECT_EQ(error_of("4:1 x 2:2"), "\"4:1 x 2:2\", position 5: expected an operator (o, / or *) or the end, not 'x'");
  EXPECT_THAT(error_of(""), HasSubstr("position 1: expected a number, '(', '<' or a function, but the text ends"));
  EXPECT_THAT(error_of("   "), HasSubstr("position 4"));
  EXPECT_THAT(error_of("4:1 o"), HasSubstr("position 6: expected a number"));
  EXPECT_THAT(error_of("4:1 ∘ ⊘ (3"), HasSubstr("position 7: expected a number, '(', '<' or a function, not '⊘'"));
  EXPECT_THAT(error_of("4:1 ⊗ (3"), HasSubstr("position 9: expected ',' or ')', but the text ends"));
  EXPECT_THAT(error_of("<2,3"), HasSubstr("expected ',' or '>'"));
  EXPECT_THAT(error_of("()"), HasSubstr("position 2"));
  EXPECT_THAT(error_of("4:"), HasSubstr("position 3"));
  EXPECT_THAT(error_of("4:1:2"), HasSubstr("position 4: expected an operator"));
  EXPECT_THAT(error_of("4:1 offset 2"), HasSubstr("expected an operator"));
  EXPECT_THAT(error_of("size"), HasSubstr("position 5: expected '(' after size"));
  EXPECT_THAT(error_of("99999999999999999999"), HasSubstr("63 bits"));
  EXPECT_THAT(error_of(std::string_view("4:1\0", 4)), HasSubstr("the end, not '\\0'"));
  EXPECT_THAT(error_of(std::string(100, '(')), HasSubstr("at most 64 brackets"));
}

TEST(Expression, LongTextsEndInAnErrorAndNotInTheMachine) {
  std::string chain = "4:1", numbers = "(1";
  for (int i = 0; i < 100000; ++i) chain += "o4:1";
  for (int i = 0; i < 100000; ++i) numbers += ",1";
  EXPECT_THAT(error_of(chain), HasSubstr("at most 100 operators"));
  EXPECT_THAT(error_of(numbers + ")"), HasSubstr("at most 10000 numbers"));
  EXPECT_LT(error_of(chain).size(), 400U);
}

TEST(Expression, WhatTheAlgebraRefusesIsNamedWithItsPlaceAndNumbers) {
  EXPECT_THAT(error_of("(4,3):(1,8) o 6:1"), StartsWith("position 13: composition((4,3):(1,8), 6:1): leaf 0"));
  EXPECT_THAT(error_of("size(4:1 o complement((2,2):(2,3), 19))"),
              StartsWith("position 12: complement((2,2):(2,3)): "));
  EXPECT_THAT(error_of("4:1 o (0,3):(1,8)"), StartsWith("position 7: layout((0,3), (1,8)): leaf 0: extent 0"));
  EXPECT_THAT(error_of("(4,3):(1,8,2)"), HasSubstr("same parentheses"));
}

TEST(Expression, WrongArgumentsAreNamed) {
  EXPECT_EQ(error_of("complement()"), "position 1: complement takes 1 or 2 arguments, not 0: complement(L[, M])");
  EXPECT_EQ(error_of("flatten(1,2)"), "position 1: flatten takes 1 argument, not 2: flatten(L)");
  EXPECT_EQ(error_of("size(1,2,3)"), "position 1: size takes 1 or 2 arguments, not 3: size(L[, i])");
  EXPECT_EQ(error_of("4:1 o upcast(4:1, 2:1)"), "position 7: argument 2 of upcast must be a number, not 2:1");
  EXPECT_THAT(error_of("right_inverse(<2,3>)"), HasSubstr("must be a layout or a shape, not <2:1,3:1>"));
  EXPECT_THAT(error_of("mode((4,3), 99999999999)"), HasSubstr("a small number"));
  EXPECT_THAT(error_of("mode((4,3), 2)"), HasSubstr("there is no mode 2"));
  EXPECT_THAT(error_of("divide(4:1, 2:1)"), HasSubstr("there is no function divide; there is logical_divide, "));
  EXPECT_THAT(error_of("coalsce(4:1)"), HasSubstr("there is no function coalsce; there is coalesce"));
  EXPECT_THAT(error_of("frob(4:1)"), testing::EndsWith("there is no function frob"));
}

}  // namespace
}  // namespace boon::layout
