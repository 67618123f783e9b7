// SPDX-License-Identifier: Apache-2.0
// What is watched and planned, and with which planner revision.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

ResourceType GadgetType() {
  return {.group = "example.com", .version = "v1", .kind = "Gadget", .plural = "gadgets"};
}

KindDescription GadgetKind() {
  KindDescription kind;
  kind.controller = "gadget.example.com";
  kind.parent = GadgetType();
  return kind;
}

class EngineKindsTest : public ::testing::Test {
 protected:
  /// One parent was planned; now it is to be planned again, blind for its children.
  void ChangeAParentWhileItsPartsMayNotBeRead() {
    h_.cluster.SetWidget("w", 1, 7);
    h_.Start();
    h_.RunReconciles();
    h_.Feed(WatchEnded{h_.StreamOf(PartType()), ApiFailure{403, "Forbidden", "", std::nullopt}});
    h_.cluster.SetWidget("w", 2, 7);
    h_.Deliver();
  }

  /// A user's change of widget "w".
  kube::WatchEvent ChangedWidget() {
    h_.cluster.SetWidget("w", 1, 8);
    return {.type = kube::WatchEventType::kModified,
            .object = h_.cluster.List(WidgetType()).front()};
  }

  Harness h_;
};

TEST_F(EngineKindsTest, AKindThatIsMissingIsWaitedForAndStopsNobody) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(GadgetKind());
  h_.unserved = {"gadgets"};
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(description);
  EXPECT_TRUE(h_.HasNote("Kind not served"));
  EXPECT_TRUE(h_.engine.Unsynced().empty());
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
  h_.unserved = {};
  h_.Advance(absl::Seconds(10));
  h_.Deliver();
  EXPECT_TRUE(h_.HasNote("Kind appeared"));
  EXPECT_NE(h_.StreamOf(GadgetType()), 0u);
}

TEST_F(EngineKindsTest, WhatIsNotListedYetIsToldWithTheReason) {
  using ::testing::ElementsAre;
  EXPECT_THAT(h_.engine.Unsynced(), ElementsAre("no planner has said yet what it plans"));
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Take<Discover>();
  h_.Feed(DiscoveryFailed{WidgetType(), {401, "Unauthorized", "", std::nullopt}});
  h_.Feed(DiscoveryFailed{PartType(), {0, "", "GET https://h: no route", std::nullopt}});
  EXPECT_THAT(
      h_.engine.Unsynced(),
      ElementsAre("parts is tried again, after a failure: GET https://h: no route",
                  "widgets.example.com is tried again, after a failure: HTTP 401 Unauthorized"));
  h_.Advance(absl::Seconds(2));
  h_.Deliver();
  EXPECT_THAT(h_.engine.Unsynced(), ElementsAre());
}

TEST_F(EngineKindsTest, AChildKindThatIsMissingIsNotWatched) {
  h_.unserved = {"parts"};
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  EXPECT_TRUE(h_.TakeObservation().observation.children.empty());
}

TEST_F(EngineKindsTest, AChildKindThatMayNotBeReadDegradesAlone) {
  ChangeAParentWhileItsPartsMayNotBeRead();
  EXPECT_TRUE(h_.TakeObservation().observation.children.empty());
}

TEST_F(EngineKindsTest, AChildKindThatCanBeReadAgainWakesWhatWasPlannedWithoutIt) {
  ChangeAParentWhileItsPartsMayNotBeRead();
  const SendObservation blind = h_.TakeObservation();
  Plan nothing;  // what a planner says that was not shown the parts
  nothing.envelope = blind.observation.envelope;
  h_.Feed(PlanArrived{blind.sequence, nothing});
  ASSERT_TRUE(h_.observations.empty());
  h_.Advance(absl::Minutes(1));  // it is listed again, and nothing of it has changed
  h_.Deliver();
  const SendObservation seeing = h_.TakeObservation();
  EXPECT_EQ(seeing.observation.children.size(), 1u);
  EXPECT_EQ(seeing.observation.envelope.reasons.back(), "parts can be read again");
}

