// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/testing/pod_scene.h"

#include <utility>

#include "common/model/fields.h"
#include "planner/core/conditions.h"
#include "planner/kinds/built_in.h"
#include "planner/kinds/resources.h"

namespace xebec::testing {
namespace {

constexpr std::string_view kImmutable[] = {"command", "env", "resources"};

planner::Kind BuiltIn(std::string_view group, std::string_view kind) {
  return *planner::BuiltInKinds().Find(group, kind);
}

Json ParentObject(const std::string& name, std::string_view spec) {
  Json object;
  object["metadata"]["name"] = name;
  object["spec"] = *ParseJson(spec);
  return object;
}

}  // namespace

PodScene::PodScene(std::string_view group, std::string_view kind_name, const std::string& name,
                   std::string_view spec)
    : Scene(BuiltIn(group, kind_name), ParentObject(name, spec)) {
  world.webhook = [this](const ObjectRef& ref, Json& pod) {
    if (ref.type.kind == "Pod") AdmitPod(ref, pod);
  };
}

void PodScene::AdmitPod(const ObjectRef& ref, Json& pod) {
  const Json* live = world.Get(ref);
  if (live == nullptr) {
    pod["metadata"]["creationTimestamp"] = planner::Rfc3339(world.now);
    pod["status"]["phase"] = "Pending";
    return;
  }
  const Json &before = (*live)["spec"]["containers"][0], &after = pod["spec"]["containers"][0];
  for (std::string_view field : kImmutable) {
    const Json *was = Find(before, {field}), *is = Find(after, {field});
    const bool same = was != nullptr && is != nullptr && Covers(*was, *is) && Covers(*is, *was);
    if (!same && was != is) {
      violations.push_back(ref.name + ": " + std::string(field));
    }
  }
}

void PodScene::EditSpec(std::string_view patch) {
  world.Edit(parent, [&](Json& object) { object["spec"].merge_patch(*ParseJson(patch)); });
}

std::vector<std::string> PodScene::Pods() const {
  std::vector<std::string> names;
  for (const ObjectRef& ref : world.List("Pod")) names.push_back(ref.name);
  return names;
}

Json PodScene::Pod(const std::string& name) const {
  const Json* pod = world.Get(Ref(planner::PodType(), name));
  return pod == nullptr ? Json() : *pod;
}

Json PodScene::Status() const { return Parent()["status"]; }

void PodScene::SetPod(const std::string& name, std::string_view phase, bool ready) {
  world.Edit(Ref(planner::PodType(), name), [&](Json& pod) {
    pod["status"]["phase"] = std::string(phase);
    pod["status"]["conditions"] =
        Json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}});
  });
}

void PodScene::MakeAllReady() {
  for (const std::string& name : Pods()) {
    const bool terminating = Pod(name)["metadata"].contains("deletionTimestamp");
    if (!terminating) SetPod(name, "Running", true);
  }
}

void PodScene::Adopt(const std::string& name, Json spec) {
  const Json object = Parent();
  const Json owner = {{"apiVersion", object["apiVersion"]},
                      {"kind", object["kind"]},
                      {"name", object["metadata"]["name"]},
                      {"uid", object["metadata"]["uid"]},
                      {"controller", true}};
  Json pod;
  pod["metadata"]["name"] = name;
  pod["metadata"]["labels"]["app"] = object["metadata"]["name"];
  pod["metadata"]["ownerReferences"] = Json::array({owner});
  pod["metadata"]["creationTimestamp"] = planner::Rfc3339(world.now);
  pod["spec"] = std::move(spec);
  world.Put(planner::PodType(), std::move(pod));
  SetPod(name, "Running", true);
}

void PodScene::Kill(const std::string& name) { world.Finish(Ref(planner::PodType(), name)); }

std::vector<std::string> Deleted(const Plan& plan) {
  std::vector<std::string> names;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (std::holds_alternative<Delete>(operation.action)) names.push_back(operation.target.name);
    }
  }
  return names;
}

std::vector<std::string> Created(const Plan& plan) {
  std::vector<std::string> names;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (operation.precondition.absent) names.push_back(operation.target.name);
    }
  }
  return names;
}

}  // namespace xebec::testing
