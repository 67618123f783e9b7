// SPDX-License-Identifier: Apache-2.0
// One parent's way through the engine.
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

class EngineReconcileTest : public ::testing::Test {
 protected:
  Harness h_;
};

TEST_F(EngineReconcileTest, AnObservationCarriesTheEnvelopeAndEverythingThatThePlanDependsOn) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  const SendObservation send = h_.TakeObservation();
  const Envelope& envelope = send.observation.envelope;
  EXPECT_EQ(envelope.parent.ref, (ObjectRef{WidgetType(), "default", "w"}));
  EXPECT_EQ(envelope.parent.uid, h_.cluster.All(WidgetType()).begin()->second["metadata"]["uid"]);
  EXPECT_EQ(envelope.parent.generation, 1);
  EXPECT_EQ(envelope.controller, "widget.example.com");
  EXPECT_EQ(envelope.watcher, "watcher-a");
  EXPECT_EQ(envelope.sequence, send.sequence);
  EXPECT_EQ(envelope.bucket_count, 1u);
  EXPECT_EQ(envelope.planner_revision, "r1");
  EXPECT_EQ(envelope.reconcile_id.size(), 16u);
  EXPECT_EQ(envelope.observation_digest.size(), 32u);
  EXPECT_EQ(envelope.reasons, std::vector<std::string>{"initial list"});
  EXPECT_EQ(send.observation.phase, Phase::kSync);
  EXPECT_EQ(send.observation.now, h_.now.wall);
  ASSERT_EQ(send.observation.children.size(), 1u) << "looked, found none";
  EXPECT_TRUE(send.observation.children[0].objects.empty());
  EXPECT_EQ(send.timeout, h_.options.plan_timeout);
}

TEST_F(EngineReconcileTest, ANewParentIsCreatedAndReportedAndBecomesIdle) {
  h_.StartWithWidget();
  EXPECT_EQ(h_.cluster.All(PartType()).begin()->first.name, "w-0");
  const Json& widget = h_.cluster.All(WidgetType()).begin()->second;
  EXPECT_EQ(widget["status"]["parts"], 1);
  EXPECT_EQ(h_.engine.NextDeadline(), absl::InfiniteDuration());
}

TEST_F(EngineReconcileTest, NothingIsPlannedWithoutAPlannerCreditNorSentWithoutAnApplierCredit) {
  h_.cluster.SetWidget("a", 1, 7);
  h_.cluster.SetWidget("b", 1, 7);
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Deliver();
  EXPECT_TRUE(h_.observations.empty());
  h_.Feed(CreditsChanged{1, 0});
  EXPECT_EQ(h_.observations.size(), 1u);
  h_.AnswerObservation();
  h_.AnswerObservation();
  EXPECT_TRUE(h_.plans.empty());
  h_.Feed(CreditsChanged{1, 1});
  EXPECT_EQ(h_.plans.size(), 1u);
  h_.AnswerPlan();
  EXPECT_EQ(h_.plans.size(), 1u);
}

TEST_F(EngineReconcileTest, APlansLifeCountsFromItsSendingAndItsEnvelopeIsOurs) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.Feed(CreditsChanged{4, 0});
  const SendObservation send = h_.TakeObservation();
  Plan plan = MakeWidgetPlan(send.observation);
  plan.envelope.not_after = absl::InfiniteFuture();
  plan.envelope.epoch = 99;
  plan.envelope.watcher = "somebody";
  h_.Feed(PlanArrived{send.sequence, plan});
  h_.Advance(absl::Seconds(30));
  h_.Feed(CreditsChanged{4, 1});
  const SendPlan sent = h_.TakePlan();
  EXPECT_EQ(sent.plan->envelope.not_after, h_.now.wall + h_.options.plan_life);
  EXPECT_EQ(sent.plan->envelope.watcher, "watcher-a");
  EXPECT_EQ(sent.plan->envelope.epoch, 1u);
  EXPECT_GT(sent.sequence, send.sequence);
  EXPECT_EQ(sent.plan->envelope.sequence, sent.sequence);
}

TEST_F(EngineReconcileTest, APlanIsDroppedWhenTheUserChangedTheParentMeanwhile) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.Feed(CreditsChanged{4, 0});
  h_.AnswerObservation();
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.TakeObservation().observation.envelope.parent.generation, 2);
}

TEST_F(EngineReconcileTest, WhatIsNotForTheObservationIsNotCarriedOut) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  const SendObservation send = h_.TakeObservation();
  h_.Feed(PlanArrived{send.sequence + 7, MakeWidgetPlan(send.observation)});
  EXPECT_TRUE(h_.plans.empty());
  Plan other = MakeWidgetPlan(send.observation);
  other.envelope.parent.uid = "another";
  h_.Feed(PlanArrived{send.sequence, other});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_TRUE(h_.HasNote("Plan failed"));
  h_.Feed(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)});
  EXPECT_TRUE(h_.plans.empty()) << "a second answer to one observation";
}

