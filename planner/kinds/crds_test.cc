// SPDX-License-Identifier: Apache-2.0
// The kinds and the CRDs of the chart must agree: an undeclared status field makes every status
// write fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "planner/core/status.h"
#include "planner/kinds/built_in.h"
#include "planner/kinds/database/database_reasons.h"
#include "planner/kinds/immortal/immortal_reasons.h"
#include "planner/kinds/iris/iris_reasons.h"
#include "planner/kinds/podset/pod_set_reasons.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/database_scene.h"
#include "planner/kinds/testing/pod_scene.h"

namespace xebec::planner {
namespace {

using testing::DatabaseScene;
using testing::PodScene;
using testing::Scene;

YAML::Node LoadCrd(const ResourceType& parent) {
  return YAML::LoadFile("charts/xebec/files/crds/" + parent.plural + "." + parent.group + ".yaml");
}

YAML::Node SchemaOf(const YAML::Node& crd, const std::string& part) {
  return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"][part];
}

void ExpectDeclared(const Json& value, const YAML::Node& schema, const std::string& path) {
  ASSERT_TRUE(schema.IsDefined() && schema["type"].IsDefined()) << path << " is not declared";
  if (value.is_array()) {
    for (const Json& item : value) ExpectDeclared(item, schema["items"], path + "[]");
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      ExpectDeclared(member, schema["properties"][key], path + "." + key);
    }
  }
}

struct Docs {
  template <size_t N>
  void Add(const ConditionDoc (&docs)[N]) {
    all.insert(all.end(), std::begin(docs), std::end(docs));
  }
  bool Has(const std::string& type, const std::string& status, const std::string& reason) const {
    return std::any_of(all.begin(), all.end(), [&](const ConditionDoc& doc) {
      return doc.type == type && doc.status == status &&
             (doc.reason.empty() || doc.reason == reason);
    });
  }
  std::vector<ConditionDoc> all;
};

Docs DocsOf(const std::string& kind) {
  Docs docs;
  docs.Add(kPodConditions);
  if (kind == "Iris") docs.Add(iris::kConditions);
  if (kind == "PodSet" || kind == "AppService") docs.Add(podset::kConditions);
  if (kind == "ImmortalContainer") docs.Add(immortal::kConditions);
  if (kind == "Database") docs.Add(database::kConditions);
  return docs;
}

// The reference of the custom resources is made from the tables of the kinds.
void ExpectConditionsDocumented(const Scene& scene) {
  const Docs docs = DocsOf(scene.kind.description.parent.kind);
  for (const ShownCondition& shown : ReadConditions(scene.Parent())) {
    const Condition& each = shown.condition;
    if (each.type == "Applied" || (each.type != "Ready" && IsRuntimeCondition(each.type))) continue;
    EXPECT_TRUE(docs.Has(each.type, each.status, each.reason))
        << scene.kind.description.controller << ": " << each.type << " " << each.status << " "
        << each.reason;
  }
}

void ExpectStatusDeclared(const Scene& scene) {
  ExpectConditionsDocumented(scene);
  const YAML::Node crd = LoadCrd(scene.kind.description.parent);
  ExpectDeclared(scene.Parent()["status"], SchemaOf(crd, "status"),
                 scene.kind.description.controller + " status");
}

TEST(Crds, EveryKindHasOneOfItsNameGroupAndVersion) {
  const KindRegistry kinds = BuiltInKinds();
  for (const Kind& kind : kinds.kinds()) {
    const ResourceType& parent = kind.description.parent;
    const YAML::Node crd = LoadCrd(parent);
    EXPECT_EQ(crd["metadata"]["name"].as<std::string>(), parent.plural + "." + parent.group);
    EXPECT_EQ(crd["spec"]["group"].as<std::string>(), parent.group);
    EXPECT_EQ(crd["spec"]["names"]["kind"].as<std::string>(), parent.kind);
    EXPECT_EQ(crd["spec"]["names"]["plural"].as<std::string>(), parent.plural);
    EXPECT_EQ(crd["spec"]["versions"][0]["name"].as<std::string>(), parent.version);
    const YAML::Node subresources = crd["spec"]["versions"][0]["subresources"];
    EXPECT_TRUE(subresources["status"].IsDefined());
    EXPECT_EQ(subresources["scale"].IsDefined(), kind.description.scalable) << parent.plural;
  }
}

TEST(Crds, BothGroupsOfAKindHaveTheSameSchema) {
  std::map<std::string, std::string> schemas;
  const KindRegistry kinds = BuiltInKinds();
  for (const Kind& kind : kinds.kinds()) {
    const YAML::Node version = LoadCrd(kind.description.parent)["spec"]["versions"][0];
    const auto [at, first] = schemas.emplace(kind.description.parent.kind, YAML::Dump(version));
    EXPECT_EQ(at->second, YAML::Dump(version)) << kind.description.controller;
  }
}

TEST(Crds, StatusOfPodSetsIsDeclared) {
  for (const char* kind : {"PodSet", "AppService"}) {
    PodScene set("app.example.com", kind, "x", R"({"replicas": 2})");
    set.Converge();
    set.world.linger = true;
    set.world.Delete(set.Ref(PodType(), "x-pod-0"));
    set.world.now += absl::Minutes(2);
    set.Converge();
    ExpectStatusDeclared(set);
  }
}

TEST(Crds, StatusOfImmortalContainersIsDeclared) {
  PodScene immortal("immortalcontainer.flugel.it", "ImmortalContainer", "x", R"({"image": "a"})");
  for (int i = 0; i < 3; ++i) {
    immortal.Converge();
    immortal.SetPod("x-immortalpod", "Failed");
    immortal.Converge();
    immortal.world.now += absl::Seconds(i == 2 ? 0 : 60);
  }
  ASSERT_TRUE(immortal.Status().contains("nextStart"));
  ExpectStatusDeclared(immortal);
}

TEST(Crds, StatusOfDatabasesIsDeclared) {
  DatabaseScene db(R"({"image": "a"})");
  db.BringUp();
  db.EditSpec(R"({"storage-size": "2Gi"})");
  db.RemoveSecret();
  db.Roll(0);
  db.Converge();
  ExpectStatusDeclared(db);
}

TEST(Crds, StatusOfIrisesIsDeclared) {
  for (const char* group : {"example.com", "test.myardyas.club"}) {
    PodScene iris(group, "Iris", "x", "{}");
    iris.Converge();
    ExpectStatusDeclared(iris);
  }
}

}  // namespace
}  // namespace xebec::planner
