// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_writer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kStart = absl::Seconds(100);
constexpr absl::Duration kTurn = absl::Milliseconds(100200);

/// "me" is the second of two members that share two buckets.
class AssignmentWriterTest : public ::testing::Test {
 protected:
  AssignmentWriterTest() {
    OtherRenews({.buckets = 2});
    See(leases_.Renew(1, "me", {.buckets = 2}));
    members_.OnListed(kStart);
    lease_.OnListed();
  }
  void See(const LeaseSeen& seen, absl::Duration now = kStart) { members_.Take(seen, now); }
  void OtherRenews(const MemberFacts& facts, absl::Duration now = kStart) {
    See(leases_.Renew(0, "another", facts), now);
  }
  /// The assignment becomes this one.
  void Assign(const Assignment& assignment, absl::Duration now = kStart) {
    lease_.Take(leases_.Assign(assignment), &out_);
    terms_.Review(assignment, /*member=*/true, false, now);
    Review(now);
  }
  /// Somebody deletes the assignment.
  void Delete() {
    lease_.Take(leases_.Delete(kAssignmentLease), &out_);
    terms_.Review(lease_.current(), /*member=*/true, false, kStart);
    Review(kStart);
  }
  void Review(absl::Duration now) {
    writer_.Review(At(), now);
    terms_.SetTargets(writer_.targets(), BucketSet(terms_.buckets()));
    writer_.Recheck();
  }
  AssignmentWriter::Situation At() const { return {members_, lease_, terms_, leaving_, ended_}; }
  std::optional<Assignment> Next(absl::Duration now = kStart) { return writer_.Next(At(), now); }

  FakeLeases leases_;
  Outputs out_;
  Members members_{absl::Seconds(15)};
  AssignmentLease lease_{LeasePolicy()};
  Terms terms_{2, "me", {absl::Seconds(40), absl::Minutes(1)}};
  AssignmentWriter writer_{2, "me"};
  bool leaving_ = false;
  std::string ended_;
};

TEST_F(AssignmentWriterTest, WritesNothingThatIsAsItShouldBe) {
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  EXPECT_EQ(Next(), std::nullopt);
  EXPECT_EQ(writer_.NextDeadline(At()), absl::InfiniteDuration()) << "until something changes";
  EXPECT_FALSE(writer_.alone());
  EXPECT_EQ(writer_.unassigned(), 0u);
}

TEST_F(AssignmentWriterTest, GivesOrphansAwayInItsTurn) {
  Assign({{{"another", 3, true}, {"", 4, true}}});
  EXPECT_EQ(writer_.unassigned(), 1u);
  EXPECT_EQ(Next(), std::nullopt) << "the first member comes first";
  EXPECT_EQ(writer_.NextDeadline(At()), kTurn);
  const auto next = Next(kTurn);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->buckets[1], (BucketHolder{"me", 5, true}));
}

TEST_F(AssignmentWriterTest, TheTurnCountsFromTheFirstReviewWithAnOrphan) {
  Assign({{{"another", 3, true}, {"", 4, true}}});
  Review(kTurn);
  EXPECT_TRUE(Next(kTurn));
}

TEST_F(AssignmentWriterTest, WritesNothingWhileAWriteIsInProgress) {
  Assign({{{"another", 3, true}, {"", 4, true}}});
  lease_.Write(*Next(kTurn), "me", /*version=*/0, kTurn, &out_);
  EXPECT_EQ(Next(kTurn), std::nullopt);
  EXPECT_EQ(writer_.NextDeadline(At()), kTurn + LeasePolicy().renew_deadline);
}

TEST_F(AssignmentWriterTest, GivesABucketThatAnotherClientFreedAwayInDoubt) {
  Assign({{{"another", 3, true}, {"another", 4, true}}});
  Assign({{{"another", 3, true}, {"", 4, true}}});
  const auto next = Next(kTurn);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->buckets[1], (BucketHolder{"me", 6, false}));
}