// The uid of what holds a name is reported, and a planner may know others: of another parent's
// child.
TEST_F(EngineReconcileTest, APlanForWhatIsNoChildThatItWasShownIsRefused) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("other", 1, 7);
  h_.Deliver();
  h_.RunReconciles();
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  const SendObservation send = h_.TakeObservation();
  std::string strange;
  for (const auto& [name, part] : h_.cluster.All(PartType())) {
    if (part["metadata"]["ownerReferences"][0]["uid"] != send.observation.envelope.parent.uid)
      strange = part["metadata"]["uid"];
  }
  ASSERT_FALSE(strange.empty());
  for (const bool deletes : {false, true}) {
    Plan plan = MakeWidgetPlan(send.observation);
    Operation& operation = plan.stages.at(0).operations.at(0);
    ASSERT_FALSE(operation.precondition.uid.empty()) << "it changes what is there";
    operation.precondition.uid = strange;
    if (deletes) operation.action = Delete{};
    Engine engine = h_.engine;
    const Outputs outputs = engine.Step(h_.now, PlanArrived{send.sequence, plan});
    std::string told;
    for (const Output& output : outputs) {
      EXPECT_FALSE(std::holds_alternative<SendPlan>(output));
      if (const auto* note = std::get_if<Note>(&output)) told += note->detail;
    }
    EXPECT_NE(told.find("no child that the planner was shown"), std::string::npos) << told;
    EXPECT_EQ(engine.Figures(h_.now).controllers.at(0).refused.at("not_owned"), 1u);
  }
  h_.Feed(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)});
  EXPECT_EQ(h_.plans.size(), 1u);
}

TEST_F(EngineReconcileTest, ChangesDuringAReconcileRunItOnceMore) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.cluster.SetWidget("w", 1, 9);
  h_.cluster.SetWidget("w", 1, 10);
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
  h_.RunReconciles();
  EXPECT_EQ(h_.cluster.All(PartType()).begin()->second["spec"]["value"], 10);
}

TEST_F(EngineReconcileTest, IsNotPlannedFromACacheOlderThanItsOwnReport) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.held = {"parts", "widgets"};
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.Deliver();
  EXPECT_EQ(h_.Key("w").state, KeyState::kWaitingForCache);
  EXPECT_EQ(h_.Key("w").waiting_for.size(), 2u);
  EXPECT_TRUE(h_.observations.empty());
  h_.held = {};
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
  EXPECT_EQ(h_.TakeObservation().observation.children[0].objects.size(), 1u);
}

TEST_F(EngineReconcileTest, AnOwnWriteThatTheWatchLostLeadsToOneList) {
  h_.StartWithStalledParts();
  kube::WatchEvent bookmark;
  bookmark.type = kube::WatchEventType::kBookmark;
  bookmark.object.header.resource_version = h_.cluster.version();
  const StreamId lossy = h_.StreamOf(PartType());
  h_.Feed(EventsArrived{lossy, {bookmark}});
  EXPECT_TRUE(h_.HasNote("Own write not seen"));
  EXPECT_EQ(h_.StreamOf(PartType()), lossy) << "the watch goes on";
  EXPECT_EQ(h_.Key("w").state, KeyState::kWaitingForCache);
  h_.Deliver();
  EXPECT_NE(h_.StreamOf(PartType()), lossy);
  EXPECT_NE(h_.Key("w").state, KeyState::kWaitingForCache);
}

TEST_F(EngineReconcileTest, OwnStatusWritesAreNotPlannedAgain) {
  h_.StartWithWidget();
  h_.cluster.ForeignPart("w-0", 8);  // drift, put back without a change of the status
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.Deliver();
  h_.AnswerObservation();
  while (!h_.plans.empty()) h_.AnswerPlan();
  const uint64_t before = h_.observations.size();
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), before) << "the event of our own status write";
}

TEST_F(EngineReconcileTest, APlanThatWritesNothingCompletesWithoutAnApplier) {
  h_.StartWithWidget();
  h_.Feed(CreditsChanged{4, 0});
  h_.cluster.ForeignPart("w-0", 7);
  h_.cluster.SetWidget("w", 1, 7);
  h_.Deliver();
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineReconcileTest, SecretsAreNeitherReadNorWaitedFor) {
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start();
  const SendObservation send = h_.TakeObservation();
  Plan plan = MakeWidgetPlan(send.observation);
  Operation secret;
  secret.target = {
      {.group = "", .version = "v1", .kind = "Secret", .plural = "secrets"}, "default", "s"};
  secret.action = EnsureSecret{};
  secret.id = OperationId(secret.action, secret.target);
  plan.stages.push_back({"secrets", {secret}});
  plan.status.reset();
  h_.Feed(PlanArrived{send.sequence, plan});
  h_.Feed(ReportLost{h_.TakePlan().sequence});
  h_.Advance(absl::Seconds(23));
  EXPECT_TRUE(h_.Take<LiveGet>().empty());
  EXPECT_EQ(h_.observations.size(), 1u) << "it is simply asked again";
}

