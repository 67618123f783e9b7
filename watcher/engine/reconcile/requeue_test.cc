// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/requeue.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

class RequeueTest : public ::testing::Test {
 protected:
  RequeueTest() {
    queue_.Add(kKey, Priority::kController, "first", now_);
    queue_.Take(now_);
  }
  void End(const RunResult& result) {
    Requeue{options_, identity_, now_, kKey, record_, queue_, budget_}.Apply(result);
    queue_.Done(kKey, now_);
  }
  static RunResult With(Next next) {
    RunResult result;
    result.next = next;
    result.reason = "why";
    return result;
  }

  static constexpr KeyId kKey = 3;
  const Options options_;
  const std::string identity_ = "watcher-a";
  const absl::Duration now_ = absl::Seconds(100);
  KeyRecord record_;
  DeletionBudget budget_{1, absl::Minutes(1)};
  WorkQueue queue_{{absl::Milliseconds(50), absl::Minutes(5)}};
};

TEST_F(RequeueTest, AnIdleKeyIsNotQueued) {
  End(With(Next::kIdle));
  EXPECT_FALSE(queue_.Ready(kKey));
  EXPECT_EQ(queue_.NextDeadline(), absl::InfiniteDuration());
}

// Events of its children plan a parent again and again while its deletions are deferred.
TEST_F(RequeueTest, AKeyWithDeferredDeletionsTakesOneTurnOfTheBudget) {
  budget_.Charge(99, 1, now_);
  RunResult result = With(Next::kIdle);
  result.deferred_until = now_;
  result.over_budget = true;
  for (int i = 0; i < 5; ++i) {
    End(result);
    EXPECT_EQ(queue_.DueAt(kKey), now_ + absl::Minutes(1)) << i;
    queue_.Add(kKey, Priority::kController, "an event", now_);
    ASSERT_TRUE(queue_.Take(now_).has_value());
  }
}

TEST_F(RequeueTest, StalePlansAreCountedInARow) {
  record_.stale_plans = 2;
  End(With(Next::kAgain));
  EXPECT_EQ(record_.stale_plans, 2u);
  End(With(Next::kIdle));
  EXPECT_EQ(record_.stale_plans, 0u);
}

TEST_F(RequeueTest, AResyncIsNotSoonerThanARetry) {
  RunResult result = With(Next::kIdle);
  result.resync_after = absl::ZeroDuration();
  End(result);
  EXPECT_EQ(queue_.DueAt(kKey), now_ + options_.retry_min);
}

TEST_F(RequeueTest, AStatusThatWaitsIsPlannedWhenItIsDue) {
  RunResult result = With(Next::kIdle);
  result.status_due = now_ + absl::Milliseconds(400);
  End(result);
  EXPECT_EQ(queue_.DueAt(kKey), *result.status_due);
}

// Each of 100 Pods that start at once is an event of one parent.
TEST_F(RequeueTest, EventsOfAKeyWhoseStatusWaitsArePlannedTogether) {
  RunResult result = With(Next::kIdle);
  result.status_due = now_ + absl::Milliseconds(400);
  End(result);
  queue_.Add(kKey, Priority::kController, "a Pod", now_);
  EXPECT_EQ(queue_.DueAt(kKey), now_ + absl::Milliseconds(50));
  queue_.Add(kKey, Priority::kUser, "spec changed", now_);
  EXPECT_TRUE(queue_.Ready(kKey));
}

TEST_F(RequeueTest, AKeyWhoseStatusIsNearlyDueIsNotHeldLonger) {
  RunResult result = With(Next::kIdle);
  result.status_due = now_ + absl::Milliseconds(20);
  End(result);
  queue_.Add(kKey, Priority::kController, "a Pod", now_);
  EXPECT_EQ(queue_.DueAt(kKey), *result.status_due);
}

TEST_F(RequeueTest, NewOutcomesArePlannedAtOnceThreeTimesThenWithABackOff) {
  for (int i = 0; i < 3; ++i) {
    End(With(Next::kAgain));
    ASSERT_TRUE(queue_.Ready(kKey)) << i;
    queue_.Take(now_);
  }
  End(With(Next::kAgain));
  EXPECT_FALSE(queue_.Ready(kKey));
  EXPECT_GT(queue_.DueAt(kKey), now_);
}

TEST_F(RequeueTest, ThePauseThatTheServerRequestedIsKeptEvenForUsers) {
  RunResult result = With(Next::kRetry);
  result.retry_after = absl::Seconds(30);
  End(result);
  queue_.Add(kKey, Priority::kUser, "spec changed", now_);
  EXPECT_FALSE(queue_.Ready(kKey));
  EXPECT_GE(queue_.DueAt(kKey), now_ + absl::Seconds(30));
}

// A Lease read that the API server answered with 503 refuses all waiting plans at once.
TEST_F(RequeueTest, NewOutcomesDoNotEndThePauseThatTheServerRequested) {
  RunResult result = With(Next::kRetry);
  result.news = true;
  result.retry_after = absl::Seconds(30);
  End(result);
  EXPECT_FALSE(queue_.Ready(kKey));
  EXPECT_GE(queue_.DueAt(kKey), now_ + absl::Seconds(30));
}

TEST_F(RequeueTest, AWantedNameIsTriedAgainAfterADoublingPause) {
  End(With(Next::kWanted));
  EXPECT_EQ(queue_.DueAt(kKey), now_ + options_.wanted_name_min);
  EXPECT_EQ(record_.wanted_delay, options_.wanted_name_min);
  End(With(Next::kWanted));
  EXPECT_EQ(record_.wanted_delay, 2 * options_.wanted_name_min);
}

TEST_F(RequeueTest, DeferredDeletionsAreTriedOneAfterAnother) {
  budget_.Charge(99, 1, now_);
  RunResult result = With(Next::kIdle);
  result.deferred_until = now_ + absl::Minutes(1);
  result.over_budget = true;
  End(result);
  EXPECT_EQ(queue_.DueAt(kKey), now_ + absl::Minutes(1));
  queue_.Add(kKey + 1, Priority::kController, "", now_);
  queue_.Take(now_);
  KeyRecord other;
  Requeue{options_, identity_, now_, kKey + 1, other, queue_, budget_}.Apply(result);
  EXPECT_EQ(queue_.DueAt(kKey + 1), now_ + absl::Minutes(2));
}

}  // namespace
}  // namespace xebec::watcher
