// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/declared_parents.h"

#include "cli/commands/plan.h"
#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kOperator[] = R"(
apiVersion: xebec.dev/v1alpha1
kind: Operator
metadata: {name: webs.example.com}
spec:
  parent: {group: example.com, version: v1, resource: webs}
  children: [{group: apps, version: v1, resource: deployments}]
  hook: {service: {namespace: shop, name: web, port: 50051}}
---
)";
constexpr char kWeb[] = "apiVersion: example.com/v1\nkind: Web\nmetadata: {name: one}\n---\n";
constexpr char kWidgets[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  scope: Cluster
  names: {plural: webs, kind: WorldWideWeb}
  versions: [{name: v1}]
---
)";

absl::StatusOr<std::vector<Observation>> Read(const std::string& text) {
  auto documents = ReadObservations(text, "f.yaml");
  EXPECT_TRUE(documents.ok()) << documents.status();
  if (!documents.ok()) return documents;
  return WithOperators(*std::move(documents));
}

std::string Problem(const std::string& text) {
  const auto read = Read(text);
  return read.ok() ? "none" : std::string(ToStd(read.status().message()));
}

TEST(WithOperators, GiveAParentItsOperatorAndTheResources) {
  const auto parents = Read(std::string(kOperator) + kWeb);
  ASSERT_TRUE(parents.ok()) << parents.status();
  ASSERT_EQ(parents->size(), 1u);
  const Observation& web = parents->front();
  EXPECT_THAT(*web.declaration, HasSubstr("webs.example.com"));
  ASSERT_EQ(web.declared_resources.size(), 2u);
  EXPECT_EQ(web.declared_resources[0], (ResourceType{"example.com", "v1", "Web", "webs", false}));
  EXPECT_EQ(web.declared_resources[1],
            (ResourceType{"apps", "v1", "Deployment", "deployments", false}));
}

TEST(WithOperators, TakeKindAndScopeFromTheCustomResourceDefinition) {
  std::string web = kWeb;
  web.replace(web.find("kind: Web"), 9, "kind: WorldWideWeb");
  const auto parents = Read(std::string(kOperator) + web + kWidgets);
  ASSERT_TRUE(parents.ok()) << parents.status();
  EXPECT_EQ(parents->front().declared_resources[0],
            (ResourceType{"example.com", "v1", "WorldWideWeb", "webs", true}));
}

TEST(WithOperators, SayWhatIsMissing) {
  EXPECT_THAT(Problem(kWeb), HasSubstr("no Operator in the files declares Web one"));
  EXPECT_EQ(Problem(kOperator), "the files have no parent");
  std::string unknown = kOperator;
  unknown.replace(unknown.find("deployments"), 11, "gadgets");
  EXPECT_THAT(Problem(unknown + kWeb),
              HasSubstr("the kind of gadgets.apps/v1 is not known: pass its"));
  EXPECT_THAT(Problem(std::string(kOperator) + kOperator + kWeb),
              HasSubstr("declared by the Operators webs.example.com and webs.example.com"));
  std::string wrong = kOperator;
  wrong.replace(wrong.find("port: 50051"), 11, "port: 0");
  EXPECT_THAT(Problem(wrong + kWeb),
              HasSubstr("Operator webs.example.com: spec.hook.service.port"));
}

}  // namespace
}  // namespace xebec::cli
