// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/plan_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum OutcomeCode;

TEST(ParentWrites, VersionsChainOnTheParent) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({{FinalizerOp(AddFinalizer{kFinalizer})}, {CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged, kCreated, kChanged));
  EXPECT_EQ((*server.Get(ParentPath()))["metadata"]["finalizers"], Json::array({kFinalizer}));
  EXPECT_EQ(Applied(server), "True/Applied");
}

// The PUT of a first status has no labels, and the API server takes those of a Service from it.
TEST(ParentWrites, TheFirstStatusOfABuiltInKindKeepsItsMetadata) {
  Plan plan = MakePlan({});
  ObjectRef& parent = plan.envelope.parent.ref;
  parent.type = {"", "v1", "Service", "services", false};
  const std::string path = kube::ObjectPath(parent);
  Json object = ParentObject();
  object["apiVersion"] = "v1";
  object["kind"] = "Service";
  plan.status = StatusOf(0);
  Json body = object;
  body["status"] = {{"readyReplicas", 0}};
  body["metadata"] = {{"name", "iris"}, {"namespace", "default"}};
  plan.status->object = MakeObjectBytes(DumpJson(body));
  object["metadata"]["labels"] = {{"app", "web"}};
  object["metadata"]["finalizers"] = {"example.com/theirs"};
  FakeApiServer server;
  server.Put(path, object);
  server.SetVersion(path, "10");
  EXPECT_THAT(Codes(Drive(plan, &server).report), ElementsAre(kChanged));
  const Json& metadata = (*server.Get(path))["metadata"];
  EXPECT_EQ(metadata["labels"], object["metadata"]["labels"]);
  EXPECT_EQ(metadata["finalizers"], object["metadata"]["finalizers"]);
}

TEST(ParentWrites, OperationsOnTheParentRunOneAfterTheOther) {
  Json parent = ParentObject();
  parent["metadata"]["finalizers"] = {"example.com/theirs", "example.com/old"};
  FakeApiServer server;
  server.Put(ParentPath(), parent);
  server.SetVersion(ParentPath(), "10");
  const Plan plan = MakePlan(
      {{FinalizerOp(AddFinalizer{kFinalizer}), FinalizerOp(RemoveFinalizer{"example.com/old"})}});
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged, kChanged));
  EXPECT_EQ((*server.Get(ParentPath()))["metadata"]["finalizers"],
            (Json{"example.com/theirs", kFinalizer}));
}

TEST(ParentWrites, StatusIsMergedWhereTheCrdOfAnotherOperatorDoesNotDeclareItsFields) {
  FakeApiServer server = ServerWithParent();
  server.undeclared_status.insert("irises");
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(1);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kCreated, kChanged));
  const Json* parent = server.Get(ParentPath());
  EXPECT_FALSE((*parent)["status"].empty());
  EXPECT_FALSE((*parent)["status"].contains("conditions"));
}

// Of a CRD that drops conditions the events are all that tells.
TEST(ParentWrites, EventsOfAStatusThatTheSchemaDropsArePublishedAllTheSame) {
  FakeApiServer server = ServerWithParent();
  server.undeclared_status.insert("irises");
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  plan.status->events = {
      {EventCondition::kAnyChange, true, "InvalidSpec", "Plan", "spec.a is wrong"}};
  EXPECT_THAT(Codes(Drive(plan, &server).report), ElementsAre(kChanged));
  plan.envelope.parent.resource_version =
      FindString(*server.Get(ParentPath()), {"metadata", "resourceVersion"});
  const Driven again = Drive(plan, &server);
  EXPECT_THAT(Codes(again.report), ElementsAre(kUnchanged));
  EXPECT_EQ(again.events, plan.status->events);
}