TEST_F(EngineKindsTest, ACrdThatWentAwayIsNoDeletionOfItsObjects) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  h_.Feed(WatchEnded{h_.StreamOf(WidgetType()), ApiFailure{404, "NotFound", "", std::nullopt}});
  EXPECT_EQ(h_.Keys().size(), 1u);
  h_.cluster.ForeignPart("w-0", 9);
  h_.Deliver();
  EXPECT_TRUE(h_.observations.empty()) << "an inactive kind is not planned";
}

TEST_F(EngineKindsTest, WithoutAStatusSubresourceThePlannerIsTold) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Take<Discover>();
  h_.Feed(Discovered{WidgetType(), true, false, false});
  h_.Feed(Discovered{PartType(), true, true, false});
  h_.Feed(CreditsChanged{1, 1});
  h_.Deliver();
  EXPECT_TRUE(h_.TakeObservation().observation.without_status);
}

TEST_F(EngineKindsTest, WhatACrdLacksIsToldOnceAndCounted) {
  PlannerDescription description = WidgetDescription();
  description.kinds[0].scalable = true;
  h_.Feed(DescriptionArrived{description});
  h_.Take<Discover>();
  h_.Feed(Discovered{WidgetType(), true, false, false});
  h_.Feed(Discovered{PartType(), true, false, false});
  h_.Feed(DescriptionArrived{description});
  h_.Deliver();
  EXPECT_EQ(h_.notes.count("Subresources missing"), 1u) << "and nothing of children";
  const EngineFigures figures = h_.engine.Figures(h_.now);
  const Counts both = {{"scale", 1}, {"status", 1}};
  EXPECT_EQ(figures.controllers.at(0).missing_subresources, both);
}

TEST_F(EngineKindsTest, ACrdThatGainsAStatusIsPlannedWithItWithoutARestart) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Take<Discover>();
  h_.Feed(Discovered{WidgetType(), true, false, false});
  h_.Feed(Discovered{PartType(), true, true, false});
  h_.Feed(CreditsChanged{1, 1});
  h_.Deliver();
  h_.RunReconciles();
  ASSERT_TRUE(h_.observations.empty());
  h_.Advance(absl::Seconds(5));
  h_.Feed(WatchEnded{h_.StreamOf(WidgetType()), std::nullopt});
  h_.Deliver();  // says that there is a status now
  EXPECT_FALSE(h_.TakeObservation().observation.without_status);
  EXPECT_TRUE(h_.HasNote("Subresources complete"));
  EXPECT_TRUE(h_.engine.Figures(h_.now).controllers.at(0).missing_subresources.empty());
}

TEST_F(EngineKindsTest, ASecondControllerOfAParentIsRefusedOnce) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(description.kinds[0]);
  description.kinds[1].controller = "another";
  h_.Start(description);
  h_.Feed(DescriptionArrived{description});
  EXPECT_EQ(h_.notes.count("Controller refused"), 1u);
}

TEST_F(EngineKindsTest, ARefusalThatReturnsIsNotedAgain) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(description.kinds[0]);
  description.kinds[1].controller = "another";
  h_.Start(description);
  h_.Feed(DescriptionArrived{WidgetDescription("r2")});
  h_.Deliver();
  ASSERT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
  description.revision = "r3";
  h_.Feed(DescriptionArrived{description});
  EXPECT_EQ(h_.notes.count("Controller refused"), 2u);
}

TEST_F(EngineKindsTest, ANewRevisionTakesOverOnceWhenWhatItNeedsIsListed) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  PlannerDescription next = WidgetDescription("r2");
  next.kinds.push_back(GadgetKind());
  h_.Feed(DescriptionArrived{next});
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r1") << "gadgets are not listed yet";
  h_.Deliver();
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
  EXPECT_EQ(h_.observations.front().observation.envelope.planner_revision, "r2");
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{WidgetDescription("r1")});  // an old replica reconnects
  h_.Deliver();
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
  EXPECT_TRUE(h_.observations.empty());
}

