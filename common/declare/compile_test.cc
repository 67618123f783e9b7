// SPDX-License-Identifier: Apache-2.0
#include "common/declare/declaration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

using ::testing::HasSubstr;

const ResourceType kWebs{"example.com", "v1", "Web", "webs", false};
const ResourceType kTenants{"example.com", "v1", "Tenant", "tenants", true};
const ResourceType kDeployments{"apps", "v1", "Deployment", "deployments", false};
const ResourceType kNodes{"", "v1", "Node", "nodes", true};

DeclaredResource Named(const ResourceType& type) {
  return {type.group, type.version, type.plural, {}, ""};
}

Declaration Declare(const ResourceType& parent, const ResourceType& child) {
  Declaration declaration;
  declaration.name = "web.example.com";
  declaration.parent = Named(parent);
  declaration.children.push_back({Named(child), "", "", {"spec"}, true});
  return declaration;
}

TEST(Compile, MakesAControllerOfTheServedResources) {
  Declaration declaration = Declare(kWebs, kDeployments);
  declaration.finalizer = true;
  const auto kind = Compile(declaration, {kDeployments, kWebs});
  ASSERT_TRUE(kind.ok()) << kind.status();
  EXPECT_EQ(kind->controller, "web.example.com");
  EXPECT_EQ(kind->parent, kWebs);
  EXPECT_EQ(kind->finalizer, "operators.xebec.dev/web.example.com");
  ASSERT_EQ(kind->children.size(), 1u);
  EXPECT_EQ(kind->children[0].type, kDeployments);
  EXPECT_TRUE(kind->children[0].stateful);
}

TEST(Compile, NamesTheResourceThatIsNotServed) {
  const auto kind = Compile(Declare(kWebs, kDeployments), {kWebs});
  EXPECT_EQ(kind.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(kind.status().message()), HasSubstr("deployments.apps/v1"));
}

TEST(Compile, ADeclarationThatGoesNeedsItsParentsAlone) {
  Declaration declaration = Declare(kWebs, kDeployments);
  declaration.finalizer = true;
  declaration.deleting = true;
  const auto kind = Compile(declaration, {kWebs});
  ASSERT_TRUE(kind.ok()) << kind.status();
  EXPECT_TRUE(kind->children.empty());
  EXPECT_FALSE(kind->finalizer.empty());
}

TEST(Compile, RefusesAClusterScopedChildOfANamespacedParent) {
  const auto kind = Compile(Declare(kWebs, kNodes), {kWebs, kNodes});
  EXPECT_EQ(kind.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Compile(Declare(kTenants, kNodes), {kTenants, kNodes}).ok());
  EXPECT_TRUE(Compile(Declare(kTenants, kDeployments), {kTenants, kDeployments}).ok());
}

TEST(Compile, BoundsTheNameOfTheFinalizer) {
  Declaration declaration = Declare(kWebs, kDeployments);
  declaration.name = std::string(90, 'a');
  declaration.finalizer = true;
  const auto kind = Compile(declaration, {kDeployments, kWebs});
  const std::string name = kind->finalizer.substr(kind->finalizer.find('/') + 1);
  EXPECT_LE(name.size(), 63u);
}

TEST(ResourcesOf, NamesEachResourceOnce) {
  Declaration declaration = Declare(kWebs, kDeployments);
  declaration.related.push_back({Named(kDeployments), "", "", {}, false});
  EXPECT_EQ(ResourcesOf(declaration).size(), 2u);
}

}  // namespace
}  // namespace xebec
