// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/lease.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/candidate.h"

namespace xebec::watcher::testing {
namespace {

TEST(Lease, IsCreatedWhereThereIsNone) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  EXPECT_TRUE(a.elector.Leads(kStart));
  EXPECT_EQ(a.elector.epoch(), 1u);
  EXPECT_EQ(lease.now.holder, "a");
  EXPECT_FALSE(a.elector.clean_handover());
}

TEST(Lease, DoesNothingBeforeItHasBeenSeen) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.Tick(kStart);
  EXPECT_EQ(a.writes, 0);
  EXPECT_FALSE(a.elector.Leads(kStart));
}

TEST(Lease, IsRenewedEveryRetryPeriodAndTheEpochStays) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  a.Run(kStart, absl::Seconds(20));
  EXPECT_EQ(a.writes, 11);
  EXPECT_EQ(a.elector.epoch(), 1u);
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Seconds(20)));
}

TEST(Lease, AForeignOneIsTakenOnceItHasNotChangedForItsDuration) {
  FakeLease lease;
  Candidate a(&lease, "a"), b(&lease, "b");
  a.See(kStart);
  b.See(kStart + absl::Seconds(3));
  b.Run(kStart + absl::Seconds(3), absl::Milliseconds(14900));
  EXPECT_EQ(b.writes, 0);
  b.Run(kStart + absl::Seconds(18), absl::Milliseconds(200));
  EXPECT_TRUE(b.elector.Leads(kStart + absl::Milliseconds(18200)));
  EXPECT_EQ(b.elector.epoch(), 2u);
  EXPECT_FALSE(b.elector.clean_handover());
  EXPECT_EQ(b.elector.fresh_since(), b.elector.acquired_at());
}

TEST(Lease, AHolderThatCannotRenewStopsBeforeAnyoneElseCanStart) {
  FakeLease lease;
  Candidate a(&lease, "a"), b(&lease, "b");
  a.See(kStart);
  b.See(kStart);
  a.cut_off = true;
  for (absl::Duration t = kStart; t < kStart + absl::Seconds(20); t += absl::Milliseconds(100)) {
    a.Tick(t);
    b.Tick(t);
    EXPECT_FALSE(a.elector.Leads(t) && b.elector.Leads(t)) << t;
  }
  EXPECT_FALSE(a.elector.Leads(kStart + absl::Seconds(10)));
  EXPECT_TRUE(b.elector.Leads(kStart + absl::Seconds(16)));
}

TEST(Lease, LeadershipEndsByTheClockEvenIfNobodyTicks) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Milliseconds(9999)));
  EXPECT_FALSE(a.elector.Leads(kStart + absl::Seconds(10)));
}

TEST(Lease, AnAnswerCountsFromTheSendingOfItsWrite) {
  LeaseElector a({}, "a", "", 0);
  Outputs out;
  a.OnSeen(LeaseSeen{}, kStart, &out);
  ASSERT_EQ(out.size(), 1u);
  LeaseSeen held{0, true, "a", 1, absl::Seconds(15), "t1", "5"};
  a.OnSeen(held, kStart + absl::Seconds(9), &out);
  EXPECT_TRUE(a.Leads(kStart + absl::Seconds(9)));
  EXPECT_FALSE(a.Leads(kStart + absl::Seconds(10)));
}

TEST(Lease, AnEchoOfAnOldRenewalIsNoRenewal) {
  LeaseElector a({}, "a", "", 0);
  Outputs out;
  a.OnSeen(LeaseSeen{}, kStart, &out);
  const LeaseSeen held{0, true, "a", 1, absl::Seconds(15), "t1", "5"};
  a.OnSeen(held, kStart, &out);
  a.OnTick(kStart + absl::Seconds(3), &out);  // a renewal is on its way
  a.OnSeen(held, kStart + absl::Seconds(4), &out);
  EXPECT_FALSE(a.Leads(kStart + absl::Seconds(10)));
}

