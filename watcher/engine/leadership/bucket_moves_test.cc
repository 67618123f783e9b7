// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/bucket_moves.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

constexpr absl::Duration kStart = absl::Seconds(100);
constexpr absl::Duration kLimit = absl::Seconds(6);

/// "me" holds four buckets; "other" should hold the last two.
class BucketMovesTest : public ::testing::Test {
 protected:
  BucketMovesTest() {
    const Assignment mine{std::vector<BucketHolder>(4, {"me", 1, true})};
    terms_.Review(mine, /*member=*/true, /*alone=*/false, kStart);
  }
  void OtherKeeps(const std::optional<BucketSet>& kept) {
    members_.Take(leases_.Renew(7, "other", {.buckets = 4, .kept = kept}), kStart);
  }
  std::string Waiting(absl::Duration after = absl::ZeroDuration()) {
    moves_.Review(terms_, targets_, members_, leaving_, kStart + after);
    return moves_.waiting().ToText();
  }

  FakeLeases leases_;
  Members members_{absl::Seconds(15)};
  Terms terms_{4, "me", {}};
  std::vector<std::string> targets_ = {"me", "me", "other", "other"};
  bool leaving_ = false;
  BucketMoves moves_{"me", 4, kLimit};
};

TEST_F(BucketMovesTest, ABucketWaitsUntilTheOtherWatcherKeepsIt) {
  OtherKeeps(BucketSet(4));
  EXPECT_EQ(Waiting(), "2-3");
  OtherKeeps(MakeBuckets({1, 3}));
  EXPECT_EQ(Waiting(), "2");
  EXPECT_EQ(Waiting(absl::Hours(1)), "2") << "the other one may never keep it";
  OtherKeeps(BucketSet::All(4));
  EXPECT_EQ(Waiting(), "");
  EXPECT_EQ(moves_.NextDeadline(), absl::InfiniteDuration());
}

TEST_F(BucketMovesTest, NoBucketWaitsForAWatcherThatDoesNotTellOrIsGone) {
  EXPECT_EQ(Waiting(), "");
  OtherKeeps(std::nullopt);
  EXPECT_EQ(Waiting(), "");
}

TEST_F(BucketMovesTest, AWatcherThatLeavesKeepsAllBucketsUntilEachCanGo) {
  leaving_ = true;
  targets_ = {"other", "other", "other", "other"};
  OtherKeeps(MakeBuckets({0, 1, 2}));
  EXPECT_EQ(Waiting(), "0-3");
  EXPECT_FALSE(moves_.ended());
  OtherKeeps(BucketSet::All(4));
  EXPECT_EQ(Waiting(), "");
  EXPECT_TRUE(moves_.ended());
  OtherKeeps(BucketSet(4));
  EXPECT_EQ(Waiting(), "") << "it plans no more";
}

TEST_F(BucketMovesTest, ALeavingWatcherCountsTheLimitFromWhenItBeganToLeave) {
  OtherKeeps(BucketSet(4));
  EXPECT_EQ(Waiting(), "2-3");
  leaving_ = true;
  targets_ = {"other", "other", "other", "other"};
  EXPECT_EQ(Waiting(absl::Seconds(5)), "0-3");
  EXPECT_EQ(Waiting(absl::Seconds(10)), "0-3");
  EXPECT_EQ(moves_.NextDeadline(), kStart + absl::Seconds(5) + kLimit);
  EXPECT_EQ(Waiting(absl::Seconds(11)), "");
  EXPECT_TRUE(moves_.ended());
}

TEST_F(BucketMovesTest, AWatcherWithoutOthersLeavesAtOnce) {
  leaving_ = true;
  targets_ = {"", "", "", ""};
  EXPECT_EQ(Waiting(), "");
  EXPECT_TRUE(moves_.ended());
}

}  // namespace
}  // namespace xebec::watcher::testing
