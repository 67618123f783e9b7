// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/fake_api_server.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using testing::Codes;
using testing::ConfigMap;
using testing::CreateOp;
using testing::Drive;
using testing::Driven;
using ::testing::ElementsAre;
using testing::MakePlan;
using testing::PathOf;
using testing::Reasons;
using testing::UpdateOp;

/// A ConfigMap that was created by POST, and updates of it.
class FieldPatchTest : public ::testing::Test {
 protected:
  FieldPatchTest() { Drive(MakePlan({{CreateOp(ConfigMap("a", "1"))}}), &server_); }

  const Json& live() const { return *server_.Get(PathOf("a")); }

  Operation Update(const Json& object, std::vector<std::string> fields) const {
    Operation update = UpdateOp(object, FindString(live(), {"metadata", "uid"}),
                                FindString(live(), {"metadata", "resourceVersion"}));
    auto& apply = std::get<Apply>(update.action);
    apply.same_fields = true;
    apply.changed_fields = std::move(fields);
    return update;
  }

  static Json WithNote(Json object) {
    object["metadata"]["annotations"]["xebec.dev/note"] = "new";
    return object;
  }
  Operation UpdateOfNote(const Json& object) const {
    return Update(object, {"/metadata/annotations/xebec.dev~1note"});
  }

  void Put(const std::string& key, const std::string& value) {
    Json theirs = live();
    theirs["data"][key] = value;
    server_.Put(PathOf("a"), theirs);
  }

  std::vector<std::string> Operations() const {
    std::vector<std::string> operations;
    for (const Json& entry : live()["metadata"]["managedFields"])
      operations.push_back(FindString(entry, {"operation"}));
    return operations;
  }

  testing::FakeApiServer server_ = testing::ServerWithParent();
};

TEST_F(FieldPatchTest, AChangeIsOneRequestAndTheManagerKeepsOneEntry) {
  const Driven driven = Drive(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key"})}}), &server_);
  EXPECT_EQ(driven.requests, 1u);
  EXPECT_THAT(Codes(driven.report), ElementsAre(OutcomeCode::kChanged));
  EXPECT_THAT(Reasons(driven.events), ElementsAre("Changed"));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "2");
  EXPECT_THAT(Operations(), ElementsAre("Update"));
}

TEST_F(FieldPatchTest, ContainsTheChangedFieldsAndTestsWhoseTheyAre) {
  PlanRun run(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key"})}}), {}, "");
  const kube::ApiRequest request = run.Next(testing::At()).at(0).request;
  EXPECT_EQ(request.content_type, kube::kJsonPatchContentType);
  const Json wanted = *ParseJson(R"([
      {"op": "test", "path": "/metadata/uid", "value": "UID"},
      {"op": "test", "path": "/metadata/ownerReferences/0/uid", "value": "parent-uid"},
      {"op": "test", "path": "/metadata/ownerReferences/0/controller", "value": true},
      {"op": "add", "path": "/data/key", "value": "2"}])");
  Json patch = *ParseJson(request.body);
  EXPECT_EQ(patch[0]["value"], FindString(live(), {"metadata", "uid"}));
  patch[0]["value"] = "UID";
  EXPECT_EQ(patch, wanted);
}

TEST_F(FieldPatchTest, AnObjectThatHasAnotherControllerMeanwhileIsNotChanged) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json theirs = live();
  theirs["metadata"]["ownerReferences"][0]["uid"] = "another-parent";
  server_.Put(PathOf("a"), theirs);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kNameConflict));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "1");
}

TEST_F(FieldPatchTest, AnObjectThatWasReleasedMeanwhileIsApplied) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json released = live();
  released["metadata"].erase("ownerReferences");
  server_.Put(PathOf("a"), released);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kChanged));
  EXPECT_TRUE(Covers(live(), ConfigMap("a", "2")));
}

TEST_F(FieldPatchTest, AnObjectWithAnotherOwnerBeforeTheParentIsApplied) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json shared = live();
  Json& owners = shared["metadata"]["ownerReferences"];
  owners.insert(owners.begin(), Json{{"kind", "Team"}, {"name", "t"}, {"uid", "team"}});
  server_.Put(PathOf("a"), shared);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kChanged));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "2");
  EXPECT_EQ(live()["metadata"]["ownerReferences"].size(), 2u);
}

TEST_F(FieldPatchTest, AFieldWhoseParentIsGoneIsApplied) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json empty = live();
  empty.erase("data");
  server_.Put(PathOf("a"), empty);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kChanged));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "2");
}