TEST(ParentWrites, StatusThatTheSchemaOfAnotherOperatorRefusesIsNotTriedForEver) {
  FakeApiServer server = ServerWithParent();
  server.undeclared_status.insert("irises");
  server.demanded_status["irises"] = "podNames";
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  plan.status->events = {
      {EventCondition::kAnyChange, true, "InvalidSpec", "Plan", "spec.a is wrong"}};
  const Driven driven = Drive(plan, &server);
  ASSERT_THAT(Codes(driven.report), ElementsAre(kUnchanged));
  EXPECT_EQ(driven.report.outcomes[0].certainty, Certainty::kDone);
  EXPECT_EQ(driven.report.outcomes[0].reason, "NotKept");
  EXPECT_EQ(driven.events, plan.status->events);
}

TEST(ParentWrites, AmendmentsRemoveMembersAndKeepTheConditionsOfOthers) {
  FakeApiServer server = ServerWithParent();
  Json parent = ParentObject();
  const Json foreign = {{"type", "Foreign"}, {"status", "True"}};
  parent["status"] = {{"gone", 1}, {"theirs", 2}, {"conditions", {foreign}}};
  server.Put(ParentPath(), parent);
  server.SetVersion(ParentPath(), "10");
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  plan.status->amendments =
      MakeObjectBytes(R"({"gone":null,"conditions":[{"type":"Foreign","status":"True"}]})");
  Drive(plan, &server);
  const Json& status = (*server.Get(ParentPath()))["status"];
  EXPECT_FALSE(status.contains("gone"));
  EXPECT_EQ(status["theirs"], 2);
  ASSERT_EQ(status["conditions"].size(), 2u);
  EXPECT_EQ(status["conditions"][0], foreign);
}

/// A server whose parent has this status at version 10.
FakeApiServer ServerWithStatus(const Json& status) {
  FakeApiServer server;
  Json parent = ParentObject();
  parent["status"] = status;
  server.Put(ParentPath(), parent);
  server.SetVersion(ParentPath(), "10");
  return server;
}

Plan PlanAfter(const Json& observed) {
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  plan.status->observed = MakeObjectBytes(DumpJson(observed));
  plan.status->observed_applied = ConditionValue{"True", "Applied", ""};
  return plan;
}

/// Of a parent of which no plan has written the status yet.
Plan FirstPlanAfter(const Json& observed) {
  Plan plan = PlanAfter(observed);
  plan.status->observed_applied.reset();
  return plan;
}

TEST(ParentWrites, FirstStatusReplacesTheDefaultOfTheCrdAndKeepsMembersOfOthers) {
  const Json given = {{"readyReplicas", -1}, {"theirs", "x"}};
  FakeApiServer server = ServerWithStatus(given);
  const Driven driven = Drive(FirstPlanAfter(given), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 1u);
  EXPECT_EQ((*server.Get(ParentPath()))["status"]["readyReplicas"], 1);
  EXPECT_EQ((*server.Get(ParentPath()))["status"]["theirs"], "x");
}

TEST(ParentWrites, UserWhoChangesTheSpecDoesNotKeepTheFirstStatusFromBeingWritten) {
  const Json given = {{"readyReplicas", -1}};
  FakeApiServer server = ServerWithStatus(given);
  server.SetVersion(ParentPath(), "11");
  const Driven driven = Drive(FirstPlanAfter(given), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 2u);
  EXPECT_EQ((*server.Get(ParentPath()))["status"]["conditions"].size(), 1u);
}

TEST(ParentWrites, FirstStatusOfAParentThatHasChangedIsNotWritten) {
  const Json theirs = {{"theirs", "x"}};
  FakeApiServer server = ServerWithStatus(theirs);
  server.SetVersion(ParentPath(), "11");
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale));
  EXPECT_EQ(driven.requests, 1u);
  EXPECT_EQ((*server.Get(ParentPath()))["status"], theirs);
}

