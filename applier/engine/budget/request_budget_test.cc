// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/request_budget.h"

#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

const RequestClass kPods{"pods", "create"};
const RequestClass kMaps{"configmaps", "create"};
const RequestClass kReads{"pods", "get"};

kube::ApiResponse Answer(int status) {
  kube::ApiResponse response;
  response.status = status;
  return response;
}

size_t TakeAll(RequestBudget* budget, const RequestClass& name) {
  size_t taken = 0;
  while (budget->TryTake(name)) ++taken;
  return taken;
}

RequestBudget::Figures FiguresOf(const RequestBudget& budget, const RequestClass& name,
                                 absl::Duration now = absl::ZeroDuration()) {
  for (const RequestBudget::Figures& each : budget.ListClasses(now)) {
    if (each.name == name) return each;
  }
  return {};
}

/// Keeps a budget busy with one class of requests for a time, one answer each millisecond.
void Use(RequestBudget* budget, const RequestClass& name, absl::Duration latency,
         absl::Duration* now, int answers) {
  for (int i = 0; i < answers; ++i) {
    TakeAll(budget, name);
    budget->OnAnswer(name, Answer(200), latency, *now += absl::Milliseconds(1));
  }
}

TEST(RequestBudget, GrowsWhileItIsUsedAndHalvesOnThrottling) {
  RequestBudget budget({.min = 2, .start = 8, .max = 64});
  absl::Duration now;
  Use(&budget, kPods, absl::Milliseconds(5), &now, 2000);
  const size_t before = budget.allowed();
  EXPECT_GT(before, 20u);
  budget.OnAnswer(kPods, Answer(429), absl::Milliseconds(5), now);
  EXPECT_EQ(budget.allowed(), before / 2);
  budget.OnAnswer(kPods, Answer(429), absl::Milliseconds(5), now);
  EXPECT_EQ(budget.allowed(), before / 2) << "one burst of 429 counts once";
}

TEST(RequestBudget, DoesNotGrowWhileItIsNotUsed) {
  RequestBudget budget({.min = 8, .start = 32, .max = 256});
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(budget.TryTake(kPods));
    budget.OnAnswer(kPods, Answer(200), absl::Milliseconds(5), absl::Seconds(i));
  }
  EXPECT_EQ(budget.allowed(), 32u);
}

TEST(RequestBudget, NeverFallsBelowItsMinimum) {
  RequestBudget budget({.min = 8, .start = 32, .max = 256});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(budget.TryTake(kPods));
    budget.OnAnswer(kPods, Answer(429), absl::Milliseconds(5), absl::Seconds(i));
  }
  EXPECT_EQ(budget.allowed(), 8u);
  EXPECT_TRUE(budget.held_down(absl::Seconds(19)));
}

// The reads of the Lease of a quiet applier never make it grow.
TEST(RequestBudget, IsNotHeldDownFiveMinutesAfterItsLastThrottling) {
  RequestBudget budget({.min = 8, .start = 32, .max = 256});
  for (int i = 0; i < 3; ++i) budget.OnUncounted(Answer(429), absl::Seconds(i));
  EXPECT_EQ(budget.allowed(), 8u);
  EXPECT_TRUE(budget.held_down(absl::Minutes(5)));
  EXPECT_FALSE(budget.held_down(absl::Minutes(6)));
}

TEST(RequestBudget, IsNotHeldDownIfItsMinimumIsItsStart) {
  RequestBudget budget({.min = 32, .start = 32, .max = 256});
  budget.OnUncounted(Answer(429), absl::ZeroDuration());
  EXPECT_FALSE(budget.held_down(absl::ZeroDuration()));
}

TEST(RequestBudget, KeepsTheRateOfAClassThatHasAlwaysBeenSlow) {
  RequestBudget budget({.min = 2, .start = 32, .max = 256});
  absl::Duration now;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(budget.TryTake(kPods));
    budget.OnAnswer(kPods, Answer(201), absl::Milliseconds(1500), now += absl::Milliseconds(100));
  }
  EXPECT_EQ(budget.allowed(), 32u);
  EXPECT_EQ(FiguresOf(budget, kPods).allowed, 32u);
}

