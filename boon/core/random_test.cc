#include "boon/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace boon {
namespace {

TEST(SplitMix64, MatchesTheReference) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(splitmix64(0x9e3779b97f4a7c15ULL),
            0x6e789e6aa1b965f4ULL);  // the second draw of the generator seeded 0
}

// From an independent xoshiro256** in Python; a file may depend on these for
// ever.
TEST(Random, DrawsTheSameNumbersOnEveryMachine) {
  Random random(1);
  for (const std::uint64_t expected :
       {0xc5883e370b0926c3ULL, 0x021b74b80f71f81cULL, 0x268df06749e5c8ceULL, 0xe052757d667afef2ULL})
    EXPECT_EQ(random.next(), expected);
}

TEST(Random, UniformStaysInItsInterval) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1.0);
  Random random(2);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += random.uniform();
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, BelowReachesEveryValueAndNoOther) {
  Random random(3);
  std::vector<int> drawn(7);
  for (int i = 0; i < 7000; ++i) ++drawn.at(random.below(7));
  for (const int times : drawn) EXPECT_NEAR(times, 1000, 150);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, NormalHasTheMomentsOfTheNormalDistribution) {
  Random random(4);
  double moments[4] = {};
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int power = 1; power <= 4; ++power) moments[power - 1] += std::pow(x, power) / kDraws;
  }
  EXPECT_NEAR(moments[0], 0, 0.02);
  EXPECT_NEAR(moments[1], 1, 0.03);
  EXPECT_NEAR(moments[2], 0, 0.06);
  EXPECT_NEAR(moments[3], 3, 0.15);
}

}  // namespace
}  // namespace boon
