// SPDX-License-Identifier: Apache-2.0
#include "planner/hooks/testing/hook_scene.h"

#include <gtest/gtest.h>

#include "planner/core/make_plan.h"
#include "planner/hooks/hook_codec.h"

namespace xebec::testing {

ResourceType Webs(bool cluster_scoped) {
  return {"example.com", "v1", "Web", "webs", cluster_scoped};
}
ResourceType Deployments() { return {"apps", "v1", "Deployment", "deployments", false}; }
ResourceType ConfigMaps() { return {"", "v1", "ConfigMap", "configmaps", false}; }

Json WebOperator() {
  return Json::parse(R"({
    "apiVersion": "xebec.dev/v1alpha1", "kind": "Operator",
    "metadata": {"name": "web.example.com", "uid": "op", "generation": 1},
    "spec": {"parent": {"group": "example.com", "version": "v1", "resource": "webs"},
             "children": [{"group": "apps", "version": "v1", "resource": "deployments"},
                          {"version": "v1", "resource": "configmaps"}],
             "hook": {"service": {"namespace": "shop", "name": "web", "port": 8443}},
             "configuration": {"image": "nginx"}}})");
}

void SetParent(const Json& parent, Observation* observation) {
  observation->parent = MakeObjectBytes(DumpJson(parent));
  ParentIdentity& identity = observation->envelope.parent;
  identity.ref = {Webs(), FindString(parent, {"metadata", "namespace"}),
                  FindString(parent, {"metadata", "name"})};
  identity.uid = FindString(parent, {"metadata", "uid"});
  identity.resource_version = FindString(parent, {"metadata", "resourceVersion"});
}

Observation ObserveWeb(const Json& declaration, bool cluster_scoped) {
  Observation observation;
  observation.now = absl::FromUnixSeconds(1'800'000'000);
  observation.declaration = MakeObjectBytes(DumpJson(declaration));
  observation.declared_resources = {Webs(cluster_scoped), Deployments(), ConfigMaps()};
  Json parent = Json::parse(R"({"apiVersion": "example.com/v1", "kind": "Web",
      "metadata": {"name": "one", "namespace": "shop", "uid": "u", "resourceVersion": "5",
                   "generation": 1},
      "spec": {"replicas": 2}})");
  if (cluster_scoped) parent["metadata"].erase("namespace");
  SetParent(parent, &observation);
  observation.children = {{Deployments(), {}, false}, {ConfigMaps(), {}, false}};
  return observation;
}

void AddChild(const ResourceType& type, Json object, Observation* observation) {
  object["apiVersion"] = ApiVersion(type);
  object["kind"] = type.kind;
  const Json owner = {{"uid", observation->envelope.parent.uid}, {"controller", true}};
  if (!object["metadata"].contains("ownerReferences")) {
    object["metadata"]["ownerReferences"] = Json::array({owner});
  }
  for (ObjectGroup& group : observation->children) {
    if (group.type == type) group.objects.push_back(MakeObjectBytes(DumpJson(object)));
  }
}

Plan PlanWeb(const Observation& observation) {
  planner::KindRegistry kinds;
  kinds.SetHookCodec(planner::HooksV1());
  return planner::MakePlan(observation, kinds);
}

namespace {

Plan Answer(Observation observation, std::variant<std::string, HookFailure> result) {
  const Plan asked = PlanWeb(observation);
  EXPECT_EQ(asked.hook_requests.size(), 1u);
  if (asked.hook_requests.empty()) return asked;
  observation.hook_answers.push_back({asked.hook_requests[0].digest, std::move(result)});
  return PlanWeb(observation);
}

}  // namespace

Plan PlanWithBytes(Observation observation, const std::string& answer) {
  return Answer(std::move(observation), answer);
}

Plan PlanWithAnswer(Observation observation, const ::xebec::hooks::v1::SyncResponse& answer) {
  return PlanWithBytes(std::move(observation), answer.SerializeAsString());
}

Plan PlanWithFailure(Observation observation, const HookFailure& failure) {
  return Answer(std::move(observation), failure);
}

::xebec::hooks::v1::SyncRequest RequestOf(const Plan& plan) {
  ::xebec::hooks::v1::SyncRequest request;
  EXPECT_EQ(plan.hook_requests.size(), 1u);
  if (plan.hook_requests.empty()) return request;
  EXPECT_TRUE(request.ParseFromString(plan.hook_requests[0].call.sync_request));
  return request;
}

::xebec::hooks::v1::SyncResponse OneDeployment(const std::string& name) {
  ::xebec::hooks::v1::SyncResponse answer;
  const Json object = {{"apiVersion", "apps/v1"},
                       {"kind", "Deployment"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"replicas", 2}}}};
  answer.mutable_desired()->add_children()->set_object(DumpJson(object));
  return answer;
}

}  // namespace xebec::testing
