// SPDX-License-Identifier: Apache-2.0
// Leadership, epochs, failover and the end.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

class EngineLeaseTest : public ::testing::Test {
 protected:
  explicit EngineLeaseTest(const Options& options = OneBucket()) : h_(options) {}
  static Options OneBucket() {
    Options options;
    options.buckets = 1;
    return options;
  }
  /// Another watcher holds the bucket in that epoch, or nobody (empty).
  void See(const std::string& holder, uint64_t epoch) {
    if (!holder.empty()) h_.leases.Renew(7, holder, {.buckets = 1});
    if (holder.empty()) h_.leases.Release(7);
    h_.leases.Assign({{{holder, epoch, true}}});
    h_.Feed(h_.leases.List());
    h_.Feed(Join{});
  }
  bool AnswerLease() { return h_.AnswerLeases(); }
  /// Nobody holds the bucket any more: the watcher takes it, and then lists.
  void StartLeading() {
    h_.Start();
    AnswerLease();
    h_.Deliver();
  }
  uint64_t Epoch() { return h_.leases.assignment().buckets.at(0).epoch; }
  /// Time passes, in which this watcher renews its Lease.
  void Renew(absl::Duration time) {
    for (absl::Duration left = time; left > absl::ZeroDuration(); left -= absl::Milliseconds(500)) {
      h_.Advance(absl::Milliseconds(500));
      AnswerLease();
    }
  }
  void Run(absl::Duration time) {
    for (absl::Duration left = time; left > absl::ZeroDuration(); left -= absl::Milliseconds(500)) {
      Renew(absl::Milliseconds(500));
      h_.Deliver();
    }
  }

  /// Every operation of the plan is refused.
  void Reject(const SendPlan& send) {
    h_.Feed(ReportArrived{send.sequence, RefusePlan(*send.plan, OutcomeCode::kInvalid)});
  }
  /// Another watcher leads for a moment and gives the Lease back; what it has done is not listed
  /// yet.
  void LoseAndAcquireAgainUnlisted() {
    const uint64_t epoch = Epoch();
    See("other", epoch + 1);
    EXPECT_FALSE(h_.engine.Leads());
    See("", epoch + 1);
    ASSERT_TRUE(AnswerLease());
    ASSERT_TRUE(h_.engine.Leads());
  }
  void LoseAndAcquireAgain() {
    LoseAndAcquireAgainUnlisted();
    h_.Deliver();
  }

  Harness h_;
};

TEST_F(EngineLeaseTest, AWatcherWithoutBucketsIsReadyKeepsNothingAndPlansNothing) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  EXPECT_EQ(h_.engine.Unsynced(), std::vector<std::string>{"the Leases have not been read yet"});
  See("other", 4);
  AnswerLease();
  h_.Advance(absl::Milliseconds(300));
  h_.Deliver();
  AnswerLease();
  EXPECT_TRUE(h_.engine.Unsynced().empty());
  EXPECT_FALSE(h_.engine.Leads());
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_TRUE(h_.Keys().empty());
}

TEST_F(EngineLeaseTest, ACrashedHolderIsFollowedFromCachesThatWereReadAfterwards) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  See("other", 4);
  Renew(absl::Seconds(16));
  EXPECT_TRUE(h_.engine.Leads());
  EXPECT_TRUE(h_.observations.empty()) << "the warm cache may lack the predecessor's writes";
  h_.Deliver();
  ASSERT_EQ(h_.observations.size(), 1u);
  EXPECT_EQ(h_.observations[0].observation.envelope.epoch, 5u);
}

TEST_F(EngineLeaseTest, AfterACrashDeletionsWaitUntilThePredecessorsPlansAreOver) {
  h_.cluster.SetWidget("w", 2, 7);
  h_.Start();
  See("other", 4);
  Run(absl::Seconds(16));
  h_.RunReconciles();
  ASSERT_EQ(h_.cluster.All(PartType()).size(), 2u) << "creating does not wait";
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 2u);
  EXPECT_EQ(h_.cluster.All(PartType()).begin()->second["spec"]["value"], 8) << "nor does changing";
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
  for (int i = 0; i < 25; ++i) {
    Run(absl::Seconds(1));
    h_.RunReconciles();
  }
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 1u);
}

