// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/freshness_barrier.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kNow = absl::Seconds(100);
constexpr Backoff kBackoff{absl::Seconds(1), absl::Seconds(30)};
using Next = FreshnessBarrier::Next;

class FreshnessBarrierTest : public ::testing::Test {
 protected:
  FreshnessBarrierTest() { barrier_.Require({kNow}, kNow); }
  void Ask(uint32_t tries = 0) { barrier_.Ask(ListRun(7, false, 2, kNow, "10"), tries); }

  FreshnessBarrier barrier_;
};

TEST_F(FreshnessBarrierTest, IsNeededUntilAListOrBarrierBeganLateEnough) {
  EXPECT_TRUE(barrier_.needed());
  barrier_.OnListed(kNow - absl::Seconds(1));
  EXPECT_TRUE(barrier_.needed());
  Ask();
  EXPECT_FALSE(barrier_.needed()) << "it was requested";
  barrier_.Require({kNow + absl::Seconds(1)}, kNow);
  EXPECT_TRUE(barrier_.needed()) << "the request is too early";
  barrier_.OnListed(kNow + absl::Seconds(1));
  EXPECT_FALSE(barrier_.needed());
}

TEST_F(FreshnessBarrierTest, IsPassedByAWatchThatReachesItsVersion) {
  Ask();
  EXPECT_EQ(barrier_.stream(), 7u);
  barrier_.Pass("99");
  EXPECT_TRUE(barrier_.open()) << "it has no version";
  barrier_.OnVersion("20", kNow);
  EXPECT_FALSE(barrier_.asked());
  barrier_.Pass("19");
  EXPECT_LT(barrier_.fresh_since(), kNow);
  barrier_.Pass("20");
  EXPECT_EQ(barrier_.fresh_since(), kNow);
  EXPECT_FALSE(barrier_.open());
  EXPECT_EQ(barrier_.due(), absl::InfiniteDuration());
}

TEST_F(FreshnessBarrierTest, AWatchThatDoesNotReachItIsReopenedOnceThenAListIsNeeded) {
  Ask();
  barrier_.OnVersion("20", kNow);
  EXPECT_EQ(barrier_.due(), kNow + absl::Milliseconds(300));
  EXPECT_EQ(barrier_.OnTick(kNow), Next::kReopenWatch);
  EXPECT_EQ(barrier_.due(), kNow + absl::Seconds(5));
  EXPECT_EQ(barrier_.OnTick(kNow), Next::kList);
  EXPECT_FALSE(barrier_.open());
}

TEST_F(FreshnessBarrierTest, IsAskedForThreeTimes) {
  uint32_t tries = 0;
  for (int i = 0; i < 2; ++i) {
    Ask(tries);
    barrier_.OnFailed(kNow, absl::ZeroDuration(), kBackoff, 0);
    EXPECT_FALSE(barrier_.asked());
    EXPECT_GE(barrier_.due(), kNow + kBackoff.min);
    EXPECT_EQ(barrier_.OnTick(kNow), Next::kAsk);
    tries = barrier_.Drop();
  }
  Ask(tries);
  barrier_.OnFailed(kNow, absl::ZeroDuration(), kBackoff, 0);
  EXPECT_EQ(barrier_.OnTick(kNow), Next::kList);
}

TEST_F(FreshnessBarrierTest, IsAListWhenOnePageHasAll) {
  Ask();
  const ListRun list = barrier_.TakeList();
  EXPECT_EQ(list.stream(), 7u);
  EXPECT_TRUE(list.Refuses("9"));
  EXPECT_FALSE(barrier_.open());
}

class StatedVersionTest : public ::testing::Test {
 protected:
  StatedVersionTest() { barrier_.Require({kNow, "20"}, kNow); }

  FreshnessBarrier barrier_;
};

TEST_F(StatedVersionTest, CostsNothingIfTheWatchShowsIt) {
  EXPECT_FALSE(barrier_.needed());
  barrier_.Pass("19");
  EXPECT_LT(barrier_.seen_since(), kNow);
  barrier_.Pass("20");
  EXPECT_EQ(barrier_.seen_since(), kNow);
  EXPECT_LT(barrier_.fresh_since(), kNow) << "others may have written later";
  EXPECT_EQ(barrier_.due(), absl::InfiniteDuration());
}

TEST_F(StatedVersionTest, IsProvedByAPageIfTheWatchDoesNotShowItSoon) {
  ASSERT_EQ(barrier_.due(), kNow + absl::Milliseconds(300));
  EXPECT_EQ(barrier_.OnTick(barrier_.due()), Next::kAsk);
  EXPECT_TRUE(barrier_.needed());
  EXPECT_EQ(barrier_.due(), absl::InfiniteDuration());
  barrier_.Ask(ListRun(7, false, 2, kNow + absl::Seconds(1), "10"), 0);
  barrier_.OnVersion("30", kNow + absl::Seconds(1));
  barrier_.Pass("30");
  EXPECT_GE(barrier_.seen_since(), kNow);
  EXPECT_FALSE(barrier_.needed());
}

TEST_F(StatedVersionTest, AnswersTheSecondStatementOnlyWithTheLaterVersion) {
  barrier_.Require({kNow + absl::Seconds(1), "25"}, kNow);
  barrier_.Require({kNow + absl::Seconds(2), "22"}, kNow);
  barrier_.Pass("24");
  EXPECT_LT(barrier_.seen_since(), kNow);
  barrier_.Pass("25");
  EXPECT_EQ(barrier_.seen_since(), kNow + absl::Seconds(2));
}

TEST_F(StatedVersionTest, DoesNotReplaceTheProofThatAnEarlierStatementWithoutAVersionNeeds) {
  const absl::Duration unstated = kNow + absl::Seconds(1), stated = kNow + absl::Seconds(2);
  barrier_.Require({unstated, ""}, kNow);
  EXPECT_TRUE(barrier_.needed());
  barrier_.Require({stated, "25"}, kNow);
  barrier_.Pass("25");
  EXPECT_LT(barrier_.seen_since(), unstated);
  barrier_.OnListed(unstated);
  barrier_.Pass("25");
  EXPECT_EQ(barrier_.seen_since(), stated);
}

TEST_F(StatedVersionTest, ThatTheWatchShowsAtLastNeedsNoPage) {
  barrier_.OnTick(barrier_.due());
  ASSERT_TRUE(barrier_.needed());
  barrier_.Pass("20");
  EXPECT_FALSE(barrier_.needed());
}

TEST_F(StatedVersionTest, IsProvedByAListThatBeganLater) {
  barrier_.OnListed(kNow - absl::Seconds(1));
  EXPECT_NE(barrier_.due(), absl::InfiniteDuration());
  barrier_.OnListed(kNow);
  EXPECT_EQ(barrier_.due(), absl::InfiniteDuration());
  EXPECT_EQ(barrier_.seen_since(), kNow);
}

TEST_F(StatedVersionTest, ThatCannotBeComparedIsProvedByAPage) {
  barrier_.Require({kNow, "x"}, kNow);
  EXPECT_TRUE(barrier_.needed());
}

}  // namespace
}  // namespace xebec::watcher
