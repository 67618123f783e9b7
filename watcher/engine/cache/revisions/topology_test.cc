// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/topology.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

KindDescription Kind(const std::string& controller, const std::string& plural,
                     const std::string& child) {
  KindDescription kind;
  kind.controller = controller;
  kind.parent = {.group = "example.com", .version = "v1", .kind = "K" + plural, .plural = plural};
  ChildRule rule;
  rule.type = {.group = "", .version = "v1", .kind = "C" + child, .plural = child};
  kind.children.push_back(rule);
  return kind;
}

// A controller that an Operator declares.
DeclaredKind Declared(const std::string& controller, const std::string& plural,
                      const std::string& child) {
  return {Kind(controller, plural, child), "1"};
}

const ResourceSpec& SpecOf(const Topology& topology, const std::string& plural) {
  return *std::find_if(topology.resources.begin(), topology.resources.end(),
                       [&](const ResourceSpec& spec) { return spec.type.plural == plural; });
}

TEST(Topology, OneWatchServesAllControllersOfAKind) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].children[0].fields = {"spec"};
  description.kinds[1].children[0].fields = {"status"};
  const Topology topology = BuildTopology({&description}, {});
  EXPECT_EQ(topology.resources.size(), 3u);
  const ResourceSpec& pods = SpecOf(topology, "pods");
  EXPECT_EQ(pods.projection.fields, (std::vector<std::string>{"spec", "status"}));
  EXPECT_EQ(pods.projection.controller_kinds,
            (std::vector<std::string>{"example.com/v1/Kas", "example.com/v1/Kbs"}));
  EXPECT_TRUE(SpecOf(topology, "as").projection.controller_kinds.empty())
      << "parents are kept whole";
}

TEST(Topology, TheWiderNeedWins) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].children[0].fields = {"spec"};
  description.kinds[0].children[0].label_selector = "x=y";
  description.kinds[1].related.push_back(description.kinds[1].children[0]);
  const ResourceSpec pods = SpecOf(BuildTopology({&description}, {}), "pods");
  EXPECT_TRUE(pods.projection.fields.empty());
  EXPECT_EQ(pods.label_selector, "");
  EXPECT_TRUE(pods.projection.controller_kinds.empty());
}

TEST(Topology, ManagersOfChildrenAreReadWhateverElseTheirKindIs) {
  PlannerDescription description{"r1", {Kind("a", "as", "bs"), Kind("b", "bs", "pods")}};
  description.kinds[0].children[0].type = description.kinds[1].parent;
  const kube::Projection parents = SpecOf(BuildTopology({&description}, {}), "bs").projection;
  EXPECT_THAT(parents.controller_kinds, IsEmpty());
  EXPECT_THAT(parents.managed_kinds, ElementsAre("example.com/v1/Kas"));
  description.kinds[0].related.push_back(description.kinds[1].children[0]);
  const Topology topology = BuildTopology({&description}, {});
  const kube::Projection& related = SpecOf(topology, "pods").projection;
  EXPECT_THAT(related.controller_kinds, IsEmpty());
  EXPECT_THAT(related.managed_kinds, ElementsAre("example.com/v1/Kbs")) << "not those of a";
  EXPECT_THAT(SpecOf(topology, "as").projection.managed_kinds, IsEmpty());
}

TEST(Topology, BucketsSelectParentsAndChildrenAndNothingThatAllParentsSee) {
  PlannerDescription description{"r1", {Kind("a", "as", "bs"), Kind("b", "bs", "pods")}};
  description.kinds[1].parent.kind = "Cbs";
  description.kinds[1].parent.group = "";
  const Topology one = BuildTopology({&description}, {});
  const kube::BucketFilter& parents = SpecOf(one, "as").projection.keep;
  EXPECT_TRUE(parents.parents && !parents.children);
  const kube::BucketFilter& children = SpecOf(one, "pods").projection.keep;
  EXPECT_TRUE(!children.parents && children.children);
  const kube::BucketFilter& both = SpecOf(one, "bs").projection.keep;
  EXPECT_TRUE(both.parents && both.children) << "children of a and parents of b";
  description.kinds[1].related.push_back(description.kinds[0].children[0]);
  description.kinds[0].related.push_back(description.kinds[1].children[0]);
  const Topology two = BuildTopology({&description}, {});
  for (const char* plural : {"pods", "bs"}) {
    const kube::BucketFilter& all = SpecOf(two, plural).projection.keep;
    EXPECT_FALSE(all.parents || all.children) << plural;
  }
}

TEST(Topology, ASecondControllerOfAParentIsRefusedWithAMessage) {
  const PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "as", "jobs")}};
  const Topology topology = BuildTopology({&description}, {});
  ASSERT_EQ(topology.controllers.size(), 1u);
  ASSERT_EQ(topology.refusals.size(), 1u);
  EXPECT_NE(topology.refusals[0].find("as.example.com is planned by controller a"),
            std::string::npos);
  EXPECT_EQ(topology.resources.size(), 2u) << "what only the refused one needs is not watched";
}

