#include "boon/graph/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/graph/hnsw.h"

namespace boon::graph {
namespace {

std::string complaint(const HnswOptions& options) {
  try {
    options.validate();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(HnswOptions, TheDefaultsAndTheEdgesAreFine) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({.neighbours = 2, .build_beam = 1, .level_mult = 1.0001, .alpha = 1}), "");
  EXPECT_EQ(complaint({.neighbours = 512, .build_beam = 65536, .level_mult = 1e9, .alpha = 4}), "");
}

TEST(HnswOptions, AWrongFieldIsNamedWithItsRange) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t neighbours : {0UL, 1UL, 513UL}) {
    EXPECT_THAT(complaint({.neighbours = neighbours}),
                AllOf(HasSubstr("neighbours"), HasSubstr(std::to_string(neighbours)), HasSubstr("2 to 512")));
  }
  for (const std::size_t build_beam : {0UL, 65537UL}) {
    EXPECT_THAT(complaint({.build_beam = build_beam}), AllOf(HasSubstr("build_beam"), HasSubstr("1 to 65536")));
  }
  for (const double level_mult : {1.0, 0.5, -3.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(complaint({.level_mult = level_mult}), AllOf(HasSubstr("level_mult"), HasSubstr("larger than 1")));
  }
  for (const double alpha : {0.99, 4.01, nan}) {
    EXPECT_THAT(complaint({.alpha = alpha}), AllOf(HasSubstr("alpha"), HasSubstr("1 to 4")));
  }
}

TEST(HnswOptions, AGraphOfWrongOptionsIsRefused) {
  EXPECT_THROW(Hnsw({.neighbours = 1}), Error);
}

TEST(HnswOptions, LevelsFollowTheNeighboursUnlessGiven) {
  EXPECT_EQ((HnswOptions{.neighbours = 24}.effective_level_mult()), 24);
  EXPECT_EQ((HnswOptions{.neighbours = 24, .level_mult = 5}.effective_level_mult()), 5);
}

// Of N nodes, N * m^-l reach level l; a binomial count stays within five deviations.
TEST(DrawLevel, EachLevelHasOneInMOfTheLevelBelow) {
  constexpr std::size_t kNodes = 200000;
  for (const double m : {2.0, 4.0, 16.0, 50.0}) {
    std::vector<std::size_t> reach(kMaxLevel + 1, 0);
    for (Node node = 0; node < kNodes; ++node) {
      for (std::size_t level = 0; level <= draw_level(7, node, m); ++level) ++reach[level];
    }
    EXPECT_EQ(reach[0], kNodes);
    for (std::size_t level = 1; level <= 4; ++level) {
      const double expected = kNodes * std::pow(m, -static_cast<double>(level));
      EXPECT_NEAR(static_cast<double>(reach[level]), expected, 5 * std::sqrt(expected) + 1)
          << "level " << level << ", m " << m;
    }
  }
}

TEST(DrawLevel, DependsOnSeedAndNodeAlone) {
  bool seeds_differ = false;
  for (Node node = 0; node < 1000; ++node) {
    EXPECT_EQ(draw_level(1, node, 16), draw_level(1, node, 16));
    seeds_differ |= draw_level(1, node, 16) != draw_level(2, node, 16);
  }
  EXPECT_TRUE(seeds_differ);
}

// What splitmix64() maps to `y`: its steps backwards.
std::uint64_t unmixed(std::uint64_t y) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;  // Newton's iteration doubles the correct bits
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  y ^= y >> 31 ^ y >> 62;
  y *= inverse(0x94d049bb133111ebULL);
  y ^= y >> 27 ^ y >> 54;
  y *= inverse(0xbf58476d1ce4e5b9ULL);
  y ^= y >> 30 ^ y >> 60;
  return y - 0x9e3779b97f4a7c15ULL;
}

TEST(DrawLevel, IsFiniteAtBothEndsOfTheInterval) {
  constexpr Node kNode = 12345;
  const auto seed_for = [](std::uint64_t bits) { return unmixed(unmixed(bits) ^ kNode); };
  const std::uint64_t zero = seed_for(0);
  const std::uint64_t almost_one = seed_for(~std::uint64_t{0});
  ASSERT_EQ(splitmix64(splitmix64(zero) ^ kNode), 0u);
  ASSERT_EQ(splitmix64(splitmix64(almost_one) ^ kNode), ~std::uint64_t{0});

  EXPECT_EQ(draw_level(zero, kNode, 16), 0u);
  EXPECT_EQ(draw_level(zero, kNode, 1.0001), 0u);
  EXPECT_EQ(draw_level(almost_one, kNode, 16), 13u);  // -ln(2^-53) / ln 16 = 13.25
  EXPECT_EQ(draw_level(almost_one, kNode, 1.0001), kMaxLevel);
}

}  // namespace
}  // namespace boon::graph
