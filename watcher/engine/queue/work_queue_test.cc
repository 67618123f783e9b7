// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/work_queue.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kNow = absl::Seconds(100);
constexpr Backoff kRetry{absl::Milliseconds(50), absl::Minutes(5)};

KeyId TakeKey(WorkQueue& queue, absl::Duration now) {
  const auto taken = queue.Take(now);
  return taken ? taken->key : 999;
}

TEST(WorkQueue, KeyAddedTwiceIsTakenOnce) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.Add(1, Priority::kController, "b", kNow);
  const auto taken = queue.Take(kNow);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->reasons, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(queue.Take(kNow));
}

TEST(WorkQueue, KeyAddedWhileProcessingRunsOnceMore) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.Take(kNow);
  queue.Add(1, Priority::kController, "b", kNow);
  queue.Add(1, Priority::kController, "c", kNow);
  EXPECT_FALSE(queue.Take(kNow));
  EXPECT_TRUE(queue.Dirty(1));
  queue.Done(1, kNow);
  const auto again = queue.Take(kNow);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->reasons, (std::vector<std::string>{"b", "c"}));
  queue.Done(1, kNow);
  EXPECT_FALSE(queue.Take(kNow));
}

TEST(WorkQueue, FreshChangesOvertakeOwnOnesAndTheseTheInitialList) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kBackground, "list", kNow);
  queue.Add(2, Priority::kController, "child", kNow);
  queue.Add(3, Priority::kUser, "spec", kNow);
  EXPECT_EQ(TakeKey(queue, kNow), 3u);
  EXPECT_EQ(TakeKey(queue, kNow), 2u);
  EXPECT_EQ(TakeKey(queue, kNow), 1u);
}

TEST(WorkQueue, WhoWaitedLongIsNotOvertakenAnyMore) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kBackground, "list", kNow);
  queue.Add(2, Priority::kUser, "spec", kNow + absl::Minutes(1));
  EXPECT_EQ(TakeKey(queue, kNow + absl::Minutes(1)), 1u);
}

TEST(WorkQueue, ARepeatedAddRaisesThePriorityAndKeepsThePlace) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kBackground, "list", kNow);
  queue.Add(2, Priority::kUser, "spec", kNow + absl::Seconds(1));
  queue.Add(1, Priority::kUser, "spec", kNow + absl::Seconds(2));
  EXPECT_EQ(TakeKey(queue, kNow + absl::Seconds(2)), 1u);
}

TEST(WorkQueue, EqualsAreTakenInTheOrderOfTheirTimes) {
  WorkQueue queue(kRetry);
  for (KeyId key = 5; key > 0; --key) {
    queue.Add(key, Priority::kUser, "spec", kNow + absl::Seconds(5 - key));
  }
  for (KeyId key = 5; key > 0; --key) EXPECT_EQ(TakeKey(queue, kNow + absl::Seconds(9)), key);
}

TEST(WorkQueue, DelayedKeysWaitForTheirTimeAndTheEarliestCounts) {
  WorkQueue queue(kRetry);
  queue.AddAt(1, Priority::kController, "late", kNow + absl::Seconds(9));
  queue.AddAt(1, Priority::kController, "early", kNow + absl::Seconds(3));
  queue.AddAt(1, Priority::kController, "later", kNow + absl::Seconds(7));
  EXPECT_EQ(queue.NextDeadline(), kNow + absl::Seconds(3));
  EXPECT_FALSE(queue.Take(kNow + absl::Seconds(2)));
  EXPECT_TRUE(queue.Take(kNow + absl::Seconds(3)));
  EXPECT_EQ(queue.NextDeadline(), absl::InfiniteDuration());
}

TEST(WorkQueue, RetriesBackOffUntilTheyAreForgotten) {
  WorkQueue queue(kRetry);
  absl::Duration last;
  for (uint32_t n = 0; n < 5; ++n) {
    queue.Retry(1, "failed", kNow, absl::ZeroDuration());
    const absl::Duration delay = queue.DueAt(1) - kNow;
    EXPECT_GT(delay, last);
    EXPECT_EQ(queue.Failures(1), n + 1);
    last = delay;
    ASSERT_TRUE(queue.Take(kNow + absl::Hours(1)));
    queue.Done(1, kNow);
  }
  queue.Forget(1);
  queue.Retry(1, "failed", kNow, absl::ZeroDuration());
  EXPECT_LT(queue.DueAt(1) - kNow, absl::Milliseconds(70));
  EXPECT_EQ(queue.retries(), 6u);
}

TEST(WorkQueue, ARetryWaitsAtLeastAsLongAsTheServerAsked) {
  WorkQueue queue(kRetry);
  queue.Retry(1, "throttled", kNow, absl::Seconds(7));
  EXPECT_EQ(queue.DueAt(1), kNow + absl::Seconds(7));
}

