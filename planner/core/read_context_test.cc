// SPDX-License-Identifier: Apache-2.0
#include "planner/core/read_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Parent TheParent() {
  Parent parent;
  parent.ns = "default";
  parent.name = "p";
  parent.uid = "parent-uid";
  return parent;
}

std::string Owned(const std::string& name, const std::string& owner, const std::string& rest = "") {
  return absl::StrCat(R"({"metadata": {"name": ")", name, R"(", "namespace": "default", )", rest,
                      R"("ownerReferences": [{"uid": "someone"}, {"uid": ")", owner,
                      R"(", "controller": true}]}})");
}

struct Around {
  Observation observation;
  KindDescription kind = testing::ScriptedKind().description;

  void Add(const ResourceType& type, std::vector<std::string> objects) {
    ObjectGroup group{type, {}, false};
    for (std::string& each : objects) group.objects.push_back(MakeObjectBytes(std::move(each)));
    observation.children.push_back(std::move(group));
  }
  Context Look() const { return ReadContext(observation, kind, TheParent()); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Child& child : Look().children) names.push_back(child.type.kind + " " + child.name);
    return names;
  }
};

TEST(Context, ChildrenAreThoseWhoseControllerIsTheParent) {
  Around around;
  around.Add(testing::ScriptedConfigMap(),
             {Owned("b", "parent-uid"), Owned("foreign", "other"), R"({"metadata": {"name": "x"}})",
              Owned("a", "parent-uid")});
  EXPECT_THAT(around.Names(), ElementsAre("ConfigMap a", "ConfigMap b"));
}

TEST(Context, OwnerThatIsNotTheControllerDoesNotCount) {
  Around around;
  around.Add(testing::ScriptedConfigMap(), {R"({"metadata": {"name": "a", "namespace": "default",
                  "ownerReferences": [{"uid": "parent-uid", "controller": false}]}})"});
  EXPECT_THAT(around.Names(), IsEmpty());
}

TEST(Context, ChildOfAnotherNamespaceDoesNotCount) {
  Around around;
  around.Add(testing::ScriptedConfigMap(), {R"({"metadata": {"name": "a", "namespace": "elsewhere",
                  "ownerReferences": [{"uid": "parent-uid", "controller": true}]}})"});
  EXPECT_THAT(around.Names(), IsEmpty());
}

TEST(Context, IndirectlyOwnedKindsAreFoundByTheirLabel) {
  Around around;
  around.Add(
      testing::ScriptedClaim(),
      {R"({"metadata": {"name": "a", "namespace": "default", "labels": {"test/scripted": "p"}}})",
       R"({"metadata": {"name": "b", "namespace": "default", "labels": {"test/scripted": "q"}}})"});
  EXPECT_THAT(around.Names(), ElementsAre("Claim a"));
}

TEST(Context, UndeclaredKindsAreIgnored) {
  Around around;
  around.Add({"", "v1", "Secret", "secrets", false}, {Owned("a", "parent-uid")});
  EXPECT_THAT(around.Names(), IsEmpty());
}

TEST(Context, OfAnObjectThatIsThereTwiceTheLaterVersionStays) {
  Around around;
  around.Add(testing::ScriptedConfigMap(),
             {Owned("a", "parent-uid", R"("resourceVersion": "100",)"),
              Owned("a", "parent-uid", R"("resourceVersion": "99",)")});
  const Context seen = around.Look();
  ASSERT_EQ(seen.children.size(), 1u);
  EXPECT_EQ(seen.children[0].resource_version, "100");
}

TEST(Context, WhatCannotBeReadIsNamed) {
  Around around;
  around.Add(testing::ScriptedConfigMap(), {"{", "{}", "[]"});
  around.observation.children[0].objects.push_back(nullptr);
  EXPECT_THAT(around.Look().unreadable,
              ElementsAre(HasSubstr("children[0].objects[0]: "),
                          "children[0].objects[1]: metadata.name is missing",
                          "children[0].objects[2]: metadata.name is missing",
                          "children[0].objects[3]: is missing"));
}

