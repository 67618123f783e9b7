// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/ownership/co_ownership.h"

#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/model/fields.h"
#include "common/model/well_known.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using enum OutcomeCode;

Json Entry(const std::string& manager, const std::string& operation, const std::string& fields) {
  return {{"manager", manager}, {"operation", operation}, {"fieldsV1", *ParseJson(fields)}};
}

Json ObjectWith(std::vector<Json> entries) {
  return {{"metadata", {{"name", "a"}, {"uid", "u"}, {"managedFields", std::move(entries)}}}};
}

TEST(CoOwnership, OneEntryNeedsNoRepair) {
  const Json update = Entry("m", "Update", R"({"f:a":{}})");
  const Json apply = Entry("m", "Apply", R"({"f:a":{}})");
  EXPECT_FALSE(RepairCoOwnership(ObjectWith({update}), "m", true));
  EXPECT_FALSE(RepairCoOwnership(ObjectWith({apply}), "m", true));
  EXPECT_FALSE(RepairCoOwnership(ObjectWith({apply, Entry("n", "Update", "{}")}), "m", true));
  Json status = update;
  status["subresource"] = "status";
  EXPECT_FALSE(RepairCoOwnership(ObjectWith({apply, status}), "m", true));
  EXPECT_FALSE(RepairCoOwnership(Json::object(), "m", true));
}

TEST(CoOwnership, EntryOfTheCreationGoesWhenNoFieldDisappears) {
  const Json apply = Entry("m", "Apply", R"({"f:a":{}})");
  const Json update = Entry("m", "Update", R"({"f:a":{},"f:default":{}})");
  const Json live = ObjectWith({Entry("other", "Apply", "{}"), apply, update});
  const auto repair = RepairCoOwnership(live, "m", /*same_fields=*/true);
  ASSERT_TRUE(repair);
  EXPECT_FALSE(repair->reapply);
  const Json repaired = live.patch(repair->patch);
  EXPECT_EQ(repaired["metadata"]["managedFields"],
            Json::array({Entry("other", "Apply", "{}"), apply}));
}

TEST(CoOwnership, FieldsMoveToTheApplyWhenSomeMayDisappear) {
  const Json live = ObjectWith({Entry("m", "Apply", R"({"f:a":{},"f:s":{"f:x":{}}})"),
                                Entry("m", "Update", R"({"f:b":{},"f:s":{"f:y":{}}})")});
  const auto repair = RepairCoOwnership(live, "m", /*same_fields=*/false);
  ASSERT_TRUE(repair);
  EXPECT_TRUE(repair->reapply);
  const Json repaired = live.patch(repair->patch);
  ASSERT_EQ(repaired["metadata"]["managedFields"].size(), 1u);
  EXPECT_EQ(repaired["metadata"]["managedFields"][0]["fieldsV1"],
            *ParseJson(R"({"f:a":{},"f:b":{},"f:s":{"f:x":{},"f:y":{}}})"));
}

bool BlocksItsOwner(const Json& object) {
  return *Find(object, {"metadata", "ownerReferences"})->at(0).find("blockOwnerDeletion") == true;
}

// A changed annotation would increase the generation.
TEST(CoOwnership, ReferenceOfADeploymentDiffersUntilTheFieldsThatMayDisappearAreGone) {
  Json live = ObjectWith({Entry("m", "Apply", "{}"), Entry("m", "Update", "{}")});
  live["metadata"]["annotations"] = {{std::string(kDigestAnnotation), "v1:d"}};
  live.update({{"kind", "Deployment"}, {"apiVersion", "apps/v1"}});
  live["metadata"]["ownerReferences"] =
      *ParseJson(R"([{"uid":"u","controller":true,"blockOwnerDeletion":true}])");
  EXPECT_TRUE(BlocksItsOwner(live.patch(RepairCoOwnership(live, "m", true)->patch)));
  const Json patched = live.patch(RepairCoOwnership(live, "m", false)->patch);
  EXPECT_FALSE(BlocksItsOwner(patched));
  EXPECT_EQ(patched["metadata"]["annotations"], live["metadata"]["annotations"]);
}

