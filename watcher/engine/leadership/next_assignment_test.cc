// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/next_assignment.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

/// Two buckets; "me" and "other" are members.
class NextAssignmentTest : public ::testing::Test {
 protected:
  NextAssignmentTest() {
    members_.Take(leases_.Renew(0, "me", {.buckets = 2}), absl::ZeroDuration());
    members_.Take(leases_.Renew(1, "other", {.buckets = 2}), absl::ZeroDuration());
  }
  BucketHolder First(const BucketHolder& now) {
    const Assignment current{{now, {"other", 1, true}}};
    return NextAssignment(
               {current, members_, targets_, epochs_, self_, my_turn_, unused_, idle_, in_doubt_})
        .buckets[0];
  }

  FakeLeases leases_;
  Members members_{absl::Seconds(15)};
  std::vector<std::string> targets_ = {"other", "other"};
  std::vector<uint64_t> epochs_ = {0, 0};
  std::string self_ = "me";
  bool my_turn_ = true;
  BucketSet unused_{2}, idle_{2}, in_doubt_{2};
};

TEST_F(NextAssignmentTest, ALivingHolderKeepsItsBucket) {
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"me", 5, true}));
  targets_[0] = "me";
  EXPECT_EQ(First({"other", 5, true}), (BucketHolder{"other", 5, true}));
}

TEST_F(NextAssignmentTest, AFreeBucketIsGivenAwayAsCleanAsItWasGivenBack) {
  EXPECT_EQ(First({"", 5, true}), (BucketHolder{"other", 6, true}));
  EXPECT_EQ(First({"", 5, false}), (BucketHolder{"other", 6, false}));
  in_doubt_.Add(0);
  EXPECT_EQ(First({"", 5, true}), (BucketHolder{"other", 6, false}));
}

TEST_F(NextAssignmentTest, TheBucketOfADeadHolderIsGivenAwayInDoubt) {
  EXPECT_EQ(First({"dead", 5, true}), (BucketHolder{"other", 6, false}));
  my_turn_ = false;
  EXPECT_EQ(First({"dead", 5, true}), (BucketHolder{"dead", 5, true}));
}

TEST_F(NextAssignmentTest, AnOwnBucketOfAnEarlierMembershipBeginsANewEpoch) {
  unused_.Add(0);
  targets_[0] = "me";
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"me", 6, false}));
}

TEST_F(NextAssignmentTest, AnIdleBucketIsHandedOver) {
  idle_.Add(0);
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"other", 6, true}));
  in_doubt_.Add(0);
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"other", 6, false}));
  targets_[0] = "";
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"", 6, false}));
}

TEST_F(NextAssignmentTest, AnIdleBucketThatIsToStayIsKept) {
  idle_.Add(0);
  targets_[0] = "me";
  EXPECT_EQ(First({"me", 5, true}), (BucketHolder{"me", 5, true}));
}

TEST_F(NextAssignmentTest, EpochsRiseAboveAllThatWereSeenAnywhere) {
  epochs_[0] = 9;
  EXPECT_EQ(First({"", 5, true}).epoch, 10u);
  EXPECT_EQ(First({"me", 5, false}), (BucketHolder{"me", 10, false}));
  EXPECT_EQ(First({"other", 5, true}).epoch, 5u) << "its holder raises it";
}

TEST_F(NextAssignmentTest, AStatementIsAboutTheBucketsThatAreGivenWithIt) {
  const Assignment current{{{"me", 5, true}, {"other", 1, true, true}}, {{"pods", "7"}}};
  const SeenVersions seen = {{"pods", "9"}};
  const auto next = [&] {
    return NextAssignment(
        {current, members_, targets_, epochs_, self_, my_turn_, unused_, idle_, in_doubt_, seen});
  };
  EXPECT_EQ(next(), current) << "nothing moves";
  idle_.Add(0);
  const Assignment given{{{"other", 6, true, true}, {"other", 1, true}}, seen};
  EXPECT_EQ(next(), given);
  in_doubt_.Add(0);
  EXPECT_FALSE(next().buckets[0].stated);
  EXPECT_TRUE(next().seen.empty());
}

}  // namespace
}  // namespace xebec::watcher::testing
