// SPDX-License-Identifier: Apache-2.0
// FakeCluster: Operators, which declare controllers.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/declare/declaration.h"
#include "watcher/engine/testing/fake_cluster.h"

namespace xebec::watcher::testing {

ResourceType GadgetType() {
  return {.group = "example.com", .version = "v1", .kind = "Gadget", .plural = "gadgets"};
}

std::string FinalizerOfOperator(const std::string& name) {
  Declaration declaration;
  declaration.name = name;
  return FinalizerOf(declaration);
}

ResourceType OperatorType() { return {"xebec.dev", "v1alpha1", "Operator", "operators", true}; }

PlannerDescription OperatorDescription() {
  KindDescription kind;
  kind.controller = "operators.xebec.dev";
  kind.parent = OperatorType();
  kind.finalizer = "operators.xebec.dev/release";
  kind.declares = true;
  return {"r1", {kind}};
}

Json FakeCluster::OperatorOfWidgets() {
  return {{"parent", {{"group", "example.com"}, {"version", "v1"}, {"resource", "widgets"}}},
          {"children", Json::array({{{"version", "v1"}, {"resource", "parts"}}})},
          {"hook", {{"address", "hook:1"}}}};
}

bool FakeCluster::SetOperator(const std::string& name, const Json& spec) {
  const Json* known = Find(OperatorType(), {"", name});
  Json object = known != nullptr
                    ? *known
                    : Json{{"apiVersion", "xebec.dev/v1alpha1"},
                           {"kind", "Operator"},
                           {"metadata",
                            {{"name", name},
                             {"uid", NewUid()},
                             {"generation", 0},
                             {"creationTimestamp", absl::StrFormat("%012d", version_)}}}};
  if (xebec::Find(object, {"metadata", "deletionTimestamp"}) != nullptr) return false;
  object["metadata"]["generation"] = object["metadata"]["generation"].get<int64_t>() + 1;
  object["spec"] = spec;
  Store(OperatorType(), {"", name}, object, known == nullptr);
  return true;
}

void FakeCluster::DeleteOperator(const std::string& name) {
  const ObjectKey key{"", name};
  const Json* known = Find(OperatorType(), key);
  if (known == nullptr || xebec::Find(*known, {"metadata", "deletionTimestamp"}) != nullptr) return;
  const Json* finalizers = xebec::Find(*known, {"metadata", "finalizers"});
  const bool lingers = finalizers != nullptr && !finalizers->empty();
  lingers ? MarkDeleted(OperatorType(), key) : Erase(OperatorType(), key);
}

void FakeCluster::CheckRelease(const std::string& operator_name) {
  released_.insert(FindString(*Find(OperatorType(), {"", operator_name}), {"metadata", "uid"}));
  for (const auto& [key, widget] : All(WidgetType())) {
    const Json* list = xebec::Find(widget, {"metadata", "finalizers"});
    if (list == nullptr) continue;
    for (const Json& each : *list) {
      if (each != FinalizerOfOperator(operator_name)) continue;
      wrongs.push_back(
          absl::StrCat("operator ", operator_name, " went before its finalizer of ", key.name));
    }
  }
}

void FakeCluster::SetOperatorShown(const std::string& name) {
  Json object = *Find(OperatorType(), {"", name});
  object["status"] = {{"observedGeneration", object["metadata"]["generation"]}, {"parents", 1}};
  Store(OperatorType(), {"", name}, std::move(object), false);
}

void FakeCluster::MarkDeleted(const ResourceType& type, const ObjectKey& key) {
  Json object = *Find(type, key);
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["metadata"]["generation"] = object["metadata"]["generation"].get<int64_t>() + 1;
  Store(type, key, std::move(object), false);
}

void FakeCluster::Finalize(const ResourceType& type, const ObjectKey& key,
                           const std::string& finalizer, bool present) {
  Json object = *Find(type, key);
  object["metadata"]["finalizers"] = present ? Json::array({finalizer}) : Json::array();
  Store(type, key, std::move(object), false);
}

}  // namespace xebec::watcher::testing
