#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

std::string with_header(const std::string& literal, const std::string& array, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  if (version == 1) {
    file += raw(static_cast<std::uint16_t>(literal.size()));
  } else {
    file += raw(static_cast<std::uint32_t>(literal.size()));
  }
  return file + literal + array;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& array, bool fortran = false,
                char version = 1) {
  return with_header(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}   \n", descr,
                                 fortran ? "True" : "False", shape),
                     array, version);
}

template <class T>
std::string array_of(std::initializer_list<T> values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) {
    std::string one = raw(value);
    if (big_endian) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

VectorTable parse(const std::string& file, std::size_t max_rows = 0) {
  return parse_npy(Exact(file).bytes(), "vectors.npy", max_rows);
}

auto error_in(const std::string& file) {
  return error_of([&] { parse(file); });
}

TEST(Npy, RowsOfFloats) {
  const VectorTable table = parse(npy("<f4", "(2, 3)", array_of<float>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(table.dim, 3U);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(table.names.empty());
  EXPECT_TRUE(table.ids.empty());
}

TEST(Npy, EachVersionOfTheFormat) {
  const std::string array = array_of<float>({1, 2});
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_THAT(parse(npy("<f4", "(1, 2)", array, false, version)).values, ElementsAre(1, 2)) << int{version};
  }
  EXPECT_THAT(error_in(npy("<f4", "(1, 2)", array, false, 4)), IsError(ErrorCode::unsupported, "version 4"));
}

TEST(Npy, OneAxisIsOneVector) {
  const VectorTable table = parse(npy("<f4", "(3,)", array_of<float>({1, 2, 3})));
  EXPECT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.dim, 3U);
}

TEST(Npy, FortranOrderAndBigEndianGiveTheSameTable) {
  const auto expected = ElementsAre(1, 2, 3, 4, 5, 6);
  const auto rows = {1.F, 2.F, 3.F, 4.F, 5.F, 6.F};
  const auto columns = {1.F, 4.F, 2.F, 5.F, 3.F, 6.F};
  EXPECT_THAT(parse(npy("<f4", "(2, 3)", array_of<float>(columns), true)).values, expected);
  EXPECT_THAT(parse(npy(">f4", "(2, 3)", array_of<float>(rows, true))).values, expected);
  EXPECT_THAT(parse(npy(">f4", "(2, 3)", array_of<float>(columns, true), true)).values, expected);
  EXPECT_THAT(parse(npy("<f8", "(2, 3)", array_of<double>({1, 2, 3, 4, 5, 6}))).values, expected);
  EXPECT_THAT(parse(npy(">f8", "(2, 3)", array_of<double>({1, 2, 3, 4, 5, 6}, true))).values, expected);
}

TEST(Npy, Bytes) {
  EXPECT_THAT(parse(npy("|u1", "(2, 2)", array_of<std::uint8_t>({0, 1, 128, 255}))).values,
              ElementsAre(0, 1, 128, 255));
  EXPECT_THAT(parse(npy("|i1", "(2, 2)", array_of<std::int8_t>({0, 1, -128, -1}))).values, ElementsAre(0, 1, -128, -1));
}

TEST(Npy, HalvesAreExact) {
  // one, minus two, the largest, the smallest normal, the largest and the smallest subnormal, both zeros
  const auto halves = {0x3C00, 0xC000, 0x7BFF, 0x0400, 0x03FF, 0x0001, 0x0000, 0x8000};
  for (const bool big_endian : {false, true}) {
    std::string array;
    for (const int half : halves) array += array_of<std::uint16_t>({static_cast<std::uint16_t>(half)}, big_endian);
    const VectorTable table = parse(npy(big_endian ? ">f2" : "<f2", "(1, 8)", array));
    EXPECT_THAT(table.values, ElementsAre(1, -2, 65504, 0x1p-14F, 0x1.FF8p-15F, 0x1p-24F, 0, 0));
    EXPECT_TRUE(std::signbit(table.values[7]));
  }
}

TEST(Npy, HalvesThatAreNotFiniteAreRefused) {
  EXPECT_THAT(error_in(npy("<f2", "(1, 1)", array_of<std::uint16_t>({0x7C00}))),
              IsError(ErrorCode::invalid_argument, "vectors.npy row 0, component 0 is Inf"));
  EXPECT_THAT(error_in(npy("<f2", "(1, 1)", array_of<std::uint16_t>({0xFC00}))),
              IsError(ErrorCode::invalid_argument, "component 0 is -Inf"));
  EXPECT_THAT(error_in(npy("<f2", "(1, 1)", array_of<std::uint16_t>({0x7E00}))),
              IsError(ErrorCode::invalid_argument, "component 0 is NaN"));
}

TEST(Npy, NaNNamesItsRowAndComponent) {
  std::string array;
  for (int i = 0; i < 20 * 5; ++i) array += raw(i == 17 * 5 + 3 ? NAN : 1.F);
  EXPECT_THAT(error_in(npy("<f4", "(20, 5)", array)),
              IsError(ErrorCode::invalid_argument, "vectors.npy row 17, component 3 is NaN"));
}

TEST(Npy, DoublesRoundAndThoseTooLargeAreRefused) {
  EXPECT_THAT(parse(npy("<f8", "(3,)", array_of<double>({0.1, double{FLT_MAX}, 1e-300}))).values,
              ElementsAre(0.1F, FLT_MAX, 0));
  // Rounds down to the largest float; the next double up would round to infinity.
  const double limit = 0x1.ffffffp127;
  EXPECT_THAT(parse(npy("<f8", "(1,)", raw(std::nextafter(limit, 0)))).values, ElementsAre(FLT_MAX));
  EXPECT_THAT(error_in(npy("<f8", "(2, 2)", array_of<double>({0, 0, 0, limit}))),
              IsError(ErrorCode::invalid_argument, "row 1, component 1 is 3.40282"));
  EXPECT_THAT(error_in(npy("<f8", "(1,)", raw(-1e300))),
              IsError(ErrorCode::invalid_argument, "component 0 is -1e+300, more than a 32-bit float can hold"));
  EXPECT_THAT(error_in(npy("<f8", "(1,)", raw(HUGE_VAL))), IsError(ErrorCode::invalid_argument, "is Inf"));
}

TEST(Npy, CutShortAnywhereIsCorrupted) {
  for (const char version : {'\1', '\2'}) {
    const std::string file = npy("<f4", "(2, 3)", array_of<float>({1, 2, 3, 4, 5, 6}), false, version);
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_THAT(error_in(file.substr(0, size)), IsError(ErrorCode::corrupted, "vectors.npy")) << size;
    }
  }
}

