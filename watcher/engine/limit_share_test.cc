// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/limit_share.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kPast = -absl::InfiniteDuration();
constexpr absl::Duration kNow = absl::Seconds(1000);
constexpr absl::Duration kLater = absl::Seconds(1060);

TEST(LimitShare, AWatcherAloneUsesTheWholeLimit) {
  EXPECT_EQ(LimitShare().Of(500, kNow), 500u);
  EXPECT_EQ(MakeLimitShare(2, {kPast, kPast}).Of(500, kNow), 500u);
  EXPECT_EQ(LimitShare().NextStep(kNow), absl::InfiniteDuration());
}

TEST(LimitShare, TheSharesOfAllWatchersAreNeverMoreThanTheLimit) {
  const LimitShare small = MakeLimitShare(7, {kPast, kPast, kPast});
  const LimitShare large = MakeLimitShare(7, {kPast, kPast, kPast, kPast});
  EXPECT_EQ(small.Of(500, kNow), 214u);
  EXPECT_EQ(large.Of(500, kNow), 285u);
}

TEST(LimitShare, GainedBucketsCountFromTheirTimeOn) {
  const LimitShare share = MakeLimitShare(4, {kLater, kPast, kLater});
  EXPECT_EQ(share.Of(100, kNow), 25u);
  EXPECT_EQ(share.NextStep(kNow), kLater);
  EXPECT_EQ(share.Of(100, kLater), 75u);
  EXPECT_EQ(share.NextStep(kLater), absl::InfiniteDuration());
}

TEST(LimitShare, EveryWatcherMakesProgressUnlessTheLimitIsZero) {
  const LimitShare share = MakeLimitShare(4, {kPast});
  EXPECT_EQ(share.Of(1, kNow), 1u);
  EXPECT_EQ(share.Of(0, kNow), 0u);
  EXPECT_EQ(MakeLimitShare(4, {kLater}).Of(100, kNow), 1u);
}

}  // namespace
}  // namespace xebec::watcher