TEST(Topology, OnlyAllowedKindsAreWatched) {
  const PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "jobs")}};
  Options options;
  options.allowed_kinds = {"bs.example.com"};
  const Topology topology = BuildTopology({&description}, options);
  ASSERT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.controllers[0].controller, "b");
  EXPECT_EQ(topology.resources[0].ns, "") << "of all namespaces";
}

TEST(Topology, EachResourceIsWatchedInEachNamespaceOfTheSettings) {
  PlannerDescription description{"r1", {Kind("a", "as", "pods"), Kind("b", "bs", "pods")}};
  description.kinds[0].parent.cluster_scoped = true;
  Options options;
  options.namespaces = {"team-b", "team-a"};
  std::vector<std::string> watched;
  for (const ResourceSpec& spec : BuildTopology({&description}, options).resources) {
    watched.push_back(Describe(spec));
  }
  EXPECT_THAT(watched, ::testing::UnorderedElementsAre(
                           "as.example.com", "bs.example.com in namespace team-a",
                           "bs.example.com in namespace team-b", "pods in namespace team-a",
                           "pods in namespace team-b"));
}

TEST(Topology, TheUnionOfTwoRevisionsIsWatchedAndTheFirstIsPlannedWith) {
  const PlannerDescription old_one{"r1", {Kind("a", "as", "pods")}};
  const PlannerDescription new_one{"r2", {Kind("a", "as", "jobs"), Kind("b", "bs", "jobs")}};
  const Topology topology = BuildTopology({&old_one, &new_one}, {});
  EXPECT_EQ(topology.resources.size(), 4u);
  ASSERT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.controllers[0].children[0].type.plural, "pods");
  EXPECT_TRUE(topology.refusals.empty());
}

TEST(Topology, TwoParentLabelsOfOneKindAreRefused) {
  PlannerDescription description{"r1", {Kind("a", "as", "pvcs"), Kind("b", "bs", "pvcs")}};
  description.kinds[0].children[0].parent_label = "x";
  description.kinds[1].children[0].parent_label = "y";
  const Topology topology = BuildTopology({&description}, {});
  EXPECT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.refusals.size(), 1u);
}

TEST(Topology, ADeclaredParentThatTheInstallationDoesNotAllowIsRefused) {
  Options options;
  options.hook_parents = {"others.example.com"};
  const Topology refused = BuildTopology({}, options, {Declared("web", "as", "pods")});
  EXPECT_THAT(refused.refused,
              ElementsAre(Pair("web", HasSubstr("as.example.com is not among the parents that this "
                                                "installation allows; add it to hooks.parents"))));
  EXPECT_THAT(refused.resources, IsEmpty());
  EXPECT_THAT(refused.declared, IsEmpty());
  for (const char* allowed : {"as.example.com", "*"}) {
    options.hook_parents = {"others.example.com", allowed};
    const Topology topology = BuildTopology({}, options, {Declared("web", "as", "pods")});
    EXPECT_THAT(topology.refused, IsEmpty()) << allowed;
    EXPECT_TRUE(topology.declared.contains("web")) << allowed;
  }
}

TEST(Topology, ADeclaredChildThatTheInstallationDoesNotAllowIsRefused) {
  DeclaredKind declared = Declared("web", "as", "pods");
  declared.kind.children.push_back(Kind("", "", "jobs").children[0]);
  Options options;
  options.hook_children = {"pods"};
  const Topology refused = BuildTopology({}, options, {declared});
  EXPECT_THAT(refused.refused,
              ElementsAre(Pair("web", HasSubstr("jobs is not among the children that this "
                                                "installation allows; add it to hooks.children"))));
  EXPECT_THAT(refused.resources, IsEmpty());
  for (const char* allowed : {"jobs", "*"}) {
    options.hook_children = {"pods", allowed};
    EXPECT_THAT(BuildTopology({}, options, {declared}).refused, IsEmpty()) << allowed;
  }
}

TEST(Topology, ADeclaredControllerWithTheNameOfABuiltInOneIsRefused) {
  const PlannerDescription description{"r1", {Kind("a", "as", "pods")}};
  const Topology topology = BuildTopology({&description}, {}, {Declared("a", "bs", "jobs")});
  EXPECT_THAT(topology.refused,
              ElementsAre(Pair("a", HasSubstr("a controller of that name is built in; give the "
                                              "Operator another name"))));
  ASSERT_EQ(topology.controllers.size(), 1u);
  EXPECT_EQ(topology.controllers[0].parent.plural, "as") << "the built-in one stays";
}

TEST(Topology, ADeclaredControllerThatNeedsAnotherParentLabelIsRefused) {
  PlannerDescription description{"r1", {Kind("a", "as", "pvcs")}};
  description.kinds[0].children[0].parent_label = "x";
  DeclaredKind declared = Declared("web", "bs", "pvcs");
  declared.kind.children[0].parent_label = "y";
  const Topology topology = BuildTopology({&description}, {}, {declared});
  EXPECT_THAT(topology.refused,
              ElementsAre(Pair("web", HasSubstr("pvcs is found by another parent label already"))));
  declared.kind.children[0].parent_label = "x";
  EXPECT_THAT(BuildTopology({&description}, {}, {declared}).refused, IsEmpty());
}

}  // namespace
}  // namespace xebec::watcher