TEST(ParentWrites, ConditionAppliedAloneKeepsTheOtherMembersOfTheStatus) {
  FakeApiServer server = ServerWithStatus({{"theirs", "x"}});
  Plan plan = MakePlan({});
  plan.status = StatusOf(1);
  plan.status->changed = false;
  plan.status->observed_applied = ConditionValue{"False", "Failed", ""};
  EXPECT_THAT(Codes(Drive(plan, &server).report), ElementsAre(kChanged));
  EXPECT_EQ((*server.Get(ParentPath()))["status"]["theirs"], "x");
}

TEST(ParentWrites, UserWhoChangesTheSpecDoesNotKeepTheStatusFromBeingWritten) {
  const Json observed = {{"readyReplicas", 0}, {"theirs", "x"}};
  FakeApiServer server = ServerWithStatus(observed);
  server.SetVersion(ParentPath(), "11");
  const Driven driven = Drive(PlanAfter(observed), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 1u);
  const Json& status = (*server.Get(ParentPath()))["status"];
  EXPECT_EQ(status["readyReplicas"], 1);
  EXPECT_EQ(status["theirs"], "x");
  EXPECT_EQ(Applied(server), "True/Applied");
}

TEST(ParentWrites, StatusThatAnotherClientChangedIsNotOverwritten) {
  const Json changed = {{"readyReplicas", 7}};
  FakeApiServer server = ServerWithStatus(changed);
  server.SetVersion(ParentPath(), "11");
  const Driven driven = Drive(PlanAfter({{"readyReplicas", 0}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale));
  EXPECT_EQ((*server.Get(ParentPath()))["status"], changed);
}

TEST(ParentWrites, StatusOfAnotherParentOfTheSameNameIsNotWritten) {
  const Json observed = {{"readyReplicas", 0}};
  FakeApiServer server = ServerWithStatus(observed);
  Json other = ParentObject();
  other["metadata"]["uid"] = "another";
  other["status"] = observed;
  server.Put(ParentPath(), other);
  EXPECT_THAT(Codes(Drive(PlanAfter(observed), &server).report), ElementsAre(kStale));
  EXPECT_EQ((*server.Get(ParentPath()))["status"], observed);
}

// The API server may write a value in another way than we do.
TEST(ParentWrites, StatusThatComparesAsAnotherIsWrittenAtTheVersionOfTheParent) {
  FakeApiServer server = ServerWithStatus({{"readyReplicas", 0}});
  const Driven driven = Drive(PlanAfter({{"readyReplicas", 5}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 2u);
  EXPECT_EQ((*server.Get(ParentPath()))["status"]["conditions"].size(), 1u);
}

TEST(ParentWrites, StatusThatCannotBeComparedIsWrittenAtTheVersionOfTheParent) {
  const Json observed = {{"share", 0.5}};
  FakeApiServer server = ServerWithStatus(observed);
  const Driven driven = Drive(PlanAfter(observed), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 1u);
}

TEST(ParentWrites, EventsOfThePlanItselfArePublishedWithoutAStatus) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({});
  plan.events = {{EventCondition::kAnyChange, true, "InvalidSpec", "Plan", "spec.a is wrong"}};
  const Driven driven = Drive(plan, &server);
  EXPECT_EQ(driven.events, plan.events);
  EXPECT_EQ(driven.requests, 0u);
}

Json DyingParent(std::vector<std::string> finalizers) {
  Json parent = ParentObject();
  parent["metadata"]["finalizers"] = finalizers;
  parent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  return parent;
}

TEST(ParentWrites, LastFinalizerTakesTheParentAwayAndNoStatusIsWritten) {
  FakeApiServer server;
  server.Put(ParentPath(), DyingParent({kFinalizer}));
  server.SetVersion(ParentPath(), "10");
  Plan plan = MakePlan({{FinalizerOp(RemoveFinalizer{kFinalizer})}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(server.Get(ParentPath()), nullptr);
  EXPECT_EQ(driven.requests, 2u);
}

TEST(ParentWrites, FinalizerIsNotRemovedFromAParentThatHasChanged) {
  FakeApiServer server;
  server.Put(ParentPath(), DyingParent({kFinalizer}));
  const Driven driven = Drive(MakePlan({{FinalizerOp(RemoveFinalizer{kFinalizer})}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale));
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(ParentWrites, OthersFinalizersStay) {
  FakeApiServer server;
  server.Put(ParentPath(), DyingParent({"example.com/theirs", kFinalizer}));
  server.SetVersion(ParentPath(), "10");
  Plan plan = MakePlan({{FinalizerOp(RemoveFinalizer{kFinalizer})}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged, kChanged));
  EXPECT_EQ((*server.Get(ParentPath()))["metadata"]["finalizers"],
            Json::array({"example.com/theirs"}));
}

TEST(ParentWrites, FinalizerIsNotAddedToAParentThatIsBeingDeleted) {
  FakeApiServer server;
  server.Put(ParentPath(), DyingParent({}));
  server.SetVersion(ParentPath(), "10");
  const Driven driven = Drive(MakePlan({{FinalizerOp(AddFinalizer{kFinalizer})}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale));
}

TEST(ParentWrites, StatusIsNotWrittenWhenTheParentShowsItAlready) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({});
  plan.status = StatusOf(0);
  plan.status->changed = false;
  plan.status->observed_applied = ConditionValue{"True", "Applied", ""};
  const Driven driven = Drive(plan, &server);
  EXPECT_EQ(driven.requests, 0u);
  EXPECT_THAT(driven.report.outcomes, IsEmpty());
}

TEST(ParentWrites, StatusIsWrittenWhenOnlyAppliedChanges) {
  FakeApiServer server = ServerWithParent();
  server.forbidden = {"POST configmaps"};
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  plan.status->changed = false;
  plan.status->observed_applied = ConditionValue{"True", "Applied", ""};
  plan.status->observed_applied_since = "2025-01-01T00:00:00Z";
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kForbidden, kChanged));
  EXPECT_EQ(Applied(server), "False/Rejected");
  const Json& condition = (*server.Get(ParentPath()))["status"]["conditions"][0];
  EXPECT_EQ(condition["lastTransitionTime"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(condition["observedGeneration"], 3);
}

TEST(ParentWrites, TransitionTimeStaysWhileTheConditionKeepsItsStatus) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({});
  plan.status = StatusOf(0);
  plan.status->observed_applied = ConditionValue{"True", "Other", ""};
  plan.status->observed_applied_since = "2025-01-01T00:00:00Z";
  Drive(plan, &server);
  const Json& condition = (*server.Get(ParentPath()))["status"]["conditions"][0];
  EXPECT_EQ(condition["lastTransitionTime"], "2025-01-01T00:00:00Z");
}

TEST(ParentWrites, BlockedPlanShowsWhyAlthoughNothingFailed) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({});
  plan.status = StatusOf(0);
  plan.status->blocked = ConditionValue{"False", "Paused", "paused by annotation"};
  Drive(plan, &server);
  EXPECT_EQ(Applied(server), "False/Paused");
}

TEST(ParentWrites, StaleStatusIsStale) {
  FakeApiServer server = ServerWithParent();
  server.Put(ParentPath(), ParentObject());
  Plan plan = MakePlan({});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale));
  EXPECT_THAT(driven.events, IsEmpty());
}

TEST(ParentWrites, ParentWithoutStatusSubresourceIsTold) {
  FakeApiServer server = ServerWithParent();
  server.without_status = {"irises"};
  Plan plan = MakePlan({});
  plan.status = StatusOf(0);
  EXPECT_THAT(Codes(Drive(plan, &server).report), ElementsAre(kNotServed));
  FakeApiServer empty;
  EXPECT_THAT(Codes(Drive(plan, &empty).report), ElementsAre(kAbsent));
}

}  // namespace
}  // namespace xebec::applier
