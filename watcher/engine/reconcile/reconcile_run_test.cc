// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/reconcile_run.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/run_rig.h"

namespace xebec::watcher::testing {
namespace {

using ReconcileRunTest = RunRig;

TEST_F(ReconcileRunTest, RequestsAPlanForTheCachedParent) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({"created"}, Context()));
  EXPECT_EQ(send.observation.envelope.parent.uid, record_.uid);
  EXPECT_EQ(send.observation.envelope.reasons, std::vector<std::string>{"created"});
  EXPECT_EQ(run.status().state, RunState::kPlanning);
  EXPECT_EQ(run.status().sequence, send.sequence);
}

TEST_F(ReconcileRunTest, FinishesOnceTheCachesShowItsWrites) {
  auto [run, effects] = Reported();
  EXPECT_TRUE(effects.waits);
  EXPECT_FALSE(effects.finished);
  EXPECT_EQ(run.status().state, RunState::kWaitingForCache);
  EXPECT_FALSE(run.gate().requirements().empty());
  Show();
  EXPECT_TRUE(run.OnCacheProgress(Context()).finished);
  EXPECT_EQ(run.result().next, Next::kIdle);
}

TEST_F(ReconcileRunTest, TellsOtherWritesOfTheParentFromItsOwn) {
  auto [run, send] = Sent();
  const Report report = ApplyPlan(*send.plan, ApplierFault{}, &cluster_);
  const std::string own = report.outcomes.back().resource_version;
  EXPECT_TRUE(run.OnParentWritten(own));
  EXPECT_FALSE(run.ParentWrittenBeside(own));
  ReconcileRun disturbed = run;
  EXPECT_TRUE(disturbed.OnParentWritten("another"));
  EXPECT_TRUE(disturbed.OnParentWritten(own)) << "the status was written over it";
  run.On(ReportArrived{send.sequence, report}, Context());
  disturbed.On(ReportArrived{send.sequence, report}, Context());
  EXPECT_FALSE(run.ParentWrittenBeside(record_.status_version));
  EXPECT_TRUE(disturbed.ParentWrittenBeside(record_.status_version));
}

TEST_F(ReconcileRunTest, EndsWithARetryWhenNoPlanComes) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({}, Context()));
  EXPECT_TRUE(run.On(PlanFailed{send.sequence, "broken"}, Context()).finished);
  EXPECT_EQ(run.result().next, Next::kRetry);
  EXPECT_EQ(figures_.refused["no_plan"], 1u);
}

TEST_F(ReconcileRunTest, IsPlannedAgainWhenTheParentChangedMeanwhile) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({}, Context()));
  cluster_.SetWidget("w", 2, 8);
  Show();
  const Effects effects =
      run.On(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)}, Context());
  EXPECT_TRUE(effects.finished);
  EXPECT_EQ(run.result().next, Next::kAgain);
  EXPECT_EQ(record_.stale_plans, 1u);
}

TEST_F(ReconcileRunTest, RefusesAPlanForAnObjectThatThePlannerWasNotShown) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({}, Context()));
  Plan plan = MakeWidgetPlan(send.observation);
  plan.stages[0].operations[0].precondition.uid = "not shown";
  EXPECT_TRUE(run.On(PlanArrived{send.sequence, plan}, Context()).finished);
  EXPECT_EQ(figures_.refused["not_owned"], 1u);
}

TEST_F(ReconcileRunTest, ReadsObjectsInDoubtAfterALostReport) {
  auto [run, send] = Sent();
  EXPECT_FALSE(run.On(ReportLost{send.sequence}, Context()).finished);
  EXPECT_TRUE(run.status().in_doubt);
  now_.monotonic = run.status().timer;
  const Effects reads = run.OnTimer(Context());
  EXPECT_EQ(run.status().state, RunState::kReading);
  EXPECT_EQ(reads.out.size(), run.reads().size());
}

TEST_F(ReconcileRunTest, WantsATurnWhenChangesWaitBehindAClosedGate) {
  auto [run, effects] = Reported();
  now_.monotonic = run.status().timer;
  run.OnTimer(Context());
  EXPECT_FALSE(run.status().wants_turn) << "nothing else is to do";
  dirty_ = true;
  now_.monotonic += absl::Seconds(1);
  run.OnQueued(options_, now_.monotonic);
  EXPECT_EQ(run.status().timer, now_.monotonic);
  run.OnTimer(Context());
  EXPECT_TRUE(run.status().wants_turn);
  const Effects reads = run.OnTurn(Context());
  EXPECT_TRUE(reads.covers_changes);
  EXPECT_TRUE(run.status().reads_many);
  EXPECT_FALSE(run.status().wants_turn);
}

TEST_F(ReconcileRunTest, LiveListsWaitForTheirTurn) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({}, Context()));
  Plan plan = MakeWidgetPlan(send.observation);
  plan.live_lists = {PartType()};
  EXPECT_TRUE(run.On(PlanArrived{send.sequence, plan}, Context()).out.empty());
  EXPECT_TRUE(run.status().wants_turn);
  EXPECT_FALSE(run.status().reads_many);
  ReconcileRun other = run;
  const auto list = Only<LiveList>(run.OnTurn(Context()));
  EXPECT_TRUE(run.status().reads_many);
  run.On(LiveFailed{list.read, {500, "", "", std::nullopt}}, Context());
  EXPECT_FALSE(run.status().reads_many) << "others may read until it repeats them";
  run.OnTimer(Context());
  EXPECT_TRUE(run.status().wants_turn);
  EXPECT_TRUE(other.Cancel("stopping", Context()).finished);
}

TEST_F(ReconcileRunTest, LiveListsAreNotReadForAnEarlierTerm) {
  ReconcileRun run(now_.monotonic, now_.monotonic);
  const auto send = Only<SendObservation>(run.Start({}, Context()));
  Plan plan = MakeWidgetPlan(send.observation);
  plan.live_lists = {PartType()};
  run.On(PlanArrived{send.sequence, plan}, Context());
  may_send_ = false;
  const Effects effects = run.OnTurn(Context());
  EXPECT_TRUE(effects.finished);
  EXPECT_EQ(run.result().next, Next::kAgain);
}

TEST_F(ReconcileRunTest, RunsAreEqualIfTheirPlansAre) {
  ReconcileRun one(now_.monotonic, now_.monotonic);
  const auto request = Only<SendObservation>(one.Start({}, Context()));
  ReconcileRun other = one;
  const Plan plan = MakeWidgetPlan(request.observation);
  one.On(PlanArrived{request.sequence, plan}, Context());
  other.On(PlanArrived{request.sequence, plan}, Context());
  const Sequences before = sequences_;
  const auto sent = Only<SendPlan>(one.OnCredit(Context()));
  sequences_ = before;
  EXPECT_NE(Only<SendPlan>(other.OnCredit(Context())).plan, sent.plan);
  EXPECT_EQ(one, other) << "the addresses of the plans do not count";
  one.On(ReportLost{sent.sequence}, Context());
  EXPECT_FALSE(one == other);
}

TEST_F(ReconcileRunTest, IgnoresInputsThatDoNotFitItsState) {
  auto [run, send] = Sent();
  const ReconcileRun before = run;
  EXPECT_TRUE(run.On(PlanFailed{send.sequence, "late"}, Context()).out.empty());
  EXPECT_TRUE(run.OnCredit(Context()).out.empty());
  EXPECT_TRUE(run.OnTurn(Context()).out.empty());
  EXPECT_EQ(run, before);
}

}  // namespace
}  // namespace xebec::watcher::testing
