// SPDX-License-Identifier: Apache-2.0
// FakeCluster: Operators, which declare controllers.
#include "watcher/engine/testing/fake_cluster.h"

namespace xebec::watcher::testing {

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

void FakeCluster::SetOperator(const std::string& name, const Json& spec) {
  const Json* known = Find(OperatorType(), {"", name});
  Json object = known != nullptr
                    ? *known
                    : Json{{"apiVersion", "xebec.dev/v1alpha1"},
                           {"kind", "Operator"},
                           {"metadata", {{"name", name}, {"uid", NewUid()}, {"generation", 0}}}};
  object["metadata"]["generation"] = object["metadata"]["generation"].get<int64_t>() + 1;
  object["metadata"]["creationTimestamp"] = version();
  object["spec"] = spec;
  Store(OperatorType(), {"", name}, object, known == nullptr);
}

void FakeCluster::MarkDeleted(const ResourceType& type, const ObjectKey& key) {
  Json object = *Find(type, key);
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["metadata"]["generation"] = object["metadata"]["generation"].get<int64_t>() + 1;
  Store(type, key, std::move(object), false);
}

void FakeCluster::Finalize(const ObjectKey& widget, const std::string& finalizer, bool present) {
  Json object = *Find(WidgetType(), widget);
  object["metadata"]["finalizers"] = present ? Json::array({finalizer}) : Json::array();
  Store(WidgetType(), widget, std::move(object), false);
}

}  // namespace xebec::watcher::testing
