#include "boon/core/bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace boon {
namespace {

std::uint64_t xxh3_of(std::string_view text) {
  return xxh3(as_bytes(text.data(), text.size()));
}

// Values of the xxHash reference implementation, from each of its length
// classes.
TEST(Xxh3, MatchesTheReference) {
  EXPECT_EQ(xxh3({}), 0x2d06800538d394c2ULL);
  EXPECT_EQ(xxh3_of("a"), 0xe6c632b61e964e1fULL);
  EXPECT_EQ(xxh3_of("boon of dimensionality"), 0x093add7407933bfbULL);
  EXPECT_EQ(xxh3_of(std::string(200, 'x')), 0x50ef124fb1e4de53ULL);
  EXPECT_EQ(xxh3_of(std::string(5000, 'y')), 0xadcdb0cffc250bbfULL);
}

TEST(Xxh3, SeesEveryBitOfEveryByte) {
  std::vector<std::byte> bytes(300);
  const std::uint64_t before = xxh3(bytes);
  for (auto& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= std::byte{1} << bit;
      EXPECT_NE(xxh3(bytes), before);
      byte ^= std::byte{1} << bit;
    }
  }
}

TEST(AlignUp, GoesToTheNextMultiple) {
  EXPECT_EQ(align_up(0, 64), 0u);
  EXPECT_EQ(align_up(1, 64), 64u);
  EXPECT_EQ(align_up(64, 64), 64u);
  EXPECT_EQ(align_up(65, 64), 128u);
}

TEST(AsBytes, CountsBytesAndNotElements) {
  const float row[3] = {1, 2, 3};
  EXPECT_EQ(as_bytes(row, 3).size(), 12u);
}

}  // namespace
}  // namespace boon