TEST_F(EngineReconcileTest, AParentDeletedInFlightIsForgottenAfterwards) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.AnswerObservation();
  h_.cluster.Delete(WidgetType(), "w");
  h_.Deliver();
  EXPECT_EQ(h_.Keys().size(), 1u);
  h_.AnswerPlan();
  h_.Deliver();
  EXPECT_TRUE(h_.Keys().empty());
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.engine.NextDeadline(), absl::InfiniteDuration());
}

TEST_F(EngineReconcileTest, AParentMadeAgainAtOnceIsANewOneAndHealsByItself) {
  h_.StartWithWidget();
  h_.cluster.Delete(WidgetType(), "w");
  h_.cluster.SetWidget("w", 1, 11);
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();  // the old part holds the name
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
  EXPECT_TRUE(h_.Key("w").last_outcomes.front().code == OutcomeCode::kNameConflict);
  EXPECT_TRUE(h_.cluster.CollectGarbage());
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
  EXPECT_EQ(h_.cluster.All(PartType()).begin()->second["spec"]["value"], 11);
}

TEST_F(EngineReconcileTest, ReconcileAtAndPausedAreUsersChanges) {
  h_.StartWithWidget();
  kube::DecodedObject widget = h_.cluster.List(WidgetType()).front();
  widget.header.resource_version = "9000";
  widget.header.reconcile_at = "now";
  h_.Feed(EventsArrived{h_.StreamOf(WidgetType()),
                        {{kube::WatchEventType::kModified, widget, 0, "", ""}}});
  EXPECT_EQ(h_.TakeObservation().observation.envelope.reasons,
            std::vector<std::string>{"reconcile-at changed"});
}

TEST_F(EngineReconcileTest, ResyncAfterIsKept) {
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start();
  h_.RunReconciles();
  h_.cluster.SetWidget("w", 0, 8);
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.Deliver();
  ASSERT_TRUE(h_.observations.empty());
  h_.cluster.SetWidget("w", 0, 9);
  h_.Deliver();
  const SendObservation send = h_.TakeObservation();
  Plan plan = MakeWidgetPlan(send.observation);
  plan.status.reset();
  plan.resync_after = absl::Seconds(90);
  h_.Feed(PlanArrived{send.sequence, plan});
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
  h_.Advance(absl::Seconds(89));
  EXPECT_TRUE(h_.observations.empty());
  h_.Advance(absl::Seconds(1));
  EXPECT_EQ(h_.TakeObservation().observation.envelope.reasons, std::vector<std::string>{"resync"});
}

TEST_F(EngineReconcileTest, ACopyThatIsFedTheSameStaysEqual) {
  h_.StartWithWidget();
  Harness copy = h_;
  EXPECT_TRUE(copy.engine == h_.engine);
  for (Harness* each : {&h_, &copy}) {
    each->cluster.SetWidget("w", 3, 8);
    each->Deliver();
    each->RunReconciles();
  }
  EXPECT_TRUE(copy.engine == h_.engine);
  copy.cluster.SetWidget("w", 3, 9);
  copy.Deliver();
  EXPECT_FALSE(copy.engine == h_.engine);
}

TEST_F(EngineReconcileTest, ClientsSeeWhereAKeyIsAndWhy) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Deliver();
  const KeyView queued = h_.Key("w");
  EXPECT_EQ(queued.state, KeyState::kQueued);
  EXPECT_EQ(queued.waiting_for,
            (std::vector<std::string>{"no planner is connected", "no applier is connected"}));
  EXPECT_EQ(queued.reasons, std::vector<std::string>{"initial list"});
  h_.Feed(CreditsChanged{1, 1});
  EXPECT_EQ(h_.Key("w").state, KeyState::kPlanning);
  h_.AnswerObservation();
  EXPECT_EQ(h_.Key("w").state, KeyState::kApplying);
  EXPECT_TRUE(h_.engine.Observe({WidgetType(), "default", "w"}, h_.now).has_value());
  EXPECT_FALSE(h_.engine.Observe({WidgetType(), "default", "x"}, h_.now).has_value());
  h_.AnswerPlan();
  h_.Deliver();
  h_.RunReconciles();
  const EngineFigures figures = h_.engine.Figures(h_.now);
  ASSERT_EQ(figures.controllers.size(), 1u);
  EXPECT_EQ(figures.controllers[0].keys, 1u);
  EXPECT_GE(figures.controllers[0].reconciles.at("success"), 1u);
  EXPECT_EQ(figures.controllers[0].outcomes.at("Created"), 1u);
  EXPECT_EQ(figures.resources.size(), 2u);
  EXPECT_TRUE(h_.engine.Unsynced().empty());
  EXPECT_EQ(figures.planner_revision, "r1");
}

TEST_F(EngineReconcileTest, AUserWhoChangesTheParentAllTheTimeDoesNotKeepItFromBeingWritten) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  for (int i = 0; i < 10 && h_.plans.empty(); ++i) {
    h_.cluster.SetWidget("w", 1, 8 + i);
    h_.Deliver();
    h_.AnswerObservation();
  }
  EXPECT_FALSE(h_.plans.empty());
}

}  // namespace
}  // namespace xebec::watcher::testing
