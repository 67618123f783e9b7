// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/model/well_known.h"
#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::Scene;

/// A child that was changed, and whose field ownership was not repaired.
class CoOwnedTest : public ::testing::Test {
 protected:
  CoOwnedTest() {
    SetValue("1");
    scene_.Converge();
    SetValue("2");
    scene_.Converge();
    SetCoOwners(Json::array({scene_.kind.description.controller}));
  }

  void SetValue(const std::string& value) {
    scene_.world.Edit(scene_.parent, [&](Json& parent) {
      parent["spec"] = *ParseJson(R"({"children": [{"kind": "ConfigMap",
          "object": {"metadata": {"name": "a"}, "data": {}}}]})");
      parent["spec"]["children"][0]["object"]["data"]["x"] = value;
    });
  }
  void SetCoOwners(const Json& managers) {
    const ObjectRef a = scene_.Ref(testing::ScriptedConfigMap(), "a");
    scene_.world.Edit(a, [&](Json& live) { live[std::string(kCoOwnersMember)] = managers; });
  }

  Scene scene_{testing::ScriptedKind(), {{"metadata", {{"name", "p"}}}}};
};

TEST_F(CoOwnedTest, AFailedRepairIsNotTakenForAValueThatTheServerRewrites) {
  EXPECT_THAT(OperationIds(scene_.Ask()), ElementsAre("apply configmaps default/a"));
}

TEST_F(CoOwnedTest, TheNextRepairNeedsNoEvent) {
  EXPECT_EQ(scene_.Ask().resync_after, absl::Minutes(1));
  SetCoOwners(Json::array());
  EXPECT_EQ(scene_.Ask().resync_after, std::nullopt);
  EXPECT_THAT(OperationIds(scene_.Ask()), IsEmpty());
}

}  // namespace
}  // namespace xebec::planner