TEST(Lease, AReleasedOneIsTakenAtOnceAndCleanly) {
  FakeLease lease;
  Candidate a(&lease, "a"), b(&lease, "b");
  a.See(kStart);
  b.See(kStart);
  Outputs out;
  a.elector.Release(true, kStart + absl::Seconds(1), &out);
  a.Carry(out, kStart + absl::Seconds(1));
  EXPECT_TRUE(a.elector.Released());
  EXPECT_FALSE(a.elector.Leads(kStart + absl::Seconds(1)));
  b.See(kStart + absl::Seconds(2));
  EXPECT_TRUE(b.elector.Leads(kStart + absl::Seconds(2)));
  EXPECT_TRUE(b.elector.clean_handover());
  EXPECT_EQ(b.elector.epoch(), 2u);
  EXPECT_EQ(b.elector.fresh_since(), kStart + absl::Seconds(2));
}

TEST(Lease, AfterAnUncleanReleaseTheNextOneTakesItWithinASecondAndIsCareful) {
  FakeLease lease;
  Candidate a(&lease, "a"), b(&lease, "b");
  a.See(kStart);
  Outputs out;
  a.elector.Release(false, kStart, &out);
  EXPECT_FALSE(a.elector.Released());
  EXPECT_FALSE(a.elector.Leads(kStart));
  a.Carry(out, kStart);
  EXPECT_TRUE(a.elector.Released());
  EXPECT_EQ(lease.now.holder, "a");
  b.See(kStart);
  b.Run(kStart, absl::Milliseconds(900));
  EXPECT_EQ(b.writes, 0);
  a.Run(kStart, absl::Seconds(20));
  EXPECT_EQ(a.writes, 2) << "it is not taken again";
  b.Run(kStart + absl::Seconds(1), absl::Milliseconds(200));
  EXPECT_TRUE(b.elector.Leads(kStart + absl::Milliseconds(1200)));
  EXPECT_FALSE(b.elector.clean_handover());
}

TEST(Lease, AReleaseThatMetARenewalWhoseAnswerWasLostIsTriedAgain) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  const absl::Duration later = kStart + absl::Seconds(5);
  lease.Become(lease.Renewed());  // by us; its answer was lost
  Outputs out;
  a.elector.Release(true, later, &out);
  a.Carry(out, later);
  EXPECT_EQ(lease.now.holder, "a");
  EXPECT_FALSE(a.elector.Released());
  a.See(later);
  EXPECT_EQ(lease.now.holder, "");
  EXPECT_TRUE(a.elector.Released());
}

TEST(Lease, ALateEchoOfARenewalDoesNotEndARelease) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  a.cut_off = true;
  Outputs out;
  a.elector.Release(true, kStart + absl::Seconds(1), &out);
  a.Carry(out, kStart + absl::Seconds(1));
  lease.Become(lease.Renewed());
  a.elector.OnSeen(lease.now, kStart + absl::Seconds(1), &out);
  EXPECT_FALSE(a.elector.Released());
  a.cut_off = false;
  out.clear();
  a.elector.OnWriteFailed(kConflict, kStart + absl::Seconds(1), &out);
  a.Carry(out, kStart + absl::Seconds(1));
  EXPECT_EQ(lease.now.holder, "") << "from the Lease that was seen before the answer";
  EXPECT_TRUE(a.elector.Released());
}

TEST(Lease, ASecondConflictEndsARelease) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  a.cut_off = true;
  Outputs out;
  a.elector.Release(true, kStart, &out);
  a.elector.OnWriteFailed(kConflict, kStart, &out);
  EXPECT_FALSE(a.elector.Released());
  a.elector.OnSeen(lease.NextVersion(), kStart, &out);  // somebody has given it a label
  EXPECT_FALSE(a.elector.Released());
  a.elector.OnWriteFailed(kConflict, kStart, &out);
  EXPECT_TRUE(a.elector.Released());
}

TEST(Lease, ANewProcessTakesItsPredecessorsLeaseWithAHigherEpoch) {
  FakeLease lease;
  Candidate first(&lease, "host_1");
  first.See(kStart);
  Candidate second(&lease, "host_2");
  second.See(kStart);
  second.Run(kStart, absl::Seconds(16));
  EXPECT_EQ(second.elector.epoch(), 2u);
}

TEST(Lease, ADeletedOneIsLostAndMadeAgainWithAHigherEpoch) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  lease.Delete();
  a.See(kStart + absl::Seconds(1));
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Seconds(1)));
  EXPECT_EQ(a.elector.epoch(), 2u);
  EXPECT_EQ(a.elector.acquisitions(), 2u);
  EXPECT_FALSE(a.elector.clean_handover());
}

