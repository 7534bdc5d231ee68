#include "boon/core/buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "boon/core/error.h"

namespace boon {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

void fill(PageBuffer& buffer, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) buffer.data()[i] = static_cast<std::byte>(i % 251 + 1);
}

bool is_filled(const PageBuffer& buffer, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (buffer.data()[i] != static_cast<std::byte>(i % 251 + 1)) return false;
  }
  return true;
}

bool is_zero(const PageBuffer& buffer, std::size_t begin, std::size_t end) {
  return std::all_of(buffer.data() + begin, buffer.data() + end, [](std::byte byte) { return byte == std::byte{}; });
}

bool is_huge_aligned(const PageBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data()) % kHuge == 0;
}

bool is_refused(PageBuffer& buffer, std::size_t bytes) {
  try {
    buffer.reserve(bytes);
    return false;
  } catch (const Error& error) {
    return error.code() == ErrorCode::out_of_memory;
  }
}

TEST(PageBuffer, StartsWithNothing) {
  const PageBuffer buffer;
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.capacity(), 0u);
}

TEST(PageBuffer, GrowthKeepsBytesAndAddsZeros) {
  PageBuffer buffer;
  std::size_t filled = 0;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, kHuge - 1, kHuge, kHuge + 1, 3 * kHuge}) {
    buffer.reserve(bytes);
    ASSERT_GE(buffer.capacity(), bytes);
    ASSERT_TRUE(is_filled(buffer, 0, filled)) << bytes;
    ASSERT_TRUE(is_zero(buffer, filled, buffer.capacity())) << bytes;
    fill(buffer, filled, buffer.capacity());
    filled = buffer.capacity();
  }
}

TEST(PageBuffer, LargeOnesStandOnHugePages) {
  std::vector<PageBuffer> buffers(8);
  for (auto& buffer : buffers) {
    buffer.reserve(100);  // small first, so that growth has to find it a better place
    buffer.reserve(kHuge + 1);
    EXPECT_TRUE(is_huge_aligned(buffer));
    EXPECT_EQ(buffer.capacity(), 2 * kHuge);
    buffer.reserve(7 * kHuge);
    EXPECT_TRUE(is_huge_aligned(buffer));
  }
}

TEST(PageBuffer, SmallOnesTakeAPage) {
  PageBuffer buffer;
  buffer.reserve(1);
  EXPECT_EQ(buffer.capacity(), static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(PageBuffer, ReserveWithinTheCapacityMovesNothing) {
  PageBuffer buffer;
  buffer.reserve(3 * kHuge);
  const std::byte* const before = buffer.data();
  buffer.reserve(0);
  buffer.reserve(3 * kHuge);
  EXPECT_EQ(buffer.data(), before);
  EXPECT_EQ(buffer.capacity(), 3 * kHuge);
}

TEST(PageBuffer, UntouchedPagesTakeNoMemory) {
  PageBuffer buffer;
  buffer.reserve(64 * kHuge);
  std::vector<unsigned char> resident(buffer.capacity() / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  ASSERT_EQ(::mincore(buffer.data(), buffer.capacity(), resident.data()), 0);
  EXPECT_EQ(std::count(resident.begin(), resident.end(), 0), std::ssize(resident));
}

TEST(PageBuffer, ImpossibleSizesAreRefusedAndChangeNothing) {
  PageBuffer buffer;
  buffer.reserve(kHuge);
  fill(buffer, 0, kHuge);
  const std::byte* const before = buffer.data();
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 60, std::size_t{1} << 48}) {
    EXPECT_TRUE(is_refused(buffer, bytes)) << bytes;
    EXPECT_EQ(buffer.data(), before);
    EXPECT_EQ(buffer.capacity(), kHuge);
  }
  EXPECT_TRUE(is_filled(buffer, 0, kHuge));
}

TEST(PageBuffer, ShrinkKeepsTheFrontAndLowersTheCapacity) {
  PageBuffer buffer;
  buffer.reserve(3 * kHuge);
  fill(buffer, 0, 3 * kHuge);
  buffer.shrink(kHuge + 10);
  EXPECT_EQ(buffer.capacity(), 2 * kHuge);
  EXPECT_TRUE(is_filled(buffer, 0, kHuge + 10));
  buffer.shrink(10);
  EXPECT_LE(buffer.capacity(), kHuge / 2);
  EXPECT_TRUE(is_filled(buffer, 0, 10));
  buffer.shrink(0);
  EXPECT_EQ(buffer.capacity(), 0u);
}

TEST(PageBuffer, BytesPastAShrinkAreZeroAgain) {
  PageBuffer buffer;
  buffer.reserve(2 * kHuge);
  for (const std::size_t kept : {kHuge + 1, std::size_t{5000}, std::size_t{1}}) {
    buffer.reserve(2 * kHuge);
    fill(buffer, 0, 2 * kHuge);
    buffer.shrink(kept);
    EXPECT_TRUE(is_zero(buffer, kept, buffer.capacity())) << kept;
    buffer.reserve(2 * kHuge);
    EXPECT_TRUE(is_filled(buffer, 0, kept)) << kept;
    EXPECT_TRUE(is_zero(buffer, kept, buffer.capacity())) << kept;
  }
}

TEST(PageBuffer, ShrinkNeverGrows) {
  PageBuffer buffer;
  buffer.shrink(100);
  EXPECT_EQ(buffer.capacity(), 0u);
  buffer.reserve(kHuge);
  buffer.shrink(9 * kHuge);
  EXPECT_EQ(buffer.capacity(), kHuge);
}

TEST(PageBuffer, MovesTakeTheBytesAlong) {
  PageBuffer first;
  first.reserve(kHuge);
  fill(first, 0, kHuge);
  PageBuffer second(std::move(first));
  // Promised empty. NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_EQ(first.capacity(), 0u);
  PageBuffer third;
  third.reserve(10);
  third = std::move(second);
  EXPECT_TRUE(is_filled(third, 0, kHuge));
}

}  // namespace
}  // namespace boon