TEST(RequestBudget, AClassThatBecomesSlowShrinksAloneAndRecovers) {
  RequestBudget budget({.min = 4, .start = 32, .max = 256});
  absl::Duration now;
  const auto answer = [&](const RequestClass& name, absl::Duration latency) {
    ASSERT_TRUE(budget.TryTake(name));
    budget.OnAnswer(name, Answer(201), latency, now += absl::Milliseconds(50));
  };
  for (int i = 0; i < 100; ++i) {
    answer(kPods, absl::Milliseconds(10));
    answer(kMaps, absl::Milliseconds(10));
  }
  for (int i = 0; i < 100; ++i) {
    answer(kPods, absl::Milliseconds(1500));
    answer(kMaps, absl::Milliseconds(10));
  }
  EXPECT_EQ(FiguresOf(budget, kPods).allowed, 4u);
  EXPECT_TRUE(FiguresOf(budget, kPods, now).held_down);
  EXPECT_FALSE(FiguresOf(budget, kMaps, now).held_down);
  EXPECT_FALSE(FiguresOf(budget, kPods, now + absl::Minutes(10)).held_down)
      << "a limit that is not used does not grow, and is no reason for an alert";
  EXPECT_EQ(FiguresOf(budget, kMaps).allowed, 32u) << "the others keep their rate";
  EXPECT_EQ(budget.allowed(), 32u);

  now += absl::Minutes(2);
  for (int i = 0; i < 3000; ++i) {
    TakeAll(&budget, kPods);
    budget.OnAnswer(kPods, Answer(201), absl::Milliseconds(1500), now += absl::Milliseconds(50));
  }
  EXPECT_GT(FiguresOf(budget, kPods).allowed, 8u) << "a lasting latency becomes the baseline";
}

TEST(RequestBudget, LeavesRoomBesideAClassThatUsesMuch) {
  RequestBudget budget({.min = 8, .start = 32, .max = 256});
  EXPECT_EQ(TakeAll(&budget, kPods), 24u);
  EXPECT_EQ(TakeAll(&budget, kMaps), 6u);
  EXPECT_TRUE(budget.HasRoom(kReads));
  EXPECT_FALSE(budget.full());
}

TEST(RequestBudget, CountsReadsAndShrinksWhenTheyAreThrottled) {
  RequestBudget budget({.min = 2, .start = 32, .max = 256});
  EXPECT_LT(TakeAll(&budget, kReads), 32u);
  budget.OnAnswer(kReads, Answer(429), absl::Milliseconds(5), absl::Seconds(1));
  EXPECT_EQ(budget.allowed(), 16u);
}

TEST(RequestBudget, TimeoutsOfOneClassDoNotShrinkTheOthers) {
  RequestBudget budget({.min = 2, .start = 32, .max = 256});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(budget.TryTake(kPods));
    budget.OnAnswer(kPods, Answer(0), absl::Seconds(10), absl::Seconds(10 * i));
  }
  EXPECT_LT(FiguresOf(budget, kPods).allowed, 8u);
  EXPECT_EQ(budget.allowed(), 32u);
}

TEST(RequestBudget, AsManyKindsAsAPlanMayNameNeedBoundedMemory) {
  RequestBudget budget;
  for (int i = 0; i < 1000; ++i) {
    const RequestClass name{"kind" + std::to_string(i), "create"};
    ASSERT_TRUE(budget.HasRoom(name));
    ASSERT_TRUE(budget.TryTake(name));
    budget.OnAnswer(name, Answer(200), absl::Milliseconds(5), absl::Seconds(i));
  }
  EXPECT_LE(budget.ListClasses(absl::ZeroDuration()).size(), 257u);
  EXPECT_EQ(budget.in_flight(), 0u);
}

}  // namespace
}  // namespace xebec::applier