TEST(Lease, AHolderOfAnotherNameDeposesAtOnce) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  lease.now.holder = "b";
  lease.now.transitions = 2;
  lease.now.resource_version = "99";
  a.See(kStart + absl::Seconds(1));
  EXPECT_FALSE(a.elector.Leads(kStart + absl::Seconds(1)));
}

TEST(Lease, AHigherEpochThatAnApplierKnowsIsLiftedAbove) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  Outputs out;
  a.elector.OnHigherEpoch(7, kStart + absl::Seconds(1), &out);
  EXPECT_FALSE(a.elector.Leads(kStart + absl::Seconds(1))) << "no plan of a refused epoch";
  a.Carry(out, kStart + absl::Seconds(1));
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Seconds(1)));
  EXPECT_EQ(a.elector.epoch(), 8u);
  EXPECT_EQ(a.elector.acquisitions(), 1u);
}

TEST(Lease, AnEpochOutOfRangeIsIgnored) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  Outputs out;
  a.elector.OnHigherEpoch(uint64_t{1} << 40, kStart, &out);
  EXPECT_TRUE(a.elector.Leads(kStart));
  EXPECT_EQ(a.elector.epoch(), 1u);
}

TEST(Lease, ConflictsAreRetriedAfterThePeriodNotAtOnce) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  lease.version = 77;
  lease.now.resource_version = "77";  // somebody wrote; the watch has not said so
  a.Run(kStart, absl::Seconds(7));
  EXPECT_LE(a.writes, 5);
  a.See(kStart + absl::Seconds(7));
  a.Run(kStart + absl::Seconds(7), absl::Seconds(3));
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Seconds(10)));
}

TEST(Lease, WrittenNonsenseIsTakenToLastAsLongAsOurs) {
  LeaseElector a({}, "a", "", 0);
  Outputs out;
  a.OnSeen({0, true, "somebody", 3, absl::ZeroDuration(), "", "9"}, kStart, &out);
  EXPECT_EQ(a.NextDeadline(), kStart + absl::Seconds(15));
  a.OnTick(kStart + absl::Seconds(15), &out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<WriteLease>(out[0]).transitions, 4u);
}

TEST(Lease, AnOlderAnswerDoesNotBringBackTheDead) {
  FakeLease lease;
  Candidate a(&lease, "a");
  a.See(kStart);
  const LeaseSeen before{0, true, "old", 0, absl::Seconds(15), "t0", "1"};
  Outputs out;
  a.elector.OnSeen(before, kStart + absl::Seconds(1), &out);
  EXPECT_TRUE(a.elector.Leads(kStart + absl::Seconds(1)));
}

TEST(Lease, AReadThatFailsDoesNotEndAWriteThatIsUnderWay) {
  FakeLease lease;
  Candidate one(&lease, "one");
  one.See(kStart);
  ASSERT_TRUE(one.elector.Leads(kStart));
  one.cut_off = true;  // the release stays without an answer
  Outputs out;
  one.elector.Release(true, kStart + absl::Seconds(1), &out);
  ASSERT_FALSE(one.elector.Released());
  out.clear();
  one.elector.OnReadFailed({503, "ServiceUnavailable", "", std::nullopt}, &out);
  EXPECT_FALSE(one.elector.Released());
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<Note>(out[0]).what, "Lease not read");
  out.clear();
  one.elector.OnReadFailed({503, "ServiceUnavailable", "", std::nullopt}, &out);
  EXPECT_TRUE(out.empty()) << "told once";
}

TEST(Lease, AReleaseByAnotherHolderCountsFromItsOwnTime) {
  LeaseElector elector({}, "a", "", 0);
  Outputs out;
  const auto at = [](int seconds) { return absl::Seconds(1000 + seconds); };
  elector.OnSeen({0, true, "", 4, absl::Seconds(15), "t2", "11"}, at(1), &out);
  elector.OnWriteFailed(kConflict, at(1), &out);
  elector.OnSeen({0, true, "", 5, absl::Seconds(15), "t9", "20"}, at(8), &out);
  elector.OnSeen({0, true, "a", 6, absl::Seconds(15), "u", "21"}, at(8), &out);
  ASSERT_TRUE(elector.Leads(at(8)));
  EXPECT_EQ(elector.fresh_since(), at(8)) << "between them somebody else has led";
}

}  // namespace
}  // namespace xebec::watcher::testing
