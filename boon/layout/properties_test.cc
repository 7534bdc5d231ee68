// The promises of properties.h on some thousands of random layouts, and that carries are refused for a reason.
#include "boon/layout/properties.h"

#include <gtest/gtest.h>

namespace boon::layout::properties {
namespace {

TEST(Properties, HoldOnRandomLayouts) {
  Choices choices(20);
  Tally tally;
  for (int i = 0; i < 4000; ++i) ASSERT_NO_THROW(check_round(choices, tally));
  // A layout that refused everything would keep every promise.
  EXPECT_GT(tally.composed, 3 * tally.rounds / 2);
  EXPECT_GT(tally.complemented, tally.rounds / 2);
  EXPECT_GT(tally.divided, tally.rounds / 8);
  EXPECT_GT(tally.multiplied, tally.rounds / 8);
  EXPECT_GT(tally.left_inverted, tally.rounds / 4);
  EXPECT_GT(tally.carried, 0);
}

TEST(Properties, ACarryIsRefusedOnlyWhereTheLeavesApartAreWrong) {
  Choices choices(21);
  int carried = 0;
  while (carried < 300) {
    const Layout a = draw(choices, Strides::not_negative);
    const Layout b = draw(choices, Strides::not_negative);
    const ComposeResult r = try_compose(a, b);
    if (r.refusal.rule != Rule::rhs_leaves_carry_into_next_lhs_mode) continue;
    ++carried;
    EXPECT_FALSE(leaves_compose_apart(a, b)) << to_string(a) << " o " << to_string(b);
  }
}

// Every a of two modes and every leaf b that has a layout of at most two modes: a leaf is refused only where even
// trying all of them finds none that agrees, or where the extent splits unevenly over the modes.
TEST(Properties, LeavesOfTwoModesAreAcceptedWhereTheStepsAreEven) {
  int accepted = 0;
  for (const std::int64_t extent : {2, 3, 4, 6, 8}) {
    const Layout a(Tuple{extent, 4}, Tuple{1, 100});
    for (std::int64_t s = 2; s <= 12; ++s) {
      for (std::int64_t d = 1; d <= 12; ++d) {
        const bool within = (s - 1) * d < extent;
        const bool past = d % extent == 0;
        const bool even = extent % d == 0 && s % (extent / d) == 0;
        const bool composes = static_cast<bool>(try_compose(a, Layout(s, d)));
        EXPECT_EQ(composes, within || past || even) << extent << " " << s << ":" << d;
        accepted += composes;
      }
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace boon::layout::properties
