// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/write_budget.h"

#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

TEST(WriteBudget, GrowsWhileAnswersAreQuickAndHalvesOnThrottling) {
  WriteBudget budget({.start = 8, .max = 64});
  absl::Duration now;
  for (int i = 0; i < 1000; ++i) {
    while (budget.Available() > 0) budget.OnSent();
    budget.OnResponse(absl::Milliseconds(5), 200, now += absl::Milliseconds(1));
  }
  const size_t before = budget.allowed();
  EXPECT_GT(before, 30u);
  budget.OnResponse(absl::Milliseconds(5), 429, now);
  EXPECT_EQ(budget.allowed(), before / 2);
  budget.OnResponse(absl::Milliseconds(5), 429, now);
  EXPECT_EQ(budget.allowed(), before / 2) << "one burst of 429 counts once";
}

TEST(WriteBudget, ShrinksToItsMinimumWhenAnswersStaySlow) {
  WriteBudget budget({.min = 2, .start = 32});
  absl::Duration now;
  for (int i = 0; i < 200; ++i) {
    budget.OnSent();
    budget.OnResponse(absl::Seconds(5), 200, now += absl::Seconds(1));
  }
  EXPECT_EQ(budget.allowed(), 2u);
}

TEST(WriteBudget, DoesNotGrowWhileItIsNotUsed) {
  WriteBudget budget({.start = 32});
  for (int i = 0; i < 1000; ++i) {
    budget.OnSent();
    budget.OnResponse(absl::Milliseconds(5), 200, absl::Seconds(i));
  }
  EXPECT_EQ(budget.allowed(), 32u);
}

}  // namespace
}  // namespace xebec::applier