TEST(Context, MissingGroupsAreNotReadAndNotLive) {
  Around around;
  around.Add(testing::ScriptedConfigMap(), {});
  around.observation.children[0].live = true;
  const Context seen = around.Look();
  EXPECT_THAT(seen.unread, ElementsAre(testing::ScriptedDeployment(), testing::ScriptedClaim()));
  EXPECT_THAT(seen.not_live, ElementsAre(testing::ScriptedDeployment(), testing::ScriptedClaim()));
}

TEST(Context, KindsThatAreOnlyReadAreNeitherUnreadNorNotLive) {
  Around around;
  for (ChildRule& rule : around.kind.children) {
    rule.parent_label = "test/scripted";
    rule.stateful = false;
  }
  around.Add(testing::ScriptedConfigMap(), {});
  EXPECT_THAT(around.Look().unread, IsEmpty());
  EXPECT_THAT(around.Look().not_live, IsEmpty());
}

TEST(Context, ParentWithoutUidOwnsNothing) {
  Around around;
  around.Add(testing::ScriptedConfigMap(), {Owned("a", "")});
  Parent parent = TheParent();
  parent.uid.clear();
  EXPECT_THAT(ReadContext(around.observation, around.kind, parent).children, IsEmpty());
}

std::string Labelled(const std::string& name, const std::string& ns, const std::string& app) {
  return absl::StrCat(R"({"metadata": {"name": ")", name, R"(", "namespace": ")", ns,
                      R"(", "labels": {"app": ")", app, R"("}}})");
}

std::vector<std::string> RelatedTo(const Parent& parent, const std::string& selector) {
  KindDescription kind = testing::ScriptedKind().description;
  ChildRule rule;
  rule.type = testing::ScriptedConfigMap();
  rule.label_selector = selector;
  kind.related.push_back(rule);
  ObjectGroup group{rule.type, {}, false};
  for (const std::string& each :
       {Labelled("b", "elsewhere", "web"), Labelled("b", "default", "web"),
        Labelled("a", "default", "db"), std::string(R"({"metadata": {"name": "bare"}})")}) {
    group.objects.push_back(MakeObjectBytes(each));
  }
  Observation observation;
  observation.related.push_back(group);
  observation.related.push_back({{"", "v1", "Secret", "secrets", false}, group.objects, false});
  const Context context = ReadContext(observation, kind, parent);
  EXPECT_THAT(context.children, IsEmpty()) << "they are no children";
  std::vector<std::string> names;
  for (const Child& each : context.related) {
    names.push_back(absl::StrCat(each.type.kind, " ", each.ns, "/", each.name));
  }
  return names;
}

// The watcher sends those of the parent's namespace. The selector is the planner's task.
TEST(Context, RelatedObjectsAreThoseThatTheSelectorOfTheirRuleSelects) {
  EXPECT_THAT(RelatedTo(TheParent(), "app=web"),
              ElementsAre("ConfigMap default/b", "ConfigMap elsewhere/b"));
  EXPECT_THAT(RelatedTo(TheParent(), "app"),
              ElementsAre("ConfigMap default/a", "ConfigMap default/b", "ConfigMap elsewhere/b"));
  EXPECT_THAT(RelatedTo(TheParent(), "app notin (web, db)"), ElementsAre("ConfigMap /bare"));
  EXPECT_THAT(RelatedTo(TheParent(), "app=none"), IsEmpty());
}

TEST(Context, WithoutASelectorAllObjectsOfTheRuleAreRelated) {
  EXPECT_EQ(RelatedTo(TheParent(), "").size(), 4u);
}

TEST(Context, AClusterScopedParentHasTheSameRelatedObjects) {
  Parent parent = TheParent();
  parent.ns.clear();
  EXPECT_EQ(RelatedTo(parent, "app=web"), RelatedTo(TheParent(), "app=web"));
}

TEST(Context, ARelatedObjectThatCannotBeReadIsNamed) {
  Around around;
  ChildRule rule;
  rule.type = testing::ScriptedConfigMap();
  around.kind.related.push_back(rule);
  around.observation.related.push_back({rule.type, {MakeObjectBytes("{}")}, false});
  EXPECT_THAT(around.Look().unreadable,
              ElementsAre("related[0].objects[0]: metadata.name is missing"));
}

}  // namespace
}  // namespace xebec::planner