TEST(WorkQueue, ASoftLimitDelaysEventsButNotUsers) {
  WorkQueue queue(kRetry);
  queue.Hold(1, {kNow + absl::Seconds(5), false});
  queue.Add(1, Priority::kController, "child", kNow);
  EXPECT_FALSE(queue.Take(kNow));
  EXPECT_EQ(queue.DueAt(1), kNow + absl::Seconds(5));
  queue.Add(1, Priority::kUser, "spec", kNow);
  EXPECT_TRUE(queue.Take(kNow));
}

TEST(WorkQueue, UrgentKeysPassASoftLimitAndNoneAHardOne) {
  WorkQueue queue(kRetry);
  queue.Hold(1, {kNow + absl::Seconds(5), false});
  queue.Add(1, Priority::kController, "name is free", kNow, true);
  EXPECT_TRUE(queue.Take(kNow));
  queue.Hold(2, {kNow + absl::Seconds(5), true});
  queue.Add(2, Priority::kUser, "spec", kNow, true);
  EXPECT_FALSE(queue.Take(kNow));
  EXPECT_TRUE(queue.Take(kNow + absl::Seconds(5)));
}

TEST(WorkQueue, ADirtyKeyRespectsALimitSetDuringItsReconcile) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.Take(kNow);
  queue.Add(1, Priority::kController, "b", kNow);
  queue.Hold(1, {kNow + absl::Seconds(5), false});
  queue.Done(1, kNow);
  EXPECT_FALSE(queue.Take(kNow + absl::Seconds(4)));
  EXPECT_TRUE(queue.Take(kNow + absl::Seconds(5)));
}

TEST(WorkQueue, ADelayedKeyThatBecomesDueDuringItsReconcileRunsAfterIt) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.Take(kNow);
  queue.AddAt(1, Priority::kController, "timer", kNow + absl::Seconds(1));
  queue.Tick(kNow + absl::Seconds(2));
  EXPECT_TRUE(queue.Dirty(1));
  EXPECT_FALSE(queue.Take(kNow + absl::Seconds(2)));
  queue.Done(1, kNow + absl::Seconds(2));
  EXPECT_TRUE(queue.Take(kNow + absl::Seconds(2)));
}

TEST(WorkQueue, ReasonsAreBoundedAndKeepTheFirstAndTheNewest) {
  WorkQueue queue(kRetry);
  for (int i = 0; i < 100; ++i) queue.Add(1, Priority::kController, std::to_string(i), kNow);
  const std::vector<std::string> reasons = queue.Take(kNow)->reasons;
  EXPECT_EQ(reasons.size(), 8u);
  EXPECT_EQ(reasons.front(), "0");
  EXPECT_EQ(reasons.back(), "99");
}

TEST(WorkQueue, TakeDirtyRemovesTheKey) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.Take(kNow);
  queue.Add(1, Priority::kController, "b", kNow);
  EXPECT_EQ(queue.TakeDirty(1), std::vector<std::string>{"b"});
  queue.Done(1, kNow);
  EXPECT_FALSE(queue.Take(kNow));
}

TEST(WorkQueue, ARemovedKeyIsForgotten) {
  WorkQueue queue(kRetry);
  queue.Add(1, Priority::kController, "a", kNow);
  queue.AddAt(2, Priority::kController, "b", kNow + absl::Seconds(1));
  queue.Remove(1);
  queue.Remove(2);
  EXPECT_FALSE(queue.Take(kNow + absl::Seconds(2)));
  EXPECT_EQ(queue.Depth(), (std::array<uint64_t, kPriorities>{}));
}

TEST(WorkQueue, AFloodOnOneKeyTakesOnePlace) {
  WorkQueue queue(kRetry);
  queue.Add(2, Priority::kController, "other", kNow);
  for (int i = 1; i < 2000; ++i)
    queue.Add(1, Priority::kController, "flood", kNow + absl::Milliseconds(i));
  EXPECT_EQ(queue.Depth()[1], 2u);
  EXPECT_EQ(TakeKey(queue, kNow + absl::Seconds(2)), 2u);
}

TEST(WorkQueue, ALaterSoftLimitDoesNotLiftAHardOne) {
  WorkQueue queue({absl::Seconds(1), absl::Minutes(5)});
  const absl::Duration now = absl::Seconds(100);
  queue.Hold(1, {now + absl::Seconds(1), /*hard=*/true});
  queue.Hold(1, {now + absl::Seconds(2), /*hard=*/false});
  queue.Add(1, Priority::kUser, "spec changed", now);
  EXPECT_EQ(queue.Take(now), std::nullopt);
  EXPECT_NE(queue.Take(now + absl::Seconds(1)), std::nullopt)
      << "a user's change passes soft limits";
}

}  // namespace
}  // namespace xebec::watcher
