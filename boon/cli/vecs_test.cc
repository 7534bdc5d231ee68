#include <cmath>

#include "boon/cli/parser_testing.h"
#include "boon/cli/vector_parsers.h"

namespace boon::cli {
namespace {

using testing::ElementsAre;

template <class T>
std::string row(std::initializer_list<T> values) {
  std::string bytes = raw(static_cast<std::int32_t>(values.size()));
  for (const T value : values) bytes += raw(value);
  return bytes;
}

VectorTable parse(const std::string& file, Format format = Format::fvecs, std::size_t max_rows = 0) {
  return parse_vecs(Exact(file).bytes(), format, "base.fvecs", max_rows);
}

auto error_in(const std::string& file) {
  return error_of([&] { parse(file); });
}

TEST(Vecs, FloatsBytesAndIntegers) {
  const VectorTable floats = parse(row({1.5F, 2.F}) + row({-3.F, 4.F}));
  EXPECT_EQ(floats.rows(), 2U);
  EXPECT_EQ(floats.dim, 2U);
  EXPECT_THAT(floats.values, ElementsAre(1.5F, 2, -3, 4));
  EXPECT_THAT(parse(row<std::uint8_t>({0, 255, 7}), Format::bvecs).values, ElementsAre(0, 255, 7));
  EXPECT_THAT(parse(row<std::int32_t>({-1, 1 << 24}), Format::ivecs).values, ElementsAre(-1, 16777216));
}

TEST(Vecs, AnotherDimensionIsRefusedWithBothNamed) {
  EXPECT_THAT(error_in(row({1.F, 2.F}) + row({1.F, 2.F}) + row({1.F, 2.F, 3.F})),
              IsError(ErrorCode::invalid_argument, "base.fvecs row 2 has dimension 3, and row 0 has 2"));
}

TEST(Vecs, CutShortInsideARowIsCorrupted) {
  const std::string file = row({1.F, 2.F}) + row({3.F, 4.F}) + row({5.F, 6.F});
  const std::size_t row_bytes = file.size() / 3;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    // The format has no count of rows, so a file cut between two rows is a shorter file.
    if (size % row_bytes == 0) {
      EXPECT_EQ(parse(cut).rows(), size / row_bytes);
    } else {
      EXPECT_THAT(error_in(cut),
                  IsError(ErrorCode::corrupted, "ends in the middle of row " + std::to_string(size / row_bytes)))
          << size;
    }
  }
}

TEST(Vecs, DimensionsThatCannotBeAreRefusedBeforeAnyAllocation) {
  EXPECT_THAT(error_in(raw(std::int32_t{0})), IsError(ErrorCode::corrupted, "as 0"));
  EXPECT_THAT(error_in(raw(std::int32_t{-5}) + raw(1.F)), IsError(ErrorCode::corrupted, "as -5"));
  EXPECT_THAT(error_in(raw(std::int32_t{0x7FFF'FFFF}) + raw(1.F)), IsError(ErrorCode::corrupted, "8589934592 bytes"));
}

TEST(Vecs, NaNNamesItsRowAndComponent) {
  EXPECT_THAT(error_in(row({1.F, 2.F}) + row({1.F, NAN})),
              IsError(ErrorCode::invalid_argument, "base.fvecs row 1, component 1 is NaN"));
  EXPECT_THAT(error_in(row({-HUGE_VALF})), IsError(ErrorCode::invalid_argument, "row 0, component 0 is -Inf"));
}

TEST(Vecs, ReadsNoMoreRowsThanAsked) {
  EXPECT_THAT(parse(row({1.F}) + row({2.F}) + "damaged", Format::fvecs, 2).values, ElementsAre(1, 2));
}

}  // namespace
}  // namespace boon::cli
