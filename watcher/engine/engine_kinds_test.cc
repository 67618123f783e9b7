// SPDX-License-Identifier: Apache-2.0
// What is watched and planned.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/gadgets.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

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
  EXPECT_THAT(h_.engine.Unsynced(), ElementsAre("no planner has described its kinds yet"));
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
  AddGadget("default", "9000", &h_);
  const SendObservation send = h_.TakeObservation();
  ASSERT_EQ(send.observation.related.size(), 1u);
  EXPECT_EQ(send.observation.related[0].objects.size(), 1u);
  h_.Feed(PlanArrived{send.sequence, MakeWidgetPlan(send.observation)});
  AddGadget("elsewhere", "9001", &h_);
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

}  // namespace
}  // namespace xebec::watcher::testing
