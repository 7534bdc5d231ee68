// Every table that this machine has: whole-number products against the plain version to the bit, all of them against
// double precision.
#include "boon/codec/code_kernels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "boon/codec/nvfp4.h"
#include "boon/codec/nvfp4_tiles.h"
#include "boon/codec/query.h"
#include "boon/codec/testing.h"

namespace boon::codec {
namespace {

constexpr std::size_t kRows = 19;
constexpr std::size_t kSkip = 8;

std::vector<std::size_t> dims() {
  std::vector<std::size_t> all;
  for (std::size_t dim = 1; dim <= 200; ++dim) all.push_back(dim);
  for (const std::size_t dim : {255, 256, 257, 384, 511, 513, 768, 1024, 1536, 4096, 4099}) all.push_back(dim);
  return all;
}

std::vector<const CodeKernels*> tables() {
  std::vector<const CodeKernels*> all;
  for (const auto isa : {kernels::Isa::scalar, kernels::Isa::avx2, kernels::Isa::avx512}) {
    const CodeKernelList list = code_kernels(isa);
    all.insert(all.end(), list.table, list.table + list.count);
  }
  return all;
}

// kRows rows of `bytes` each, with the last one ending where its memory does, so that a sanitizer sees reads past it.
struct Memory {
  Memory(std::size_t row_bytes, std::uint64_t seed) : bytes(row_bytes), stride((kSkip + row_bytes + 3) / 4 * 4) {
    data.resize((kRows - 1) * stride + kSkip + row_bytes);
    Random random(seed);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(random.next());
    for (std::size_t i = 0; i < kRows; ++i) ids.push_back(static_cast<std::uint32_t>(i * i % kRows));  // some twice
  }
  std::uint8_t* row(std::size_t i) { return data.data() + i * stride + kSkip; }
  CodeRows all() const { return {data.data(), stride, nullptr, kSkip}; }
  CodeRows gathered() const { return {data.data(), stride, ids.data(), kSkip}; }

  std::size_t bytes;
  std::size_t stride;
  std::vector<std::uint8_t> data;
  std::vector<std::uint32_t> ids;
};

class Codes : public testing::TestWithParam<const CodeKernels*> {
 protected:
  const CodeKernels& table = *GetParam();

  // A row's value is the same in a gather of any length, and nothing is written past it.
  template <class Out, class Kernel>
  void expect_same_in_gathers(const Memory& memory, const std::vector<Out>& expected, const Kernel& kernel) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, kRows}) {
      std::vector<Out> out(kRows + 1, Out{-77});
      kernel(memory.gathered(), count, out.data());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], expected[memory.ids[i]]) << i << " of " << count;
      for (std::size_t i = count; i <= kRows; ++i) ASSERT_EQ(out[i], Out{-77}) << "written past " << count;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Isas, Codes, testing::ValuesIn(tables()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(Codes, Nvfp4IsThePlainVersionToTheBit) {
  for (const std::size_t dim : dims()) {
    const std::size_t blocks = nvfp4_blocks(dim);
    Memory memory(blocks * 9, dim);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t b = 0; b < blocks; ++b) memory.row(i)[blocks * 8 + b] %= 0x7f;
    }
    const auto x = gaussian(dim, dim + 1);
    const Nvfp4Planes query(x);
    std::vector<float> expected(kRows), out(kRows);
    code_kernels(kernels::Isa::scalar).table[0]->nvfp4(query.query(), memory.all(), kRows, expected.data());
    table.nvfp4(query.query(), memory.all(), kRows, out.data());
    ASSERT_EQ(out, expected) << dim;
    expect_same_in_gathers(memory, out, [&](const CodeRows& rows, std::size_t count, float* to) {
      table.nvfp4(query.query(), rows, count, to);
    });

    const Int8Vector whole(x);
    for (std::size_t i = 0; i < kRows; ++i) {
      std::vector<float> row(dim);
      nvfp4_decode({{memory.row(i), blocks * 8}, {memory.row(i) + blocks * 8, blocks}, 1}, row);
      double product = 0, magnitude = 0;
      for (std::size_t j = 0; j < dim; ++j) {
        product += static_cast<double>(row[j]) * whole.codes()[j];
        magnitude += std::abs(static_cast<double>(row[j]) * whole.codes()[j]);
      }
      ASSERT_NEAR(out[i], product, 1e-6 * magnitude) << i << ", " << dim;
    }
  }
}