TEST_F(AssignmentWriterTest, HandsOverAnIdleBucketInDoubtDuringItsQuarantine) {
  Assign({{{"me", 3, true}, {"me", 4, false}}});
  EXPECT_THAT(writer_.targets(), ElementsAre("me", "another"));
  ASSERT_THAT(terms_.yielding().ToVector(), ElementsAre(1));
  EXPECT_EQ(Next(), std::nullopt) << "a reconcile runs";
  terms_.SetIdle(terms_.yielding(), BucketSet(2), [] { return SeenVersions(); });
  writer_.Recheck();
  ASSERT_TRUE(Next());
  EXPECT_EQ(Next()->buckets[1], (BucketHolder{"another", 5, false}));
  const absl::Duration later = kStart + absl::Seconds(40);
  ASSERT_TRUE(Next(later));
  EXPECT_EQ(Next(later)->buckets[1], (BucketHolder{"another", 5, true}));
}

TEST_F(AssignmentWriterTest, AMemberThatLeavesOrIsSilentTakesNoBuckets) {
  const Assignment assignment{{{"another", 3, true}, {"me", 4, true}}};
  OtherRenews({.buckets = 2, .leaving = true});
  Assign(assignment);
  EXPECT_THAT(writer_.targets(), ElementsAre("me", "me"));
  EXPECT_TRUE(writer_.alone());
  OtherRenews({.buckets = 2});
  Review(kStart);
  EXPECT_THAT(writer_.targets(), ElementsAre("another", "me"));
  Review(kStart + absl::Seconds(15));
  EXPECT_THAT(writer_.targets(), ElementsAre("me", "me"));
}

// A container that restarts would else expect half of its own buckets, and list them again.
TEST_F(AssignmentWriterTest, AnEarlierProcessOfTheSameInstanceTakesNoBuckets) {
  const Assignment assignment{{{"another", 3, true}, {"another", 4, true}}};
  Assign(assignment);
  EXPECT_THAT(writer_.targets(), ElementsAre("another", "me"));
  ended_ = "anoth";
  Review(kStart);
  EXPECT_THAT(writer_.targets(), ElementsAre("me", "me"));
  EXPECT_TRUE(writer_.alone());
  EXPECT_EQ(writer_.Delay(At(), kStart), absl::ZeroDuration());
}

TEST_F(AssignmentWriterTest, AWatcherThatLeavesWritesOnceTheOthersKnow) {
  leaving_ = true;
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  EXPECT_THAT(writer_.targets(), ElementsAre("another", "another"));
  terms_.SetIdle(terms_.yielding(), BucketSet(2), [] { return SeenVersions(); });
  EXPECT_EQ(Next(), std::nullopt);
  EXPECT_EQ(writer_.NextDeadline(At()), absl::InfiniteDuration());
  See(leases_.Renew(1, "me", {.buckets = 2, .leaving = true}));
  EXPECT_EQ(Next()->Of("another").size(), 2u);
}

TEST_F(AssignmentWriterTest, WaitsForWatchersWithAnotherNumberOfBuckets) {
  OtherRenews({.buckets = 1});
  Assign({{{"another", 3, true}}});
  EXPECT_TRUE(writer_.other_count());
  EXPECT_THAT(writer_.targets(), ElementsAre("", ""));
  EXPECT_EQ(writer_.unassigned(), 0u);
  EXPECT_EQ(Next(kTurn), std::nullopt);
  See(leases_.Release(0));
  Review(kStart);
  EXPECT_FALSE(writer_.other_count());
  const auto next = Next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->buckets[0], (BucketHolder{"me", 4, false})) << "above all epochs, and in doubt";
}

// Otherwise, all watchers wait for each other.
TEST_F(AssignmentWriterTest, AssignsAllBucketsAgainIfAnotherClientChangedTheirNumber) {
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  Assign({{{"another", 3, true}, {"me", 4, true}, {"me", 9, true}}});
  EXPECT_FALSE(writer_.other_count());
  EXPECT_EQ(writer_.unassigned(), 2u);
  const auto next = Next(kTurn);
  ASSERT_TRUE(next);
  EXPECT_THAT(next->buckets,
              ElementsAre(BucketHolder{"another", 10, false}, BucketHolder{"me", 10, false}));
}

