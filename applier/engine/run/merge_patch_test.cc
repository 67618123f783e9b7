// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

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
class MergePatchTest : public ::testing::Test {
 protected:
  MergePatchTest() { Drive(MakePlan({{CreateOp(ConfigMap("a", "1"))}}), &server_); }

  const Json& live() const { return *server_.Get(PathOf("a")); }

  Operation Update(const Json& object, std::vector<std::string> fields) const {
    Operation update = UpdateOp(object, FindString(live(), {"metadata", "uid"}),
                                FindString(live(), {"metadata", "resourceVersion"}));
    auto& apply = std::get<Apply>(update.action);
    apply.same_fields = true;
    apply.changed_fields = std::move(fields);
    return update;
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

TEST_F(MergePatchTest, AChangeIsOneRequestAndTheManagerKeepsOneEntry) {
  const Driven driven = Drive(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key"})}}), &server_);
  EXPECT_EQ(driven.requests, 1u);
  EXPECT_THAT(Codes(driven.report), ElementsAre(OutcomeCode::kChanged));
  EXPECT_THAT(Reasons(driven.events), ElementsAre("Changed"));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "2");
  EXPECT_THAT(Operations(), ElementsAre("Update"));
}

TEST_F(MergePatchTest, ContainsOnlyTheChangedFieldsAndThePrecondition) {
  PlanRun run(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key"})}}), {}, "");
  const kube::ApiRequest request = run.Next(testing::At()).at(0).request;
  EXPECT_EQ(request.content_type, kube::kMergePatchContentType);
  const Json wanted = {{"data", {{"key", "2"}}},
                       {"metadata", {{"uid", FindString(live(), {"metadata", "uid"})}}}};
  EXPECT_EQ(*ParseJson(request.body), wanted);
}

TEST_F(MergePatchTest, AFieldThatAnotherWriterHasChangedMeanwhileIsAppliedToo) {
  const Operation update = Update(ConfigMap("a", "1"), {"/metadata/annotations/xebec.dev~1note"});
  Put("key", "theirs");
  Json desired = ConfigMap("a", "1");
  desired["metadata"]["annotations"]["xebec.dev/note"] = "new";
  Operation noted = update;
  std::get<Apply>(noted.action).object = MakeObjectBytes(DumpJson(desired));
  const Driven driven = Drive(MakePlan({{noted}}), &server_);
  EXPECT_THAT(Codes(driven.report), ElementsAre(OutcomeCode::kChanged));
  EXPECT_TRUE(Covers(live(), desired));
  EXPECT_EQ(driven.report.outcomes[0].result_digest, FieldsDigest(desired, desired));
  EXPECT_EQ(FindString(live(), {"metadata", "annotations", "xebec.dev/note"}), "new");
}

TEST_F(MergePatchTest, FieldsThatAreNoScalarsOfTheObjectAreApplied) {
  for (const char* field :
       {"", "data/key", "/data", "/data/other", "/data/key/more", "/metadata/ownerReferences"}) {
    PlanRun run(MakePlan({{Update(ConfigMap("a", "2"), {"/data/key", field})}}), {}, "");
    EXPECT_EQ(run.Next(testing::At()).at(0).request.content_type, kube::kApplyContentType) << field;
  }
}

TEST_F(MergePatchTest, AnotherObjectOfThatNameIsNotChanged) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  Json other = live();
  other["metadata"]["uid"] = "another";
  server_.Put(PathOf("a"), other);
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kStale));
  EXPECT_EQ(FindString(live(), {"data", "key"}), "1");
}

TEST_F(MergePatchTest, AnObjectThatIsGoneIsNotCreated) {
  const Operation update = Update(ConfigMap("a", "2"), {"/data/key"});
  server_.FinishDeletion(PathOf("a"));
  EXPECT_THAT(Codes(Drive(MakePlan({{update}}), &server_).report),
              ElementsAre(OutcomeCode::kStale));
  EXPECT_EQ(server_.Get(PathOf("a")), nullptr);
}

}  // namespace
}  // namespace xebec::applier