TEST(CoOwnership, DigestOfOtherKindsIsBlankUntilTheFieldsThatMayDisappearAreGone) {
  Json live = ObjectWith({Entry("m", "Apply", "{}"), Entry("m", "Update", "{}")});
  live["metadata"]["annotations"] = {{std::string(kDigestAnnotation), "v1:d"}, {"other", "o"}};
  const auto annotations = [&](bool same_fields) {
    return live.patch(RepairCoOwnership(live, "m", same_fields)->patch)["metadata"]["annotations"];
  };
  EXPECT_EQ(annotations(true), live["metadata"]["annotations"]);
  EXPECT_EQ(annotations(false), Json({{std::string(kDigestAnnotation), ""}, {"other", "o"}}));
}

TEST(CoOwnership, PatchTestsWhatItReplaces) {
  const Json live = ObjectWith({Entry("m", "Apply", "{}"), Entry("m", "Update", "{}")});
  const auto repair = RepairCoOwnership(live, "m", true);
  Json other = live;
  other["metadata"]["uid"] = "another";
  EXPECT_THROW(other.patch(repair->patch), Json::exception);
  other = ObjectWith(
      {Entry("k", "Apply", "{}"), Entry("m", "Apply", "{}"), Entry("m", "Update", "{}")});
  EXPECT_THROW(other.patch(repair->patch), Json::exception);
}

/// A ConfigMap that was created by POST and has then been applied.
class Applied {
 public:
  Applied() { Drive(MakePlan({{CreateOp(Two("1"))}}), &server_); }

  static Json Two(const std::string& value) {
    Json object = ConfigMap("a", value);
    object["data"]["second"] = "kept";
    return object;
  }

  Plan PlanOf(const Json& object, bool same_fields) const {
    const std::string uid = FindString(live(), {"metadata", "uid"});
    Operation update = UpdateOp(object, uid, FindString(live(), {"metadata", "resourceVersion"}));
    std::get<Apply>(update.action).same_fields = same_fields;
    return MakePlan({{update}});
  }

  Driven Update(const Json& object, bool same_fields) {
    return Drive(PlanOf(object, same_fields), &server_);
  }

  Driven Create(const Json& object) { return Drive(MakePlan({{CreateOp(object)}}), &server_); }

  /// Answers the next request of a run.
  void Answer(PlanRun* run) {
    const RunRequest request = run->Next(At()).at(0);
    run->On(request.id, server_.Handle(request.request), At());
  }

  const Json& live() const { return *server_.Get(PathOf("a")); }
  std::vector<std::string> Operations() const {
    std::vector<std::string> operations;
    for (const Json& entry : live()["metadata"]["managedFields"])
      operations.push_back(FindString(entry, {"operation"}));
    return operations;
  }

 private:
  FakeApiServer server_ = ServerWithParent();
};

TEST(CoOwnership, CreatedObjectHasOneEntryAndNoRepair) {
  const Applied object;
  EXPECT_THAT(object.Operations(), ElementsAre("Update"));
}

TEST(CoOwnership, FirstChangeOfAValueLeavesOneEntryAfterOnePatch) {
  Applied object;
  const Driven driven = object.Update(Applied::Two("2"), /*same_fields=*/true);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 2u);
  EXPECT_THAT(object.Operations(), ElementsAre("Apply"));
  EXPECT_EQ(driven.report.outcomes[0].resource_version,
            FindString(object.live(), {"metadata", "resourceVersion"}));
  EXPECT_EQ(object.Update(Applied::Two("3"), true).requests, 1u);
}

TEST(CoOwnership, FieldThatIsNoLongerDesiredDisappearsAfterACreationByPost) {
  Applied object;
  const Driven driven = object.Update(ConfigMap("a", "2"), /*same_fields=*/false);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(Find(object.live(), {"data", "second"}), nullptr);
  EXPECT_EQ(FindString(object.live(), {"data", "key"}), "2");
  EXPECT_THAT(object.Operations(), ElementsAre("Apply"));
}

