// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/deletion_budget.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::StartsWith;

constexpr absl::Duration kNow = absl::Seconds(1000);

TEST(DeletionBudget, NeverDefersAParentBecauseOfItsOwnDeletions) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 1000, kNow);
  EXPECT_TRUE(budget.Allows(1, kNow));
  EXPECT_FALSE(budget.Allows(2, kNow));
}

TEST(DeletionBudget, DefersOnlyWhenOthersHaveUsedItUpAndOnlyForTheInterval) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 6, kNow);
  budget.Charge(2, 6, kNow + absl::Seconds(20));
  EXPECT_TRUE(budget.Allows(1, kNow + absl::Seconds(20)));
  EXPECT_FALSE(budget.Allows(3, kNow + absl::Seconds(20)));
  EXPECT_EQ(budget.AllowedAt(3, kNow + absl::Seconds(20)), kNow + absl::Minutes(1));
  EXPECT_TRUE(budget.Allows(3, kNow + absl::Minutes(1)));
}

TEST(DeletionBudget, GivesBackWhatWasNotCarriedOut) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 12, kNow);
  budget.Refund(1, 5);
  EXPECT_TRUE(budget.Allows(2, kNow));
  budget.Refund(1, 500);
  EXPECT_TRUE(budget.Allows(2, kNow));
}

TEST(DeletionBudget, ReservesAsManyDeletionsOfAnIntervalAsTheLimitAllows) {
  DeletionBudget budget(3, absl::Minutes(1));
  budget.Charge(1, 1, kNow);
  budget.Charge(2, 2, kNow + absl::Seconds(10));
  const absl::Duration now = kNow + absl::Seconds(20);
  std::vector<absl::Duration> times;
  for (int i = 0; i < 7; ++i) times.push_back(budget.Reserve(now) - kNow);
  const absl::Duration first = absl::Seconds(60);
  const absl::Duration second = absl::Seconds(70);
  const absl::Duration third = absl::Seconds(120);
  EXPECT_EQ(times, (std::vector<absl::Duration>{first, second, second, third, absl::Seconds(130),
                                                absl::Seconds(130), absl::Seconds(180)}));
  EXPECT_EQ(budget.Reserve(kNow + absl::Hours(1)), kNow + absl::Hours(1)) << "all is past";
}

TEST(DeletionBudget, ABudgetOfZeroDefersEveryDeletion) {
  DeletionBudget budget(0, absl::Minutes(1));
  EXPECT_FALSE(budget.Allows(1, kNow));
  budget.SetShare(MakeLimitShare(2, {-absl::InfiniteDuration()}));
  EXPECT_FALSE(budget.Allows(1, kNow));
  EXPECT_EQ(budget.Reserve(kNow), kNow + absl::Minutes(1));
}

TEST(DeletionBudget, AllowsTheShareOfTheWatcher) {
  DeletionBudget budget(10, absl::Minutes(1));
  budget.Charge(1, 5, kNow);
  EXPECT_TRUE(budget.Allows(2, kNow));
  budget.SetShare(MakeLimitShare(2, {-absl::InfiniteDuration()}));
  EXPECT_FALSE(budget.Allows(2, kNow)) << "another watcher may use the other half";
}

TEST(DeletionBudget, NamesTheShareBesideTheWhole) {
  DeletionBudget budget(500, absl::Minutes(1));
  EXPECT_EQ(budget.Message("Iris", kNow),
            "Deletions are deferred: Iris has used up its budget of 500 deletions within 1m. Xebec "
            "continues them in the next interval. To allow more deletions, raise the watcher's "
            "setting deletion.budget (in the chart: watcher.config.deletion.budget).");
  budget.SetShare(MakeLimitShare(4, {-absl::InfiniteDuration()}));
  EXPECT_THAT(budget.Message("Iris", kNow),
              StartsWith("Deletions are deferred: Iris has used up its share of 125 of the budget "
                         "of 500 deletions within 1m."));
}

TEST(DeletionBudget, GrowsWhenTheDeletionsOfTheFormerHolderAreOver) {
  const absl::Duration grows = kNow + absl::Seconds(30);
  DeletionBudget budget(10, absl::Minutes(1),
                        MakeLimitShare(2, {-absl::InfiniteDuration(), grows}));
  budget.Charge(1, 5, kNow);
  EXPECT_EQ(budget.AllowedAt(2, kNow), grows);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(budget.Reserve(kNow), grows);
  EXPECT_EQ(budget.Reserve(kNow), kNow + absl::Minutes(1));
}

}  // namespace
}  // namespace xebec::watcher
