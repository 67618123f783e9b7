// SPDX-License-Identifier: Apache-2.0
// Leadership, epochs, failover and the end.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

class EngineLeaseTest : public ::testing::Test {
 protected:
  /// Answers the WriteLease that was asked for last; false when there is none.
  bool AnswerLease() {
    const std::vector<WriteLease> writes = h_.Take<WriteLease>();
    if (writes.empty()) return false;
    const WriteLease& write = writes.back();
    ++renewals_;
    lease_ = {0,
              true,
              write.holder,
              write.transitions,
              write.duration,
              std::to_string(renewals_),
              std::to_string(100 + renewals_)};
    h_.Feed(lease_);
    return true;
  }
  void See(const std::string& holder, uint64_t transitions) {
    ++renewals_;
    lease_ = {0,
              true,
              holder,
              transitions,
              absl::Seconds(15),
              std::to_string(renewals_),
              std::to_string(100 + renewals_)};
    h_.Feed(lease_);
  }
  void Run(absl::Duration time) {
    for (absl::Duration left = time; left > absl::ZeroDuration(); left -= absl::Milliseconds(500)) {
      h_.Advance(absl::Milliseconds(500));
      AnswerLease();
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
    const uint64_t epoch = lease_.transitions;
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

  Harness h_{Options()};
  LeaseSeen lease_;
  int renewals_ = 0;
};

TEST_F(EngineLeaseTest, AFollowerKeepsItsCachesWarmAndPlansNothing) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  See("other", 4);
  EXPECT_TRUE(h_.engine.Synced());
  EXPECT_FALSE(h_.engine.Leads());
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.Key("w").waiting_for, std::vector<std::string>{"the Lease is held by other"});
}

TEST_F(EngineLeaseTest, ACrashedHolderIsFollowedFromCachesThatWereReadAfterwards) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  See("other", 4);
  h_.Advance(absl::Seconds(15));
  ASSERT_TRUE(AnswerLease());
  EXPECT_TRUE(h_.engine.Leads());
  EXPECT_TRUE(h_.observations.empty()) << "the warm cache may lack the predecessor's writes";
  h_.Deliver();
  ASSERT_EQ(h_.observations.size(), 1u);
  EXPECT_EQ(h_.observations[0].observation.envelope.epoch, 5u);
}

/// More widgets than a list reads at a barrier, by pages of one object.
class LargeFailoverTest : public EngineLeaseTest {
 protected:
  LargeFailoverTest() {
    Options options;
    options.list_page = 1;
    h_ = Harness(options);
    for (int i = 0; i < kWidgets; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
    h_.Start();
    See("other", 4);
    h_.Advance(absl::Seconds(15));
    widgets_ = h_.StreamOf(WidgetType());
    AnswerLease();
  }
  static constexpr int kWidgets = 12;
  static kube::WatchEvent Bookmark(const std::string& version) {
    kube::WatchEvent bookmark;
    bookmark.type = kube::WatchEventType::kBookmark;
    bookmark.object.header.resource_version = version;
    return bookmark;
  }

  StreamId widgets_ = 0;
};

TEST_F(LargeFailoverTest, ListsNothingAgainButWaitsUntilTheWatchHasPassedABarrier) {
  h_.cluster.ForeignPart("other", 1);  // a version of which the watch of widgets knows nothing
  h_.Deliver();
  EXPECT_TRUE(h_.engine.Leads());
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.StreamOf(WidgetType()), widgets_) << "the watch goes on";
  h_.Feed(EventsArrived{widgets_, {Bookmark(h_.cluster.version())}});
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(LargeFailoverTest, PlansFromWhatThePredecessorWroteLast) {
  h_.held = {"widgets"};
  for (int i = 0; i < kWidgets; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 0, 8);
  h_.Deliver();
  EXPECT_TRUE(h_.observations.empty());
  h_.held = {};
  h_.Deliver();
  ASSERT_FALSE(h_.observations.empty());
  EXPECT_EQ(h_.observations[0].observation.envelope.parent.generation, 2);
}

TEST_F(EngineLeaseTest, AfterACrashDeletionsWaitUntilThePredecessorsPlansAreOver) {
  h_.cluster.SetWidget("w", 2, 7);
  h_.Start();
  See("other", 4);
  Run(absl::Seconds(16));
  h_.RunPasses();
  ASSERT_EQ(h_.cluster.All(PartType()).size(), 2u) << "creating does not wait";
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.RunPasses();
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 2u);
  EXPECT_EQ(h_.cluster.All(PartType()).begin()->second["spec"]["value"], 8) << "nor does changing";
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
  for (int i = 0; i < 25; ++i) {
    Run(absl::Seconds(1));
    h_.RunPasses();
  }
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 1u);
}

TEST_F(EngineLeaseTest, AfterAReleaseDeletionsDoNotWaitNorAreListsRepeated) {
  h_.cluster.SetWidget("w", 2, 7);
  See("", 4);
  h_.Start();
  const StreamId before = h_.StreamOf(WidgetType());
  AnswerLease();
  h_.RunPasses();
  EXPECT_EQ(h_.StreamOf(WidgetType()), before);
  h_.cluster.SetWidget("w", 1, 7);
  h_.Deliver();
  h_.RunPasses();
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 1u);
}

TEST_F(EngineLeaseTest, AHolderThatCannotRenewDispatchesNothingMore) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
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
  h_.Start();
  AnswerLease();
  See("other", 3);
  h_.AnswerObservation();
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kQueued);
}