TEST_F(EngineLeaseTest, AfterAReleaseDeletionsDoNotWaitNorAreListsRepeated) {
  h_.cluster.SetWidget("w", 2, 7);
  See("", 4);
  h_.Start();
  h_.Advance(absl::Milliseconds(300));  // the Lease is slow
  h_.Deliver();
  const StreamId before = h_.StreamOf(WidgetType());
  AnswerLease();
  h_.RunReconciles();
  EXPECT_EQ(h_.StreamOf(WidgetType()), before);
  h_.cluster.SetWidget("w", 1, 7);
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 1u);
}

/// A container that restarts in its Pod, whose instance is known.
class RestartedWatcherTest : public EngineLeaseTest {
 protected:
  static Options InPod() {
    Options options = OneBucket();
    options.instance = "pod_1_";
    return options;
  }
  RestartedWatcherTest() : EngineLeaseTest(InPod()) {}
};

TEST_F(RestartedWatcherTest, AfterACrashItTakesItsLeaseBackAndListsOnce) {
  h_.cluster.SetWidget("w", 1, 7);
  See("pod_1_a", 4);
  h_.Start();
  h_.Advance(absl::Milliseconds(1));  // lists that have begun by now would not count
  AnswerLease();
  ASSERT_TRUE(h_.engine.Leads());
  h_.Deliver();
  EXPECT_EQ(h_.TakeObservation().observation.envelope.epoch, 5u);
  EXPECT_EQ(h_.notes.count("Listed"), 2u) << "widgets and parts";
}

TEST_F(RestartedWatcherTest, AfterACrashItListsBeforeALeaseThatIsSlow) {
  h_.cluster.SetWidget("w", 1, 7);
  See("pod_1_a", 4);
  h_.Start();
  EXPECT_FALSE(h_.HasNote("Listed"));
  h_.Advance(absl::Milliseconds(300));
  h_.Deliver();
  EXPECT_TRUE(h_.HasNote("Listed"));
  EXPECT_FALSE(h_.engine.Leads());
}

TEST_F(EngineLeaseTest, AHolderThatCannotRenewDispatchesNothingMore) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.Advance(absl::Seconds(11));  // no write is answered
  EXPECT_FALSE(h_.engine.Leads());
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_TRUE(h_.HasNote("Lease lost"));
}

TEST_F(EngineLeaseTest, APlanThatArrivesAfterTheLeaseWasLostIsNotSent) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  See("other", 3);
  h_.AnswerObservation();
  EXPECT_TRUE(h_.plans.empty());
}

TEST_F(EngineLeaseTest, PlansThatWaitForACreditAreDroppedWithTheLease) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.Feed(CreditsChanged{4, 0});
  h_.AnswerObservation();
  See("other", 3);
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h_.plans.empty());
}

TEST_F(EngineLeaseTest, AfterARefusalTheEpochIsRaisedAndTheKeyPlannedAgain) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  EXPECT_EQ(plan.plan->envelope.epoch, 2u);
  Report report;
  report.highest_epoch = 9;
  for (const Operation& operation : plan.plan->stages[0].operations) {
    Outcome outcome;
    outcome.operation = operation.id;
    outcome.code = OutcomeCode::kFenced;
    outcome.certainty = Certainty::kRejected;
    report.outcomes.push_back(outcome);
  }
  h_.Feed(ReportArrived{plan.sequence, report});
  EXPECT_TRUE(h_.observations.empty());
  ASSERT_TRUE(AnswerLease());
  EXPECT_EQ(Epoch(), 10u);
  h_.Advance(absl::Seconds(1));
  h_.AnswerObservation();
  EXPECT_EQ(h_.TakePlan().plan->envelope.epoch, 10u);
}

TEST_F(EngineLeaseTest, OutcomesUnderAnEarlierLeadershipAreNotShownToThePlanner) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  Reject(h_.TakePlan());
  h_.AnswerObservation();
  Reject(h_.TakePlan());
  ASSERT_EQ(h_.Key("w").last_outcomes.size(), 1u);
  LoseAndAcquireAgain();
  h_.Advance(absl::Seconds(10));
  EXPECT_TRUE(h_.TakeObservation().observation.last_outcomes.empty());
  EXPECT_TRUE(h_.Key("w").last_outcomes.empty());
}

TEST_F(EngineLeaseTest, AReportOnAPlanOfAnEarlierLeadershipIsNotRemembered) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  LoseAndAcquireAgain();
  EXPECT_TRUE(h_.observations.empty()) << "a plan is in flight";
  Reject(plan);
  h_.Advance(absl::Seconds(10));
  EXPECT_TRUE(h_.TakeObservation().observation.last_outcomes.empty());
}