TEST_F(AssignmentWriterTest, BucketsAreInDoubtIfAnotherClientChangedTheirNumberAndFreedThem) {
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  Assign({{{"", 3, true}}});
  ASSERT_TRUE(Next(kTurn));
  EXPECT_EQ(Next(kTurn)->buckets[0], (BucketHolder{"another", 4, false}));
}

TEST_F(AssignmentWriterTest, WaitsForAWatcherOfAnEarlierVersionThatTheAssignmentNames) {
  OtherRenews({});
  Assign({{{"another", 3, true}}});
  EXPECT_TRUE(writer_.other_count());
}

TEST_F(AssignmentWriterTest, ADeletedAssignmentIsWrittenAgainWithItsHoldersAndEpochs) {
  const Assignment deleted{{{"another", 3, true}, {"me", 4, true}}};
  Assign(deleted);
  Delete();
  EXPECT_EQ(Next(), deleted) << "they may not know yet that it is missing, and go on";
}

TEST_F(AssignmentWriterTest, AMissingAssignmentIsWrittenByTheMembersThatKnowItBest) {
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  OtherRenews({.buckets = 2, .assignment = {lease_.knowledge().version + 1, 4}});
  Delete();
  const absl::Duration expired = kStart + absl::Minutes(1);
  Review(expired);
  EXPECT_EQ(Next(expired), std::nullopt) << "only its Lease, once released, shows that it is dead";
  EXPECT_EQ(writer_.NextDeadline(At()), absl::InfiniteDuration());
  See(leases_.Release(0), expired);
  Review(expired);
  const auto next = Next(expired);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->buckets[0], (BucketHolder{"me", 1005, false}))
      << "it may have planned up to 1004";
  EXPECT_EQ(next->buckets[1], (BucketHolder{"me", 5, false})) << "a new term";
}

TEST_F(AssignmentWriterTest, TellsWhatItKnowsOfAnAssignmentThatItCouldWriteAgain) {
  OtherRenews({.buckets = 2, .assignment = {3, 9}});
  Assign({{{"another", 3, true}, {"me", 4, true}}});
  EXPECT_EQ(writer_.Knowledge(At()), (AssignmentKnowledge{1, 9}));
  Assign({{{"another", 10, true}}});
  EXPECT_EQ(writer_.Knowledge(At()), (AssignmentKnowledge{0, 10}))
      << "it has another number of buckets, so nobody waits for this watcher";
}

TEST_F(AssignmentWriterTest, ANewWatcherThatFindsNoAssignmentWaitsForThoseThatKnewIt) {
  OtherRenews({.buckets = 2, .assignment = {7, 4}});
  See(leases_.Renew(1, "me", {.buckets = 2}));
  Review(kStart);
  EXPECT_EQ(Next(kTurn), std::nullopt);
  ended_ = "another";
  Review(kStart);
  ASSERT_TRUE(Next(kTurn)) << "it was the process before, which has ended";
  EXPECT_EQ(Next(kTurn)->buckets[0], (BucketHolder{"me", 1005, false}));
}

TEST_F(AssignmentWriterTest, WaitsForWatchersWithAnotherNumberOfBucketsAlsoWithoutAnAssignment) {
  OtherRenews({.buckets = 3});
  Assign({{{"another", 1, true}, {"another", 1, true}, {"another", 1, true}}});
  Delete();
  EXPECT_TRUE(writer_.other_count());
  EXPECT_EQ(Next(kTurn), std::nullopt);
}

TEST_F(AssignmentWriterTest, TheDelayIsThePlaceAmongTheLivingMembers) {
  EXPECT_EQ(writer_.Delay(At(), kStart), absl::Milliseconds(200));
  EXPECT_EQ(writer_.Delay(At(), kStart + absl::Seconds(15)), absl::ZeroDuration());
}

}  // namespace
}  // namespace xebec::watcher::testing