// Revision r1 needs the specs of parts alone, r2 their status besides.
TEST_F(EngineKindsTest, KeysArePlannedWhileTheirCacheIsMadeWiderForTheNextRevision) {
  PlannerDescription narrow = WidgetDescription();
  narrow.kinds[0].children[0].fields = {"spec"};
  PlannerDescription wide = WidgetDescription("r2");
  wide.kinds[0].children[0].fields = {"spec", "status"};
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(narrow);
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{wide});
  h_.Feed(EventsArrived{h_.StreamOf(WidgetType()), {ChangedWidget()}});
  ASSERT_EQ(h_.observations.size(), 1u) << "parts are being listed";
  EXPECT_EQ(h_.observations.front().observation.envelope.planner_revision, "r1");
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r1");
  h_.observations.clear();
  h_.Deliver();
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
}

/// Revision r2 needs scraps besides, which cannot be listed.
class StuckRevisionTest : public EngineKindsTest {
 protected:
  StuckRevisionTest() {
    h_.cluster.SetWidget("w", 1, 7);
    h_.Start();
    PlannerDescription next = LeavingWidgetDescription();
    next.revision = "r2";
    h_.Feed(DescriptionArrived{next});
    for (const Discover& each : h_.Take<Discover>()) {
      h_.Feed(Discovered{each.type, true, true, false});
    }
    const ApiFailure failure{500, "", "the conversion webhook is down", std::nullopt};
    h_.Feed(WatchEnded{h_.StreamOf(ScrapType()), failure});
  }
  std::string Revision() const { return h_.engine.Figures(h_.now).planner_revision; }
};

TEST_F(StuckRevisionTest, TakesOverAfterAWhileThoughAResourceCannotBeListed) {
  EXPECT_EQ(Revision(), "r1");
  h_.Advance(absl::Seconds(61));
  EXPECT_EQ(Revision(), "r2");
}

TEST_F(StuckRevisionTest, TakesOverOnceNoPlannerOfTheOldOneIsLeft) {
  for (int i = 0; i < 40 && Revision() == "r1"; ++i) {
    while (!h_.observations.empty()) {
      const SendObservation send = h_.TakeObservation();
      Plan plan = MakeWidgetPlan(send.observation);
      plan.planner_revision = "r2";
      h_.Feed(PlanArrived{send.sequence, plan});
    }
    h_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(Revision(), "r2");
  EXPECT_LT(h_.now.monotonic, absl::Seconds(1050));
}

TEST_F(EngineKindsTest, APlanOfAnotherRevisionIsNotCarriedOut) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  const SendObservation send = h_.TakeObservation();
  Plan plan = MakeWidgetPlan(send.observation);
  plan.planner_revision = "r0";
  h_.Feed(PlanArrived{send.sequence, plan});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
}

TEST_F(EngineKindsTest, ARollbackIsFollowedOnceTheNewRevisionIsGone) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{WidgetDescription("r2")});
  h_.Deliver();
  for (int i = 0; i < 40 && h_.engine.Figures(h_.now).planner_revision == "r2"; ++i) {
    while (!h_.observations.empty()) {
      const SendObservation send = h_.TakeObservation();
      Plan plan = MakeWidgetPlan(send.observation);
      plan.planner_revision = "r1";  // the only one that is connected
      h_.Feed(PlanArrived{send.sequence, plan});
    }
    h_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r1");
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineKindsTest, AKindThatTheNewRevisionDropsIsForgotten) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(GadgetKind());
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(description);
  h_.RunReconciles();
  PlannerDescription less{"r2", {GadgetKind()}};
  h_.Feed(DescriptionArrived{less});
  EXPECT_TRUE(h_.Keys().empty());
  EXPECT_EQ(h_.StreamOf(WidgetType()), 0u);
  h_.Feed(DescriptionArrived{WidgetDescription("r3")});
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineKindsTest, OnlyAllowedKindsAreWatched) {
  Options options = Harness::WithoutElection();
  options.allowed_kinds = {"gadgets.example.com"};
  Harness limited(options);
  limited.cluster.SetWidget("w", 1, 7);
  limited.Start();
  EXPECT_EQ(limited.StreamOf(WidgetType()), 0u);
  EXPECT_TRUE(limited.Keys().empty());
}