std::string DigestOf(const Json& object) {
  return FindString(object, {"metadata", "annotations", kDigestAnnotation});
}

/// The object is as desired, without the field `second`, and has no entry but that of the apply.
void ExpectApplied(const Applied& object, const Json& desired) {
  EXPECT_EQ(Find(object.live(), {"data", "second"}), nullptr);
  EXPECT_EQ(DigestOf(object.live()), DigestOf(desired));
  EXPECT_THAT(object.Operations(), ElementsAre("Apply"));
}

// The watcher shows an object with both entries as co-owned, and the planner applies it again. An
// applier that crashes leaves the same object.
TEST(CoOwnership, AFieldDisappearsLaterIfTheSecondApplyIsNotCarriedOut) {
  const Json desired = ConfigMap("a", "2");
  for (const bool sent : {true, false}) {
    Applied object;
    Plan plan = object.PlanOf(desired, /*same_fields=*/false);
    plan.stages[0].operations[0].events = {
        {EventCondition::kChanged, false, "Scaled", "Scale", ""}};
    PlanRun run(plan, {}, "");
    object.Answer(&run);  // the apply
    object.Answer(&run);  // the patch
    if (sent) {
      run.On(run.Next(At()).at(0).id, StatusAnswer(429, "TooManyRequests", "slow down"), At());
    } else {
      run.Abort();
    }
    ASSERT_TRUE(run.Done());
    EXPECT_EQ(run.Events().size(), 1u) << "the field that is left was no part of the change";
    EXPECT_NE(Find(object.live(), {"data", "second"}), nullptr);
    EXPECT_THAT(object.Operations(), ElementsAre("Apply", "Update")) << sent;
    EXPECT_NE(DigestOf(object.live()), DigestOf(desired)) << sent;
    EXPECT_THAT(Codes(object.Update(desired, false).report), ElementsAre(kChanged));
    ExpectApplied(object, desired);
  }
}

TEST(CoOwnership, ACreationThatMeetsItsOwnObjectRepairsItToo) {
  Applied object;
  const Json desired = ConfigMap("a", "2");
  EXPECT_THAT(Codes(object.Create(desired).report), ElementsAre(kChanged));
  ExpectApplied(object, desired);
}

// The planner compares the digest with what it sees: a change in between must not look as if the
// API server stored other values than the desired ones.
TEST(CoOwnership, ChangeByAnotherWriterBeforeTheRepairIsNotTheResultOfTheApply) {
  FakeApiServer server = ServerWithParent();
  Drive(MakePlan({{CreateOp(ConfigMap("a", "1"))}}), &server);
  const std::string uid = FindString(*server.Get(PathOf("a")), {"metadata", "uid"});
  const Json desired = ConfigMap("a", "2");
  Operation update = UpdateOp(desired, uid, "");
  std::get<Apply>(update.action).same_fields = true;
  PlanRun run(MakePlan({{update}}), {}, "");
  RunRequest apply = run.Next(At()).at(0);
  run.On(apply.id, server.Handle(apply.request), At());
  Json theirs = *server.Get(PathOf("a"));
  theirs["data"]["key"] = "theirs";
  server.Put(PathOf("a"), theirs);
  RunRequest repair = run.Next(At()).at(0);
  EXPECT_EQ(repair.request.content_type, "application/json-patch+json");
  run.On(repair.id, server.Handle(repair.request), At());
  ASSERT_TRUE(run.Done());
  const Outcome outcome = run.TakeReport().outcomes.at(0);
  EXPECT_EQ(outcome.result_digest, "") << "that of the apply, whose answer was as desired";
  EXPECT_FALSE(outcome.as_desired) << "the version is that of the repair";
}

}  // namespace
}  // namespace xebec::applier
