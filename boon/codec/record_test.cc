// The bytes of one vector in each codec, as docs/formats/codec.md describes them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "boon/codec/codec.h"

namespace boon::codec {
namespace {

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  }
  return text;
}

std::string record(std::string_view name, const std::vector<float>& x, std::vector<float> centre = {}) {
  const auto codec = make_codec({.name = std::string(name), .dim = x.size(), .centre = std::move(centre)});
  std::vector<std::uint8_t> bytes(codec->record_bytes());
  codec->encode(kernels::row_major<const float>(x.data(), 1, x.size()), bytes);
  return hex(bytes);
}

const std::vector<float> kX = {3, 0, -4, 12, 0, 0, 0, 0, 0,
                               0, 0, 0,  0,  0, 0, 0, 84};  // of length sqrt(169 + 7056) = 85

TEST(Record, BytesAreThoseOfTheFormat) {
  EXPECT_EQ(record("fp32", {3, -4}),
            "0000a040"
            "00004040"
            "000080c0");
  EXPECT_EQ(record("bf16", {3, -4}),
            "0000a040"
            "4040"
            "80c0");
  EXPECT_EQ(record("bf16", {3, 0, -4}),
            "0000a040"
            "4040"
            "0000"
            "80c0"
            "0000");
  EXPECT_EQ(record("fp16", {3, -4}),
            "0000a040"
            "0042"
            "00c4");
  EXPECT_EQ(record("int8", {127, -127, 0}),
            "e99a33430000803f"
            "7f8100"
            "00");
  EXPECT_EQ(record("u8", {3, 4, 0, 0, 12}),
            "00005041"
            "13000000"
            "a9000000"
            "030400000c"
            "000000");
  EXPECT_EQ(record("rabitq1", {3, -4, 0}),
            "0000a040"
            "0000a040"
            "1eec4e3f"
            "00000000"
            "02000000"
            "05"
            "000000");
  EXPECT_EQ(record("rabitq1", {4, -2, 1}, {1, 2, 1}),
            "76a49240"
            "0000a040"
            "1eec4e3f"
            "0000803f"
            "02000000"
            "05"
            "000000");
}

TEST(Record, Nvfp4HasCodesThenBlockScales) {
  // The scale is 84 / 1536 times 1.0003. Block 0: codes 3 (1.5), 0, c (-2), 7 (6) times 61 (36); block 1: 7 times 78
  // (256).
  EXPECT_EQ(record("nvfp4", kX),
            "0000aa42"
            "f914603d"
            "037c000000000000"
            "0700000000000000"
            "61"
            "78"
            "0000");
}

}  // namespace
}  // namespace boon::codec
