// Rows of fp16 and bf16: against the kernels for floats, which they repeat to the bit, and those against double
// precision (distance_test.cc).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/distance.h"
#include "boon/kernels/element.h"

namespace boon::kernels {
namespace {

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

template <class Half>
std::vector<Half> random_halves(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Half> values(count);
  for (Half& value : values) value = from_float<Half>(static_cast<float>(random.normal()));
  return values;
}

template <class Half>
std::vector<float> widened(const std::vector<Half>& halves) {
  std::vector<float> floats;
  for (const Half half : halves) floats.push_back(to_float(half));
  return floats;
}

class HalvesDistance : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (distances(GetParam()) == nullptr) GTEST_SKIP() << "this processor has no " << name(GetParam());
    table = distances(GetParam());
  }
  // Each way to ask for a row, at every length and in every place of a call.
  template <class Half>
  void expect_bits_of_floats() {
    constexpr std::size_t kRows = 11;
    const RowDistances<Half> halves = row_distances<Half>(*table);
    std::vector<std::size_t> dims = {384, 784, 1025};
    for (std::size_t dim = 0; dim <= 140; ++dim) dims.push_back(dim);
    for (const std::size_t dim : dims) {
      const std::size_t stride = dim + dim % 5;
      const std::vector<Half> base = random_halves<Half>(kRows * stride + 1, dim);
      const std::vector<float> floats = widened(base), query = widened(random_halves<Half>(dim, dim + 1));
      std::vector<float> wide(dim + 1, -1);
      halves.widen(base.data(), dim, wide.data());
      ASSERT_TRUE(std::equal(wide.begin(), wide.end() - 1, floats.begin())) << dim;
      ASSERT_EQ(wide[dim], -1);
      std::vector<std::uint32_t> ids(kRows);
      for (std::size_t i = 0; i < kRows; ++i) ids[i] = static_cast<std::uint32_t>(i * i % kRows);
      for (std::size_t count = 0; count <= kRows; ++count) {
        constexpr float kUntouched = -1234;
        std::vector<float> out(4 * (kRows + 1), kUntouched);
        float* const l2_gather = out.data();
        float* const dot_gather = l2_gather + kRows + 1;
        float* const l2_rows = dot_gather + kRows + 1;
        float* const dot_rows = l2_rows + kRows + 1;
        halves.l2_gather(query.data(), dim, base.data(), stride, ids.data(), count, l2_gather);
        halves.dot_gather(query.data(), dim, base.data(), stride, ids.data(), count, dot_gather);
        halves.l2_rows(query.data(), dim, base.data(), stride, count, l2_rows);
        halves.dot_rows(query.data(), dim, base.data(), stride, count, dot_rows);
        for (std::size_t i = 0; i < count; ++i) {
          const float* gathered = floats.data() + ids[i] * stride;
          const float* next = floats.data() + i * stride;
          ASSERT_EQ(bits(l2_gather[i]), bits(table->l2(query.data(), gathered, dim))) << i << ", " << dim;
          ASSERT_EQ(bits(dot_gather[i]), bits(table->dot(query.data(), gathered, dim))) << i << ", " << dim;
          ASSERT_EQ(bits(l2_rows[i]), bits(table->l2(query.data(), next, dim))) << i << ", " << dim;
          ASSERT_EQ(bits(dot_rows[i]), bits(table->dot(query.data(), next, dim))) << i << ", " << dim;
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
          if (i % (kRows + 1) < count) continue;
          ASSERT_EQ(out[i], kUntouched) << "written past " << count;
        }
      }
    }
  }
  // A row that ends where a page that may not be read begins.
  template <class Half>
  void expect_nothing_outside_is_read() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    void* const inner = static_cast<std::byte*>(memory) + page;
    ASSERT_EQ(mprotect(inner, page, PROT_READ | PROT_WRITE), 0);
    auto* const start = static_cast<Half*>(inner);
    std::fill_n(start, page / sizeof(Half), from_float<Half>(1));
    const std::uint32_t first = 0;
    for (std::size_t dim = 0; dim <= 140; ++dim) {
      const std::vector<float> ones(dim, 1);
      for (const Half* row : {start, start + page / sizeof(Half) - dim}) {
        float product = 0;
        row_distances<Half>(*table).dot_gather(ones.data(), dim, row, dim, &first, 1, &product);
        ASSERT_EQ(product, static_cast<float>(dim));
        std::vector<float> wide(dim);
        row_distances<Half>(*table).widen(row, dim, wide.data());
        ASSERT_EQ(wide, ones);
      }
    }
    munmap(memory, 3 * page);
  }

  const DistanceTable* table = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Isas, HalvesDistance, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST_P(HalvesDistance, AreThoseOfTheSameFloatsToTheBit) {
  expect_bits_of_floats<Fp16>();
  expect_bits_of_floats<Bf16>();
}

TEST_P(HalvesDistance, NothingOutsideTheRowsIsRead) {
  expect_nothing_outside_is_read<Fp16>();
  expect_nothing_outside_is_read<Bf16>();
}

// Denormals are numbers too, the largest is finite, and what is no number stays none.
TEST_P(HalvesDistance, EveryFp16CountsAsItsValue) {
  const std::uint32_t first = 0;
  const float one = 1;
  for (std::uint32_t half = 0; half <= 0xffff; ++half) {
    const Fp16 x{static_cast<std::uint16_t>(half)};
    float product = 0;
    table->fp16.dot_gather(&one, 1, &x, 1, &first, 1, &product);
    if (to_float(x) == to_float(x)) {
      ASSERT_EQ(product, to_float(x)) << half;
    } else {
      ASSERT_NE(product, product) << half;
    }
  }
}

}  // namespace
}  // namespace boon::kernels