TEST_F(EngineLeaseTest, ARaisedEpochKeepsTheOutcomesOfItsLeadership) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  Reject(h_.TakePlan());
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  Report report;
  report.highest_epoch = 9;
  h_.Feed(ReportArrived{plan.sequence, report});
  ASSERT_TRUE(AnswerLease());
  EXPECT_EQ(Epoch(), 10u);
  EXPECT_FALSE(h_.Key("w").last_outcomes.empty());
}

TEST_F(EngineLeaseTest, ADeletedAssignmentIsMadeAgainWithAHigherEpoch) {
  See("", 6);
  StartLeading();
  h_.Feed(LeasesSeen{{h_.leases.Delete(kAssignmentLease)}});
  EXPECT_FALSE(h_.engine.Leads());
  AnswerLease();
  EXPECT_TRUE(h_.engine.Leads());
  EXPECT_EQ(Epoch(), 8u);
}

TEST_F(EngineLeaseTest, StopWaitsForReportsReleasesAndStartsNothing) {
  h_.cluster.SetWidget("v", 1, 7);
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  h_.Feed(Stop{});
  AnswerLease();
  EXPECT_EQ(h_.leases.assignment().buckets[0].watcher, "watcher-a") << "a plan is in flight";
  h_.AnswerObservation();
  EXPECT_EQ(h_.plans.size(), 1u);
  h_.AnswerPlan();
  EXPECT_TRUE(h_.Take<Drained>().empty());
  AnswerLease();
  EXPECT_EQ(h_.leases.assignment().buckets[0], (BucketHolder{"", 3, true}));
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
  h_.Advance(absl::Minutes(1));
  EXPECT_TRUE(h_.Take<WriteLease>().empty()) << "it is not taken again";
  EXPECT_TRUE(h_.observations.empty() && h_.plans.empty());
}

TEST_F(EngineLeaseTest, StopDoesNotWaitForAPlannerThatDoesNotAnswer) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  ASSERT_EQ(h_.observations.size(), 1u);
  h_.Feed(Stop{});
  AnswerLease();
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
  EXPECT_TRUE(h_.leases.assignment().buckets[0].clean);
}

TEST_F(EngineLeaseTest, AfterALostReportTheBucketIsGivenBackInDoubt) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AnswerObservation();
  h_.Feed(Stop{});
  h_.Feed(ReportLost{h_.TakePlan().sequence});
  AnswerLease();
  EXPECT_EQ(h_.leases.assignment().buckets[0], (BucketHolder{"", 3, false}))
      << "else the successor would delete at once";
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(EngineLeaseTest, StopWithoutALeaseDrainsAtOnce) {
  h_.Start();
  See("other", 1);
  h_.Feed(Stop{});
  AnswerLease();
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(EngineLeaseTest, WhenIdleOnlyTheLeaseIsWritten) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.RunReconciles();
  h_.Take<WriteLease>();
  Run(absl::Minutes(10));
  EXPECT_TRUE(h_.observations.empty() && h_.plans.empty());
  EXPECT_TRUE(h_.outputs.empty());
  EXPECT_TRUE(h_.engine.Leads());
}

TEST_F(EngineLeaseTest, APlanThatWasAskedForUnderAnEarlierLeadershipIsNotSent) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  const SendObservation old = h_.TakeObservation();
  h_.Advance(absl::Seconds(1));
  LoseAndAcquireAgainUnlisted();
  h_.Feed(PlanArrived{old.sequence, MakeWidgetPlan(old.observation)});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_TRUE(h_.observations.empty());
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineLeaseTest, LiveListsThatWereAskedForUnderAnEarlierLeadershipAreNotPlannedFrom) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  StartLeading();
  h_.AskForLiveParts();
  h_.Advance(absl::Seconds(1));
  LoseAndAcquireAgainUnlisted();
  h_.AnswerReads();
  EXPECT_TRUE(h_.observations.empty());
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineLeaseTest, AWatcherInQuarantineGivesItsBucketBackInDoubt) {
  h_.Start();
  See("other", 4);
  Renew(absl::Seconds(16));
  h_.Deliver();
  ASSERT_TRUE(h_.engine.Leads());
  h_.Feed(Stop{});
  AnswerLease();
  EXPECT_EQ(h_.leases.assignment().buckets[0], (BucketHolder{"", 6, false}))
      << "the next one would delete at once";
}

}  // namespace
}  // namespace xebec::watcher::testing