TEST(Npy, BytesAfterTheArrayAreRefused) {
  EXPECT_THAT(error_in(npy("<f4", "(1, 1)", array_of<float>({1, 2}))), IsError(ErrorCode::corrupted, "goes on after"));
}

TEST(Npy, ShapesTooLargeForTheFileAreRefusedBeforeAnyAllocation) {
  for (const char* const shape :
       {"(1000000000000, 4)", "(4, 1000000000000)", "(4294967296, 4294967296)", "(18446744073709551615, 2)",
        "(2, 18446744073709551615)", "(4611686018427387905, 4)"}) {
    EXPECT_THAT(error_in(npy("<f4", shape, array_of<float>({1, 2, 3, 4}))), IsError(ErrorCode::corrupted, "cut short"))
        << shape;
  }
  EXPECT_THAT(error_in(npy("<f4", "(18446744073709551616, 1)", "")), IsError(ErrorCode::corrupted, "length"));
}

TEST(Npy, OtherShapesSayWhatToDo) {
  EXPECT_THAT(error_in(npy("<f4", "(2, 3, 4)", "")), IsError(ErrorCode::invalid_argument, "shape (2, 3, 4)"));
  EXPECT_THAT(error_in(npy("<f4", "()", raw(1.F))), IsError(ErrorCode::invalid_argument, "reshape"));
  EXPECT_THAT(error_in(npy("<f4", "(3, 0)", "")), IsError(ErrorCode::invalid_argument, "dimension 0"));
}

TEST(Npy, OtherTypesAreNamed) {
  for (const char* const descr : {"<i8", "<c8", "|b1", "|O", "<U5", "<f16", "f4", "", "<"}) {
    EXPECT_THAT(error_in(npy(descr, "(1, 1)", std::string(8, '\0'))),
                IsError(ErrorCode::invalid_argument, fmt::format("elements of type \"{}\"", descr)))
        << descr;
  }
  EXPECT_THAT(error_in(with_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")),
              IsError(ErrorCode::invalid_argument, "named fields"));
}

TEST(Npy, HeadersInOtherSpellings) {
  const std::string array = array_of<float>({1, 2});
  for (const char* const literal : {"{'shape':(1,2),'fortran_order':False,'descr':'<f4'}",
                                    "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1L, 2L)}",
                                    "  { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , } \n"}) {
    EXPECT_THAT(parse(with_header(literal, array)).values, ElementsAre(1, 2)) << literal;
  }
}

TEST(Npy, DamagedHeadersAreCorrupted) {
  for (const char* const literal : {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
                                    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                                    "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}",
                                    "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                                    "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_THAT(error_in(with_header(literal, raw(1.F))), IsError(ErrorCode::corrupted, "header")) << literal;
  }
}

TEST(Npy, ReadsNoMoreRowsThanAsked) {
  const std::string file = npy("<f4", "(3, 2)", array_of<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(parse(file, 2).values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(parse(file, 9).rows(), 3U);
  EXPECT_THAT(parse(npy("<f4", "(3, 2)", array_of<float>({1, 3, 5, 2, 4, 6}), true), 2).values,
              ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace boon::cli
