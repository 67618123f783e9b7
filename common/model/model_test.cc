// SPDX-License-Identifier: Apache-2.0
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

const ResourceType kDeployments{"apps", "v1", "Deployment", "deployments", false};
const ResourceType kNodes{"", "v1", "Node", "nodes", true};

TEST(ResourceType, IsNamedAsManifestsAndConfigurationDo) {
  EXPECT_EQ(ApiVersion(kDeployments), "apps/v1");
  EXPECT_EQ(ApiVersion(kNodes), "v1");
  EXPECT_EQ(ResourceName(kDeployments), "deployments.apps");
  EXPECT_EQ(ResourceName(kNodes), "nodes");
  EXPECT_EQ(ResourceName({"apps", "v1", "Deployment", "", false}), "deployment.apps");
}

TEST(ObjectRef, HasADescription) {
  EXPECT_EQ(Describe({kDeployments, "default", "web"}), "Deployment default/web");
  EXPECT_EQ(Describe({kNodes, "", "n1"}), "Node n1");
}

TEST(OperationId, IsVerbAndTarget) {
  const ObjectRef web{kDeployments, "default", "web"};
  EXPECT_EQ(OperationId(Apply{}, web), "apply deployments.apps default/web");
  EXPECT_EQ(OperationId(Delete{}, web), "delete deployments.apps default/web");
  EXPECT_EQ(OperationId(AddFinalizer{}, web), "add-finalizer deployments.apps default/web");
  EXPECT_EQ(OperationId(RemoveFinalizer{}, web), "remove-finalizer deployments.apps default/web");
  EXPECT_EQ(OperationId(EnsureSecret{}, {kNodes, "", "n1"}), "ensure-secret nodes n1");
}

TEST(Plan, WritesNothingWithoutOperationsAndChangedStatus) {
  Plan plan;
  EXPECT_TRUE(WritesNothing(plan));
  plan.status.emplace();
  EXPECT_TRUE(WritesNothing(plan));
  plan.status->changed = true;
  EXPECT_FALSE(WritesNothing(plan));
  plan.status.reset();
  plan.stages = {{"a", {}}, {"b", {Operation{}, Operation{}}}};
  EXPECT_FALSE(WritesNothing(plan));
  EXPECT_EQ(CountOperations(plan), 2u);
}

TEST(OutcomeCode, EveryCodeHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int code = 1; code <= static_cast<int>(kLastOutcomeCode); ++code) {
    names.push_back(Name(static_cast<OutcomeCode>(code)));
    for (size_t i = 0; i + 1 < names.size(); ++i) EXPECT_NE(names[i], names.back());
  }
  EXPECT_EQ(Name(OutcomeCode::kNameConflict), "NameConflict");
}

TEST(Observation, IsComparedByContent) {
  Observation a, b;
  a.parent = MakeObjectBytes("{}");
  b.parent = MakeObjectBytes("{}");
  EXPECT_TRUE(a == b);
  a.children = {{kDeployments, {MakeObjectBytes("1")}, false}};
  b.children = {{kDeployments, {MakeObjectBytes("2")}, false}};
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(SameBytes(a.parent, nullptr));
}

}  // namespace
}  // namespace xebec
