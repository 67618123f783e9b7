// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/pods.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "common/model/fields.h"
#include "common/model/quantity.h"
#include "planner/core/conditions.h"
#include "planner/kinds/pod_reason.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

constexpr absl::Duration kStuckAfter = absl::Minutes(1);
constexpr size_t kNamedAtMost = 5;

// The fields that the user can set. All except the image are immutable in a Pod.
constexpr std::string_view kImmutable[] = {"command", "args", "env", "resources"};

const Json* LiveContainer(const Child& pod, const std::string& name) {
  const Json* containers = Find(pod.object, {"spec", "containers"});
  if (containers == nullptr || !containers->is_array()) return nullptr;
  for (const Json& container : *containers) {
    if (FindString(container, {"name"}) == name) return &container;
  }
  return nullptr;
}

// "1" and "1000m" are the same request.
void NormalizeQuantities(Json* resources) {
  for (const char* list : {"limits", "requests"}) {
    if (!resources->is_object() || !resources->contains(list)) continue;
    Json& quantities = (*resources)[list];
    if (!quantities.is_object()) continue;
    for (auto& [name, value] : quantities.items()) {
      const auto quantity =
          Quantity::Parse(value.is_string() ? value.get<std::string>() : value.dump());
      if (quantity.ok()) value = quantity->ToString();
    }
  }
}

std::string_view Format(std::string_view digest) { return digest.substr(0, digest.find(':')); }

}  // namespace

ChildRule PodRule() {
  ChildRule rule;
  rule.type = PodType();
  rule.fields = {"spec.containers",      "spec.restartPolicy",       "status.phase",
                 "status.conditions",    "status.containerStatuses", "status.initContainerStatuses",
                 "spec.imagePullSecrets"};
  return rule;
}

bool IsReady(const Child& pod) {
  const Json* conditions = Find(pod.object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return false;
  return std::any_of(conditions->begin(), conditions->end(), [](const Json& condition) {
    return FindString(condition, {"type"}) == "Ready" &&
           FindString(condition, {"status"}) == "True";
  });
}

std::optional<absl::Time> ReadTime(const std::string& text) {
  absl::Time time;
  std::string error;
  if (text.empty() || !absl::ParseTime(absl::RFC3339_full, text, &time, &error)) return {};
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return {};
  return time;
}

std::optional<absl::Time> FindTime(const Json& object,
                                   std::initializer_list<std::string_view> path) {
  return ReadTime(FindString(object, path));
}

std::string TemplateDigest(const Json& container) {
  Json settable = Json::object();
  if (const Json* image = Find(container, {"image"})) settable["image"] = *image;
  for (std::string_view field : kImmutable) {
    if (const Json* value = Find(container, {field})) settable[std::string(field)] = *value;
  }
  if (settable.contains("resources")) NormalizeQuantities(&settable["resources"]);
  return DesiredDigest(settable);
}

bool RunsTemplate(const Child& pod, const Json& container, const std::string& digest) {
  const std::string stamped =
      FindString(pod.object, {"metadata", "annotations", kTemplateAnnotation});
  if (!stamped.empty() && Format(stamped) == Format(digest)) return stamped == digest;
  const Json* live = LiveContainer(pod, FindString(container, {"name"}));
  return live != nullptr && Covers(*live, container);
}

Json AsFarAsMutable(const Child& pod, Json container) {
  const Json* live = LiveContainer(pod, FindString(container, {"name"}));
  if (live == nullptr) return container;
  for (std::string_view name : kImmutable) {
    const std::string field(name);
    const Json* desired = Find(container, {name});
    if (desired == nullptr) continue;
    const Json* value = Find(*live, {name});
    if (value != nullptr && Covers(*value, *desired)) continue;
    if (value == nullptr) {
      container.erase(field);
    } else {
      container[field] = Json(*value);
    }
  }
  return container;
}

StuckPods FindStuckPods(const View& view) {
  StuckPods stuck;
  if (view.now == absl::InfinitePast()) return stuck;
  for (const Child* pod : view.OfKind("Pod")) {
    // deletionTimestamp is the end of the grace period, not its start.
    const auto due = FindTime(pod->object, {"metadata", "deletionTimestamp"});
    if (!due.has_value()) continue;
    const absl::Duration left = *due + kStuckAfter - view.now;
    if (left <= absl::ZeroDuration()) {
      stuck.descriptions.push_back(absl::StrCat(pod->name, " (since ", Rfc3339(*due), ")"));
    } else if (!stuck.next.has_value() || left < *stuck.next) {
      stuck.next = left;
    }
  }
  return stuck;
}

void ReportStuckPods(const View& view, DesiredState* state) {
  StuckPods stuck = FindStuckPods(view);
  ResyncAfter(stuck.next, state);
  if (stuck.descriptions.empty()) {
    state->conditions.push_back({std::string(kPodsStuckCondition), "", "", ""});
    return;
  }
  const size_t more = stuck.descriptions.size() - std::min(stuck.descriptions.size(), kNamedAtMost);
  stuck.descriptions.resize(stuck.descriptions.size() - more);
  std::string message =
      absl::StrCat("These Pods are still terminating a minute after their grace period: ",
                   absl::StrJoin(stuck.descriptions, ", "));
  if (more > 0) absl::StrAppend(&message, " and ", more, " more");
  absl::StrAppend(&message,
                  ". Each is replaced once it is gone. If its node is lost, delete the Pod with "
                  "kubectl delete pod --grace-period=0 --force");
  message = Ellipsize(message, 1000);
  state->events.push_back(
      {EventCondition::kAnyChange, true, "TerminatingTooLong", "WaitForPod", message});
  state->conditions.push_back(
      {std::string(kPodsStuckCondition), "True", "TerminatingTooLong", std::move(message)});
}

void ResyncAfter(std::optional<absl::Duration> after, DesiredState* state) {
  if (!after.has_value()) return;
  if (!state->resync_after.has_value() || *after < *state->resync_after) {
    state->resync_after = after;
  }
}

void ExplainNotReady(const View& view, const std::vector<const Child*>& pods,
                     std::vector<Condition>* conditions) {
  Condition* ready = FindCondition(conditions, "Ready");
  if (ready == nullptr || ready->status != "False") return;
  const auto reason = FindPodReason(pods, ShownReason(view, "Ready"));
  if (!reason.has_value()) return;
  ready->reason = reason->reason;
  absl::StrAppend(&ready->message, ": ", reason->message);
}

void SetPullSecrets(const Child* pod, const Json& secrets, Json* object) {
  const Json* live = pod == nullptr ? nullptr : Find(pod->object, {"spec", "imagePullSecrets"});
  if (pod == nullptr && !secrets.empty()) (*object)["spec"]["imagePullSecrets"] = secrets;
  if (live != nullptr && !secrets.empty()) (*object)["spec"]["imagePullSecrets"] = Json(*live);
}

EventFact PodCreated(std::string_view pod_name, std::string_view remark) {
  std::string note = absl::StrCat("Created pod \"", ToAbsl(pod_name), "\"", ToAbsl(remark));
  return {EventCondition::kCreated, false, "Created", "CreatePod", std::move(note)};
}

EventFact PodDeleted(std::string_view pod_name, std::string_view why) {
  std::string note = absl::StrCat("Deleted pod \"", ToAbsl(pod_name), "\": ", ToAbsl(why));
  return {EventCondition::kDeleted, false, "Deleted", "DeletePod", std::move(note)};
}

}  // namespace xebec::planner
