// SPDX-License-Identifier: Apache-2.0
#include "planner/core/testing/probe.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/names.h"
#include "planner/core/child_state.h"

namespace xebec::planner {
namespace {

constexpr int64_t kMaxReplicas = 20;

ResourceType ConfigMaps() { return {"", "v1", "ConfigMap", "configmaps", false}; }
ResourceType StatefulSets() { return {"apps", "v1", "StatefulSet", "statefulsets", false}; }
ResourceType Claims() {
  return {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", false};
}

std::string DirectName(const View& view) { return BoundedName(view.name, "-direct", 253); }
// Pods of a StatefulSet carry its name in a label and, with an ordinal, in their host name.
std::string SetName(const View& view) { return BoundedName(view.name, "-set", 52); }

std::optional<std::string> Fault(const View& view) {
  const std::string fail = FindString(view.parent, {"spec", "fail"});
  if (!fail.empty()) return absl::StrCat("spec.fail: ", fail);
  const Json* replicas = Find(view.parent, {"spec", "replicas"});
  if (replicas == nullptr || replicas->is_null()) return std::nullopt;
  const int64_t count = FindInt(view.parent, {"spec", "replicas"}).value_or(-1);
  if (count >= 0 && count <= kMaxReplicas) return std::nullopt;
  return absl::StrCat("spec.replicas must be a whole number from 0 to ", kMaxReplicas);
}

int64_t Replicas(const View& view) {
  return FindInt(view.parent, {"spec", "replicas"}).value_or(1);
}

Json Labels(const View& view) {
  return {{std::string(kProbeLabel), LabelValue(view.name)},
          {std::string(kProbeUidLabel), LabelValue(view.uid)}};
}

EventFact Event(const char* reason, std::string note) {
  EventFact event;
  event.reason = reason;
  event.action = "Apply";
  event.note = std::move(note);
  return event;
}

DesiredChild Direct(const View& view) {
  DesiredChild child;
  child.type = ConfigMaps();
  Json data = Json::object();
  const Json* wanted = Find(view.parent, {"spec", "data"});
  if (wanted != nullptr && wanted->is_object()) {
    for (const auto& [key, value] : wanted->items()) {
      if (value.is_string()) data[key] = value;
    }
  }
  child.object = {{"metadata", {{"name", DirectName(view)}}}};
  if (!data.empty()) child.object["data"] = std::move(data);
  child.on_created = {Event("Created", absl::StrCat("Created ConfigMap ", DirectName(view)))};
  child.on_changed = {Event("Changed", absl::StrCat("Changed ConfigMap ", DirectName(view)))};
  return child;
}

Json PodTemplate(const View& view) {
  const Json container = {{"name", "main"}, {"image", "busybox"}, {"command", {"sleep", "3600"}}};
  return {{"metadata", {{"labels", Labels(view)}}},
          {"spec", {{"containers", Json::array({container})}}}};
}

Json ClaimTemplate(const View& view) {
  return {
      {"metadata", {{"name", "data"}, {"labels", Labels(view)}}},
      {"spec",
       {{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}};
}

DesiredChild Set(const View& view) {
  DesiredChild child;
  child.type = StatefulSets();
  child.stage = 1;
  child.object = {{"metadata", {{"name", SetName(view)}}},
                  {"spec",
                   {{"replicas", Replicas(view)},
                    {"serviceName", SetName(view)},
                    {"selector", {{"matchLabels", Labels(view)}}},
                    {"template", PodTemplate(view)},
                    {"volumeClaimTemplates", Json::array({ClaimTemplate(view)})}}}};
  child.on_created = {Event("Created", absl::StrCat("Created StatefulSet ", SetName(view)))};
  return child;
}

// A label alone proves nothing: the uid must be the Probe's.
bool IsOurClaim(const View& view, const Child& claim) {
  return !view.uid.empty() &&
         FindString(claim.object, {"metadata", "labels", kProbeUidLabel}) == LabelValue(view.uid);
}

ChildToDelete Remove(const Child& child, int stage) {
  ChildToDelete to_delete;
  to_delete.type = child.type;
  to_delete.name = child.name;
  to_delete.stage = stage;
  to_delete.on_deleted = {
      Event("Deleted", absl::StrCat("Deleted ", child.type.kind, " ", child.name))};
  return to_delete;
}

std::vector<ChildToDelete> Ending(const View& view) {
  std::vector<ChildToDelete> to_delete;
  for (const Child& child : view.children) {
    if (child.type.kind == "StatefulSet") to_delete.push_back(Remove(child, 0));
    if (child.type.kind == "PersistentVolumeClaim" && IsOurClaim(view, child)) {
      to_delete.push_back(Remove(child, 1));
    }
    if (child.type.kind == "ConfigMap") to_delete.push_back(Remove(child, 2));
  }
  return to_delete;
}

int64_t CountClaims(const View& view) {
  int64_t count = 0;
  for (const Child* claim : view.OfKind("PersistentVolumeClaim")) count += IsOurClaim(view, *claim);
  return count;
}

void AddStatus(const View& view, DesiredState* state) {
  const ChildComparison set = CompareChild(view, Set(view));
  int64_t ready = 0;
  if (set.live != nullptr) {
    ready = FindInt(set.live->object, {"status", "readyReplicas"}).value_or(0);
  }
  state->status = {{"readyReplicas", ready}, {"claims", CountClaims(view)}};
  const bool done = IsAsDesired(set.state) && ready == Replicas(view);
  const std::string message = absl::StrCat(ready, " of ", Replicas(view), " replicas are ready");
  state->conditions = {{"Ready", done ? "True" : "False", done ? "AllReady" : "Waiting", message}};
}

DesiredState Desired(const View& view) {
  DesiredState state;
  if (view.finalizing) {
    state.to_delete = Ending(view);
    AddStatus(view, &state);
    return state;
  }
  state.invalid = Fault(view);
  if (state.invalid.has_value()) return state;
  state.children = {Direct(view), Set(view)};
  AddStatus(view, &state);
  return state;
}

ChildRule Rule(ResourceType type, std::vector<std::string> fields) {
  ChildRule rule;
  rule.type = std::move(type);
  rule.fields = std::move(fields);
  return rule;
}

}  // namespace

Kind ProbeKind() {
  KindDescription description;
  description.controller = "probes.test.xebec.dev";
  description.parent = {"test.xebec.dev", "v1", "Probe", "probes", false};
  description.finalizer = std::string(kProbeFinalizer);
  ChildRule claims = Rule(Claims(), {"spec.resources", "status.phase"});
  claims.parent_label = std::string(kProbeLabel);
  claims.label_selector = std::string(kProbeLabel);
  claims.stateful = true;
  ChildRule sets =
      Rule(StatefulSets(), {"spec", "status.readyReplicas", "status.observedGeneration"});
  sets.stateful = true;
  description.children = {Rule(ConfigMaps(), {}), std::move(sets), std::move(claims)};
  return {std::move(description), Desired};
}

void RegisterTestKinds(KindRegistry* registry) { registry->Register(ProbeKind()); }

}  // namespace xebec::planner