TEST_F(FieldPatchTest, AFieldThatAnotherWriterHasChangedMeanwhileIsAppliedToo) {
  const Json desired = WithNote(ConfigMap("a", "1"));
  const Operation noted = UpdateOfNote(desired);
  Put("key", "theirs");
  const Driven driven = Drive(MakePlan({{noted}}), &server_);
  EXPECT_THAT(Codes(driven.report), ElementsAre(OutcomeCode::kChanged));
  EXPECT_TRUE(Covers(live(), desired));
  EXPECT_EQ(driven.report.outcomes[0].result_digest, "");
  EXPECT_EQ(FindString(live(), {"metadata", "annotations", "xebec.dev/note"}), "new");
}

/// The patch succeeds, and the object still differs from the desired one.
class HalfPatchedTest : public FieldPatchTest {
 protected:
  Operation Half(const std::string& version = "") {
    Operation update = UpdateOfNote(WithNote(ConfigMap("a", "2")));
    update.precondition.resource_version = version;
    return update;
  }
  kube::ApiResponse Carry(PlanRun* run) {
    const auto sent = run->Next(testing::At()).at(0);
    kube::ApiResponse answer = server_.Handle(sent.request);
    run->On(sent.id, answer, testing::At());
    return answer;
  }
};

TEST_F(HalfPatchedTest, AnOperationThatEndsThenHasAnUnknownOutcome) {
  PlanRun run(MakePlan({{Half()}}), {}, "");
  EXPECT_EQ(Carry(&run).status, 200);
  run.Abort();
  ASSERT_TRUE(run.Done());
  const Outcome outcome = run.TakeReport().outcomes.at(0);
  EXPECT_EQ(outcome.code, OutcomeCode::kNotStarted);
  EXPECT_EQ(outcome.certainty, Certainty::kUnknown) << "the patch has changed the object";
}

TEST_F(HalfPatchedTest, AnApplyThatIsRefusedThenHasAnUnknownOutcome) {
  PlanRun run(MakePlan({{Half()}}), {}, "");
  EXPECT_EQ(Carry(&run).status, 200);
  server_.forbidden = {"PATCH configmaps"};
  EXPECT_EQ(Carry(&run).status, 403);
  ASSERT_TRUE(run.Done());
  const Outcome outcome = run.TakeReport().outcomes.at(0);
  EXPECT_EQ(outcome.code, OutcomeCode::kForbidden);
  EXPECT_EQ(outcome.certainty, Certainty::kUnknown);
}

TEST_F(HalfPatchedTest, TheApplyExpectsTheVersionThatThePatchHasMade) {
  const Operation half = Half(FindString(live(), {"metadata", "resourceVersion"}));
  EXPECT_THAT(Codes(Drive(MakePlan({{half}}), &server_).report),
              ElementsAre(OutcomeCode::kChanged));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "2");
}

TEST_F(FieldPatchTest, FieldsThatAreNoScalarsOfTheObjectAreApplied) {
  for (const char* field :
       {"", "data/key", "/data", "/data/other", "/data/key/more", "/metadata/ownerReferences"}) {
    PlanRun run(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key", field})}}), {}, "");
    EXPECT_EQ(run.Next(testing::At()).at(0).request.content_type, kube::kApplyContentType) << field;
  }
}

// The API server refuses a patch with more than 10,000 operations on each retry.
TEST_F(FieldPatchTest, VeryManyFieldsAreApplied) {
  Json desired = ConfigMap("a", "2");
  std::vector<std::string> fields;
  const auto content_type = [&](size_t count) {
    while (fields.size() < count) {
      const std::string key = absl::StrCat("key", fields.size());
      desired["data"][key] = "2";
      fields.push_back("/data/" + key);
    }
    PlanRun run(MakePlan({{Update(desired, fields)}}), {}, "");
    return run.Next(testing::At()).at(0).request.content_type;
  };
  EXPECT_EQ(content_type(1000), kube::kJsonPatchContentType);
  EXPECT_EQ(content_type(1001), kube::kApplyContentType);
}

TEST_F(FieldPatchTest, AnotherObjectOfThatNameIsNotChanged) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json other = live();
  other["metadata"]["uid"] = "another";
  server_.Put(PathOf("a"), other);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kStale));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "1");
}

TEST_F(FieldPatchTest, AnObjectThatIsGoneIsNotCreated) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  server_.FinishDeletion(PathOf("a"));
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kStale));
  EXPECT_EQ(server_.Get(PathOf("a")), nullptr);
}

}  // namespace
}  // namespace xebec::applier