TEST_P(Codes, TheSearchedEncodingIsThePlainVersionToTheBit) {
  const auto encode = [](const std::vector<float>& x, const CodeKernels& kernels) {
    const std::size_t blocks = nvfp4_blocks(x.size());
    std::vector<std::uint8_t> bytes(blocks * 9 + 4);
    const float scale =
        nvfp4_encode(x, {{bytes.data(), blocks * 8}, {&bytes[blocks * 8], blocks}}, kernels.nvfp4_search);
    std::memcpy(&bytes[blocks * 9], &scale, 4);
    return bytes;
  };
  const CodeKernels& plain = *code_kernels(kernels::Isa::scalar).table[0];
  for (const std::size_t dim : dims()) {
    auto x = gaussian(dim, dim);
    ASSERT_EQ(encode(x, table), encode(x, plain)) << dim;
    for (std::size_t i = 0; i < dim; ++i)
      x[i] = std::ldexp(x[i], -static_cast<int>(i % 60));  // small blocks, small scales
    ASSERT_EQ(encode(x, table), encode(x, plain)) << dim;
    for (std::size_t i = 0; i < dim; ++i) x[i] = std::round(2 * x[i]) / 2;  // many ties, zeros and minus zeros
    x[0] = 6;
    ASSERT_EQ(encode(x, table), encode(x, plain)) << dim;
  }
}

// All codes and extreme queries: sums of a block reach 16 * 12 * 127 and nothing saturates.
TEST_P(Codes, Nvfp4HoldsTheLargestSums) {
  for (const std::size_t dim : {1, 16, 100, 256, 4096}) {
    for (const auto code : std::to_array<std::uint8_t>({0x77, 0xff, 0x7f, 0x88})) {
      const std::size_t blocks = nvfp4_blocks(dim);
      Memory memory(blocks * 9, 1);
      for (std::size_t i = 0; i < kRows; ++i) {
        std::fill_n(memory.row(i), blocks * 8, code);
        std::fill_n(memory.row(i) + blocks * 8, blocks, std::uint8_t{0x7e});
      }
      std::vector<float> row(dim), out(kRows);
      nvfp4_decode({{memory.row(0), blocks * 8}, {memory.row(0) + blocks * 8, blocks}, 1}, row);
      const std::vector<float> ones(dim, 1);
      table.nvfp4(Nvfp4Planes(ones).query(), memory.all(), kRows, out.data());
      for (const float value : out) ASSERT_EQ(value, dot(row, ones) * 127) << dim << ", " << int{code};
    }
  }
}

TEST_P(Codes, BytesAreTheExactSum) {
  for (const std::size_t dim : dims()) {
    Memory memory(dim, dim);
    const Int8Vector query(gaussian(dim, dim + 1));
    std::vector<std::int32_t> int8(kRows), u8(kRows);
    table.int8(query.query(), memory.all(), kRows, int8.data());
    table.u8(query.query(), memory.all(), kRows, u8.data());
    for (std::size_t i = 0; i < kRows; ++i) {
      std::int32_t signed_sum = 0, unsigned_sum = 0;
      for (std::size_t j = 0; j < dim; ++j) {
        signed_sum += static_cast<std::int8_t>(memory.row(i)[j]) * query.codes()[j];
        unsigned_sum += memory.row(i)[j] * query.codes()[j];
      }
      ASSERT_EQ(int8[i], signed_sum) << i << ", " << dim;
      ASSERT_EQ(u8[i], unsigned_sum) << i << ", " << dim;
    }
    expect_same_in_gathers(memory, int8, [&](const CodeRows& rows, std::size_t count, std::int32_t* to) {
      table.int8(query.query(), rows, count, to);
    });
    expect_same_in_gathers(memory, u8, [&](const CodeRows& rows, std::size_t count, std::int32_t* to) {
      table.u8(query.query(), rows, count, to);
    });
  }
}