TEST_F(EngineLeaseTest, PlansThatWaitForACreditAreDroppedWithTheLease) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
  h_.Feed(CreditsChanged{4, 0});
  h_.AnswerObservation();
  See("other", 3);
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h_.plans.empty());
}

TEST_F(EngineLeaseTest, AfterARefusalOfItsEpochTheLeaseIsLiftedAndTheKeyPlannedAgain) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
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
  EXPECT_EQ(lease_.transitions, 10u);
  h_.Advance(absl::Seconds(1));
  h_.AnswerObservation();
  EXPECT_EQ(h_.TakePlan().plan->envelope.epoch, 10u);
}

TEST_F(EngineLeaseTest, OutcomesUnderAnEarlierLeadershipAreNotShownToThePlanner) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
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
  h_.Start();
  AnswerLease();
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  LoseAndAcquireAgain();
  EXPECT_TRUE(h_.observations.empty()) << "a plan is in flight";
  Reject(plan);
  h_.Advance(absl::Seconds(10));
  EXPECT_TRUE(h_.TakeObservation().observation.last_outcomes.empty());
}

TEST_F(EngineLeaseTest, ALeaseThatIsLiftedKeepsTheOutcomesOfItsLeadership) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
  h_.AnswerObservation();
  Reject(h_.TakePlan());
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  Report report;
  report.highest_epoch = 9;
  h_.Feed(ReportArrived{plan.sequence, report});
  ASSERT_TRUE(AnswerLease());
  EXPECT_EQ(lease_.transitions, 10u);
  EXPECT_FALSE(h_.Key("w").last_outcomes.empty());
}

TEST_F(EngineLeaseTest, ADeletedLeaseIsMadeAgainWithAHigherEpoch) {
  See("", 6);
  h_.Start();
  AnswerLease();
  h_.Feed(LeaseSeen{});
  const std::vector<WriteLease> writes = h_.Take<WriteLease>();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_TRUE(writes[0].create);
  EXPECT_EQ(writes[0].transitions, 8u);
}

TEST_F(EngineLeaseTest, StopWaitsForReportsReleasesAndStartsNothing) {
  h_.cluster.SetWidget("v", 1, 7);
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
  h_.AnswerObservation();
  h_.Feed(Stop{});
  EXPECT_TRUE(h_.Take<WriteLease>().empty()) << "a plan is in flight";
  h_.AnswerObservation();
  EXPECT_EQ(h_.plans.size(), 1u);
  h_.AnswerPlan();
  const std::vector<WriteLease> writes = h_.Take<WriteLease>();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].holder, "");
  EXPECT_TRUE(h_.Take<Drained>().empty());
  h_.Feed(LeaseSeen{0, true, "", 2, absl::Seconds(15), "x", "900"});
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
  h_.Advance(absl::Minutes(1));
  EXPECT_TRUE(h_.Take<WriteLease>().empty()) << "it is not taken again";
  EXPECT_TRUE(h_.observations.empty() && h_.plans.empty());
}

TEST_F(EngineLeaseTest, AfterALostReportTheLeaseExpiresAndIsNotReleased) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
  h_.AnswerObservation();
  h_.Feed(Stop{});
  h_.Feed(ReportLost{h_.TakePlan().sequence});
  const auto writes = h_.Take<WriteLease>();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].holder, "watcher-a")
      << "a clean release would let the successor delete at once";
  EXPECT_EQ(writes[0].duration, absl::Seconds(1));
  EXPECT_TRUE(h_.Take<Drained>().empty());
  h_.Feed(LeaseSeen{0, true, "watcher-a", 2, absl::Seconds(1), "x", "900"});
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(EngineLeaseTest, StopWithoutALeaseDrainsAtOnce) {
  h_.Start();
  See("other", 1);
  h_.Feed(Stop{});
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(EngineLeaseTest, AtRestOnlyTheLeaseIsWritten) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  AnswerLease();
  h_.RunPasses();
  h_.Take<WriteLease>();
  Run(absl::Minutes(10));
  EXPECT_TRUE(h_.observations.empty() && h_.plans.empty());
  EXPECT_TRUE(h_.outputs.empty());
  EXPECT_TRUE(h_.engine.Leads());
}

TEST_F(EngineLeaseTest, APlanThatWasAskedForUnderAnEarlierLeadershipIsNotSent) {
  h_.cluster.SetWidget("w", 1, 7);
  See("", 1);
  h_.Start();
  ASSERT_TRUE(AnswerLease());
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
  h_.Start();
  ASSERT_TRUE(AnswerLease());
  h_.AskForLiveParts();
  h_.Advance(absl::Seconds(1));
  LoseAndAcquireAgainUnlisted();
  h_.AnswerReads();
  EXPECT_TRUE(h_.observations.empty());
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineLeaseTest, AWatcherInQuarantineLetsItsLeaseExpireAndDoesNotReleaseIt) {
  h_.Start();
  See("other", 4);
  h_.Advance(absl::Seconds(15));
  ASSERT_TRUE(AnswerLease());
  h_.Deliver();
  h_.Feed(Stop{});
  const auto writes = h_.Take<WriteLease>();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_FALSE(writes[0].holder.empty()) << "the next one would delete at once";
  EXPECT_EQ(writes[0].duration, absl::Seconds(1));
}

}  // namespace
}  // namespace xebec::watcher::testing
