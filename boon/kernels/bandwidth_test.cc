#include "boon/kernels/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "boon/core/error.h"

namespace boon::kernels {
namespace {

void expect_positive(double gb_s) {
  EXPECT_TRUE(std::isfinite(gb_s));
  EXPECT_GT(gb_s, 0);
}

TEST(Bandwidth, EachCaseGivesTwoRates) {
  for (const Kernel kernel : {Kernel::l2, Kernel::dot}) {
    for (const Access access : {Access::sequential, Access::gathered}) {
      const Bandwidth result = measure_bandwidth(distances(), {kernel, access, Level::l1, 100}, 0);
      EXPECT_EQ(result.what.kernel, kernel);
      EXPECT_EQ(result.what.access, access);
      expect_positive(result.kernel_gb_s);
      expect_positive(result.read_gb_s);
      EXPECT_DOUBLE_EQ(result.ratio(), result.kernel_gb_s / result.read_gb_s);
    }
  }
}

TEST(Bandwidth, RowsThatDoNotFitInTheLevelAreRefused) {
  for (const std::size_t dim : {std::size_t{0}, level_bytes(Level::l1)}) {
    try {
      measure_bandwidth(distances(), {Kernel::l2, Access::sequential, Level::l1, dim}, 0);
      FAIL() << dim << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

TEST(Bandwidth, LevelsGrow) {
  EXPECT_LT(level_bytes(Level::l1), level_bytes(Level::l2));
  EXPECT_LT(level_bytes(Level::l2), level_bytes(Level::dram));
  EXPECT_GE(level_bytes(Level::dram), std::size_t{512} << 20);
}

}  // namespace
}  // namespace boon::kernels