TEST_P(Codes, BytesHoldTheLargestSums) {
  for (const std::size_t dim : {1, 31, 64, 1000, 65536}) {
    for (const auto byte : std::to_array<std::uint8_t>({0x80, 0x7f, 0xff})) {
      for (const float sign : {1.F, -1.F}) {
        Memory memory(dim, 1);
        for (std::size_t i = 0; i < kRows; ++i) std::fill_n(memory.row(i), dim, byte);
        const Int8Vector query(std::vector<float>(dim, sign));
        std::vector<std::int32_t> out(kRows);
        table.int8(query.query(), memory.all(), kRows, out.data());
        const auto n = static_cast<std::int32_t>(dim) * static_cast<std::int32_t>(sign) * 127;
        ASSERT_EQ(out, std::vector<std::int32_t>(kRows, n * static_cast<std::int8_t>(byte)))
            << dim << ", " << int{byte};
        table.u8(query.query(), memory.all(), kRows, out.data());
        ASSERT_EQ(out, std::vector<std::int32_t>(kRows, n * byte)) << dim << ", " << int{byte};
      }
    }
  }
}

TEST_P(Codes, BitsAreTheExactSum) {
  for (const std::size_t dim : dims()) {
    const std::size_t bytes = (dim + 7) / 8;
    Memory memory(bytes, dim);
    const auto x = gaussian(dim, dim + 1);
    const BitPlanes query(x);
    std::vector<std::int32_t> out(kRows);
    table.bits(query.query(), memory.all(), kRows, out.data());
    for (std::size_t i = 0; i < kRows; ++i) {
      std::int32_t sum = 0;
      for (std::size_t j = 0; j < dim; ++j) {
        if ((memory.row(i)[j / 8] >> j % 8 & 1) != 0) {
          sum += static_cast<std::int32_t>(std::lround((x[j] - query.low()) / query.step()));
        }
      }
      ASSERT_NEAR(out[i], dim == 1 ? 0 : sum, 1) << i << ", " << dim;  // 1: the last bit of a tie
    }
    expect_same_in_gathers(memory, out, [&](const CodeRows& rows, std::size_t count, std::int32_t* to) {
      table.bits(query.query(), rows, count, to);
    });
    std::vector<std::int32_t> expected(kRows);
    code_kernels(kernels::Isa::scalar).table[0]->bits(query.query(), memory.all(), kRows, expected.data());
    ASSERT_EQ(out, expected) << dim;
  }
}

TEST_P(Codes, FloatsAreTheReference) {
  for (const std::size_t dim : dims()) {
    Memory bytes(dim, dim);
    const auto query = gaussian(dim, dim + 1);
    const auto check = [&](CodeKernels::Float kernel, bool is_l2) {
      std::vector<float> out(kRows);
      kernel(query.data(), dim, bytes.all(), kRows, out.data());
      for (std::size_t i = 0; i < kRows; ++i) {
        double expected = 0, magnitude = 0;
        for (std::size_t j = 0; j < dim; ++j) {
          const double x = query[j], y = bytes.row(i)[j];
          const double term = is_l2 ? (x - y) * (x - y) : x * y;
          expected += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR(out[i], expected, 1e-7 * static_cast<double>(dim + 1) * magnitude) << i << ", " << dim;
      }
      expect_same_in_gathers(bytes, out, [&](const CodeRows& rows, std::size_t count, float* to) {
        kernel(query.data(), dim, rows, count, to);
      });
    };
    check(table.dot_u8, false);
    check(table.l2_u8, true);
  }
}

TEST_P(Codes, TilesAreThePlainVersionToTheBit) {
  for (const std::size_t dim : dims()) {
    const std::size_t blocks = nvfp4_blocks(dim);
    Memory memory(blocks * 9, dim);
    Nvfp4Tiles tiles(dim);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t b = 0; b < blocks; ++b) memory.row(i)[blocks * 8 + b] %= 0x7f;
      tiles.add({{memory.row(i), blocks * 8}, {memory.row(i) + blocks * 8, blocks}, 1});
    }
    const Nvfp4Planes query(gaussian(dim, dim + 1));
    std::vector<float> out(kRows), plain(kRows);
    tiles.dot(query.query(), table, out);
    tiles.dot(query.query(), *code_kernels(kernels::Isa::scalar).table[0], plain);
    ASSERT_EQ(out, plain) << dim;
  }
}

}  // namespace
}  // namespace boon::codec
