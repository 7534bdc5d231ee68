// Rows of bytes: whole numbers against a reference in integers, and against the kernels for floats, which they repeat.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/distance.h"

namespace boon::kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::vector<std::size_t> dims() {
  std::vector<std::size_t> all;
  for (std::size_t dim = 0; dim <= 300; ++dim) all.push_back(dim);
  for (const std::size_t dim : {384, 784, 1025, 2049}) all.push_back(dim);
  return all;
}

Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Bytes values(count);
  for (auto& value : values) value = static_cast<std::uint8_t>(random.below(256));
  return values;
}

float reference(const std::uint8_t* a, const std::uint8_t* b, std::size_t dim) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += static_cast<std::uint64_t>((a[i] - b[i]) * (a[i] - b[i]));
  return static_cast<float>(sum);
}

class BytesDistance : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (distances(GetParam()) == nullptr) GTEST_SKIP() << "this processor has no " << name(GetParam());
    table = distances(GetParam());
  }
  const DistanceTable* table = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Isas, BytesDistance, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST_P(BytesDistance, IsTheSumOfWholeNumbersAtEveryLengthAndAlignment) {
  const Bytes a = random_bytes(2049 + 16, 1), b = random_bytes(2049 + 16, 2);
  for (const std::size_t dim : dims()) {
    for (std::size_t offset = 0; offset < 16; ++offset) {
      const std::uint8_t* x = a.data() + offset;
      const std::uint8_t* y = b.data() + (offset * 7 + 3) % 16;
      ASSERT_EQ(table->l2_u8(x, y, dim), reference(x, y, dim)) << dim << " bytes at " << offset;
    }
  }
}

TEST_P(BytesDistance, EveryComponentCountsOnce) {
  for (const std::size_t dim : dims()) {
    const Bytes zeros(dim);
    const std::vector<float> zero_floats(dim);
    const std::uint32_t first = 0;
    Bytes one(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      one[i] = 255;
      float mixed = 0;
      ASSERT_EQ(table->l2_u8(one.data(), zeros.data(), dim), 65025) << i << " of " << dim;
      table->l2_f32_u8_gather(zero_floats.data(), dim, one.data(), dim, &first, 1, &mixed);
      ASSERT_EQ(mixed, 65025) << i << " of " << dim;
      one[i] = 0;
    }
  }
}

// The longest vectors an index takes, as far apart as bytes can be: the sum fills 32 bits.
TEST_P(BytesDistance, LongestAndFarthestDoesNotOverflow) {
  const Bytes low(65536, 0), high(65536, 255);
  EXPECT_EQ(table->l2_u8(low.data(), high.data(), 65536), 4261478400.0F);
}

// Each of the ways to ask for a row of bytes, in every place of a call.
TEST_P(BytesDistance, DoesNotDependOnHowARowIsAskedFor) {
  constexpr std::size_t kRows = 23;
  for (const std::size_t dim : {1, 3, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 128, 200, 784}) {
    const std::size_t stride = dim + dim % 5;
    const Bytes base = random_bytes(kRows * stride, dim), query = random_bytes(dim, dim + 1);
    const std::vector<float> base_floats(base.begin(), base.end());
    std::vector<float> query_floats(query.begin(), query.end());
    for (float& x : query_floats) x += 0.25F;
    std::vector<std::uint32_t> ids(kRows);
    for (std::size_t i = 0; i < kRows; ++i) ids[i] = static_cast<std::uint32_t>(i * i % kRows);

    for (std::size_t count = 0; count <= kRows; ++count) {
      constexpr float kUntouched = -1234;
      std::vector<float> gathered(kRows + 1, kUntouched), run = gathered, mixed = gathered, mixed_run = gathered;
      table->l2_u8_gather(query.data(), dim, base.data(), stride, ids.data(), count, gathered.data());
      table->l2_u8_rows(query.data(), dim, base.data(), stride, count, run.data());
      table->l2_f32_u8_gather(query_floats.data(), dim, base.data(), stride, ids.data(), count, mixed.data());
      table->l2_f32_u8_rows(query_floats.data(), dim, base.data(), stride, count, mixed_run.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(gathered[i], reference(query.data(), base.data() + ids[i] * stride, dim)) << i << ", " << dim;
        ASSERT_EQ(run[i], reference(query.data(), base.data() + i * stride, dim)) << i << ", " << dim;
        // A query of floats meets bytes as it would meet floats, to the bit.
        ASSERT_EQ(bits(mixed[i]), bits(table->l2(query_floats.data(), base_floats.data() + ids[i] * stride, dim)))
            << i << ", " << dim;
        ASSERT_EQ(bits(mixed_run[i]), bits(table->l2(query_floats.data(), base_floats.data() + i * stride, dim)))
            << i << ", " << dim;
      }
      for (const auto* out : {&gathered, &run, &mixed, &mixed_run}) {
        for (std::size_t i = count; i <= kRows; ++i) ASSERT_EQ((*out)[i], kUntouched) << "written past " << count;
      }
    }
  }
}

// A row that ends where a page that may not be read begins.
TEST_P(BytesDistance, NothingOutsideTheRowsIsRead) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const start = static_cast<std::uint8_t*>(memory) + page;
  ASSERT_EQ(mprotect(start, page, PROT_READ | PROT_WRITE), 0);
  std::fill_n(start, page, std::uint8_t{1});
  const std::uint32_t first = 0;
  for (std::size_t dim = 0; dim <= 300; ++dim) {
    const Bytes zeros(dim);
    const std::vector<float> zero_floats(dim);
    for (const std::uint8_t* row : {start, start + page - dim}) {
      float mixed = 0;
      ASSERT_EQ(table->l2_u8(row, zeros.data(), dim), static_cast<float>(dim));
      ASSERT_EQ(table->l2_u8(zeros.data(), row, dim), static_cast<float>(dim));
      table->l2_f32_u8_gather(zero_floats.data(), dim, row, dim, &first, 1, &mixed);
      ASSERT_EQ(mixed, static_cast<float>(dim));
    }
  }
  munmap(memory, 3 * page);
}

}  // namespace
}  // namespace boon::kernels