TEST_F(EngineKindsTest, ChildrenWithoutControllerAreFoundByTheParentsLabel) {
  PlannerDescription description = WidgetDescription();
  description.kinds[0].children[0].parent_label = "example.com/widget";
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start(description);
  h_.RunReconciles();
  kube::DecodedObject claim;
  claim.header = {.ns = "default", .name = "data-w-0", .uid = "uc", .resource_version = "9000"};
  claim.header.parent_label = "w";
  claim.json = MakeObjectBytes(R"({"metadata":{"name":"data-w-0","uid":"uc"}})");
  h_.Feed(
      EventsArrived{h_.StreamOf(PartType()), {{kube::WatchEventType::kAdded, claim, 0, "", ""}}});
  const SendObservation send = h_.TakeObservation();
  ASSERT_EQ(send.observation.children[0].objects.size(), 1u);
  EXPECT_EQ(send.observation.envelope.reasons,
            std::vector<std::string>{"Part default/data-w-0 added"});
}

TEST_F(EngineKindsTest, RelatedObjectsAreShownAndWakeTheParentsOfTheirNamespace) {
  PlannerDescription description = WidgetDescription();
  ChildRule related;
  related.type = GadgetType();
  description.kinds[0].related.push_back(related);
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start(description);
  h_.RunReconciles();
  kube::DecodedObject gadget;
  gadget.header = {.ns = "default", .name = "g", .uid = "ug", .resource_version = "9000"};
  gadget.json = MakeObjectBytes("{}");
  h_.Feed(EventsArrived{h_.StreamOf(GadgetType()),
                        {{kube::WatchEventType::kAdded, gadget, 0, "", ""}}});
  const SendObservation send = h_.TakeObservation();
  ASSERT_EQ(send.observation.related.size(), 1u);
  EXPECT_EQ(send.observation.related[0].objects.size(), 1u);
  h_.Feed(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)});
  gadget.header.ns = "elsewhere";
  gadget.header.resource_version = "9001";
  h_.Feed(EventsArrived{h_.StreamOf(GadgetType()),
                        {{kube::WatchEventType::kAdded, gadget, 0, "", ""}}});
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.engine.Observe({WidgetType(), "default", "w"}, h_.now)->related[0].objects.size(),
            1u);
}

TEST_F(EngineKindsTest, AUsersChangeOvertakesTheInitialList) {
  for (int i = 0; i < 20; ++i) h_.cluster.SetWidget("old" + std::to_string(i), 1, 7);
  h_.Feed(DescriptionArrived{WidgetDescription()});
  h_.Deliver();
  h_.cluster.SetWidget("new", 1, 7);
  h_.Deliver();
  h_.Feed(CreditsChanged{1, 1});
  EXPECT_EQ(h_.TakeObservation().observation.envelope.parent.ref.name, "new");
}

TEST_F(EngineKindsTest, ARevisionWithAnotherParentLabelAndOneMoreKindTakesOver) {
  PlannerDescription one = WidgetDescription();
  PlannerDescription two = WidgetDescription("r2");
  one.kinds[0].children[0].parent_label = "a";
  two.kinds[0].children[0].parent_label = "b";
  ChildRule more;
  more.type = GadgetType();
  two.kinds[0].children.push_back(more);
  h_.Start(one);
  h_.Feed(DescriptionArrived{two});
  h_.Deliver();
  EXPECT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
}

TEST(EngineRevisionsTest, APlanThatWaitedForAnApplierIsNotSentAfterTheRevisionMoved) {
  Harness h;
  h.cluster.SetWidget("w", 1, 7);
  h.Start();
  h.Feed(CreditsChanged{4, 0});
  h.AnswerObservation();
  h.Feed(DescriptionArrived{WidgetDescription("r2")});
  h.Deliver();
  h.Advance(absl::Seconds(1));
  ASSERT_EQ(h.engine.Figures(h.now).planner_revision, "r2");
  h.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h.plans.empty());
  EXPECT_EQ(h.TakeObservation().observation.envelope.planner_revision, "r2");
}

}  // namespace
}  // namespace xebec::watcher::testing
