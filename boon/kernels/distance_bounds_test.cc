// Where the kernels may read: rows that touch pages which may not be read, and rows far apart.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "boon/kernels/distance.h"

namespace boon::kernels {
namespace {

// Floats between two pages that may not be touched.
class GuardedFloats {
 public:
  explicit GuardedFloats(std::size_t pages) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), pages_(pages) {
    void* memory = mmap(nullptr, mapped(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    if (mprotect(memory_ + page_, pages_ * page_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::fill(begin(), end(), 1.0f);
  }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;
  ~GuardedFloats() { munmap(memory_, mapped()); }

  float* begin() { return reinterpret_cast<float*>(memory_ + page_); }
  float* end() { return begin() + pages_ * page_ / sizeof(float); }

 private:
  std::size_t mapped() const { return (pages_ + 2) * page_; }

  std::size_t page_;
  std::size_t pages_;
  std::byte* memory_ = nullptr;
};

class Bounds : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (distances(GetParam()) == nullptr) GTEST_SKIP() << "this processor has no " << name(GetParam());
    table = distances(GetParam());
  }
  const DistanceTable* table = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Isas, Bounds, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST_P(Bounds, NothingOutsideAVectorIsRead) {
  GuardedFloats a(1), b(1);
  for (std::size_t dim = 0; dim <= 300; ++dim) {
    const auto expected = static_cast<float>(dim);
    ASSERT_EQ(table->dot(a.end() - dim, b.end() - dim, dim), expected);
    ASSERT_EQ(table->dot(a.begin(), b.begin(), dim), expected);
    ASSERT_EQ(table->l2(a.end() - dim, b.begin(), dim), 0);
    ASSERT_EQ(table->sum(a.end() - dim, dim), expected);
    ASSERT_EQ(table->first_not_finite(a.end() - dim, dim), dim);
  }
}

TEST_P(Bounds, NothingOutsideTheRowsIsRead) {
  GuardedFloats memory(3), query(1);
  for (std::size_t dim = 1; dim <= 300; ++dim) {
    for (const std::size_t count : {1, 2, 3, 4, 7, 9}) {
      const float* base = memory.end() - count * dim;
      std::vector<std::uint32_t> ids(count);
      for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint32_t>(count - 1 - i);
      std::vector<float> out(count);
      const std::vector<float> expected(count, static_cast<float>(dim));
      table->dot_gather(query.end() - dim, dim, base, dim, ids.data(), count, out.data());
      ASSERT_EQ(out, expected) << dim;
      table->dot_rows(query.end() - dim, dim, base, dim, count, out.data());
      ASSERT_EQ(out, expected) << dim;
      table->l2_gather(query.end() - dim, dim, base, dim, ids.data(), count, out.data());
      ASSERT_EQ(out, std::vector<float>(count)) << dim;
      table->l2_rows(query.end() - dim, dim, base, dim, count, out.data());
      ASSERT_EQ(out, std::vector<float>(count)) << dim;
    }
  }
}

// A row number times a stride passes 2^32 long before memory is full.
TEST_P(Bounds, RowsPastFourBillionFloatsAreReached) {
  constexpr std::size_t kStride = std::size_t{1} << 20, kRows = 4200, kDim = 100;
  const std::size_t bytes = kRows * kStride * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space of " << bytes << " bytes";
  float* base = static_cast<float*>(memory);
  std::fill_n(base + (kRows - 1) * kStride, kDim, 2.0f);

  const std::vector<float> query(kDim, 1.0f);
  const std::uint32_t ids[] = {kRows - 1, 0};
  float out[2] = {};
  table->dot_gather(query.data(), kDim, base, kStride, ids, 2, out);
  EXPECT_EQ(out[0], 200);
  EXPECT_EQ(out[1], 0);
  munmap(memory, bytes);
}

}  // namespace
}  // namespace boon::kernels
