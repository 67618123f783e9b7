// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/pod_reason.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/fields.h"
#include "common/model/names.h"
#include "planner/core/conditions.h"
#include "planner/core/read_context.h"
#include "planner/kinds/pod_state.h"
#include "planner/kinds/reasons.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// Reasons whose kubelet message tells users what to do and does not change between retries.
constexpr std::string_view kStableMessages[] = {"CreateContainerConfigError", "InvalidImageName",
                                                "ErrImageNeverPull"};
// Reasons of a container that is starting normally.
constexpr std::string_view kStarting[] = {"ContainerCreating", "PodInitializing", ""};
// In order of severity, the most severe first. Other reasons are between them and Unschedulable.
constexpr std::string_view kSeverity[] = {"InvalidImageName", "CreateContainerConfigError",
                                          kErrImagePull, kImagePullBackOff, kCrashLoopBackOff};

template <size_t N>
bool IsOneOf(std::string_view value, const std::string_view (&values)[N]) {
  return std::find(std::begin(values), std::end(values), value) != std::end(values);
}

size_t Severity(const PodReason& reason) {
  if (reason.reason == kUnschedulable) return std::size(kSeverity) + 1;
  return static_cast<size_t>(std::find(std::begin(kSeverity), std::end(kSeverity), reason.reason) -
                             std::begin(kSeverity));
}

std::string Place(const Child& pod, const Json& container) {
  return absl::StrCat("container \"", FindString(container, {"name"}), "\" of Pod \"", pod.name,
                      "\"");
}

PodReason CrashLoop(const Child& pod, const Json& container) {
  std::string message = absl::StrCat(Place(pod, container), " ends repeatedly");
  const std::string last = FindString(container, {"lastState", "terminated", "reason"});
  if (!last.empty()) absl::StrAppend(&message, " (", last, ")");
  absl::StrAppend(&message, "; see kubectl logs --previous ", pod.name);
  return {std::string(kCrashLoopBackOff), std::move(message)};
}

PodReason Waiting(const Child& pod, const Json& container, std::string reason) {
  const bool pull = reason == kErrImagePull || reason == kImagePullBackOff;
  std::string message =
      absl::StrCat(Place(pod, container), pull ? " cannot pull the image \"" : "");
  if (pull) {
    absl::StrAppend(&message, FindString(container, {"image"}), "\"");
  } else {
    absl::StrAppend(&message, " cannot start: ", reason);
    const std::string detail = FindString(container, {"state", "waiting", "message"});
    if (IsOneOf(reason, kStableMessages) && !detail.empty()) {
      absl::StrAppend(&message, " (", Ellipsize(detail, 300), ")");
    }
  }
  return {std::move(reason), std::move(message)};
}

// A container that ended with an error and has not been ready since counts as crashing, even while
// it runs; otherwise the reason would change with every restart.
bool Crashes(const Json& container) {
  if (FindString(container, {"state", "waiting", "reason"}) == kCrashLoopBackOff) return true;
  return !FindBool(container, {"ready"}).value_or(false) &&
         FindInt(container, {"restartCount"}).value_or(0) > 0 &&
         Find(container, {"lastState", "terminated"}) != nullptr &&
         FindInt(container, {"lastState", "terminated", "exitCode"}).value_or(1) != 0;
}

std::optional<PodReason> OfContainer(const Child& pod, const Json& container) {
  if (!container.is_object()) return std::nullopt;
  const std::string waiting = FindString(container, {"state", "waiting", "reason"});
  if (waiting != kCrashLoopBackOff && !IsOneOf(waiting, kStarting)) {
    return Waiting(pod, container, waiting);
  }
  if (Crashes(container)) return CrashLoop(pod, container);
  return std::nullopt;
}

std::optional<PodReason> OfScheduling(const Child& pod) {
  const Json* conditions = Find(pod.object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return std::nullopt;
  for (const Json& condition : *conditions) {
    if (FindString(condition, {"type"}) != "PodScheduled" ||
        FindString(condition, {"status"}) != "False" ||
        FindString(condition, {"reason"}) != kUnschedulable) {
      continue;
    }
    // Omits the part about preemption, which changes between attempts.
    std::string detail = FindString(condition, {"message"});
    detail = detail.substr(0, detail.find(" preemption:"));
    return PodReason{std::string(kUnschedulable),
                     absl::StrCat("Pod \"", pod.name, "\" cannot be scheduled",
                                  detail.empty() ? "" : ": ", detail)};
  }
  return std::nullopt;
}

std::optional<PodReason> OfPod(const Child& pod) {
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const Json* statuses = Find(pod.object, {"status", list});
    if (statuses == nullptr || !statuses->is_array()) continue;
    for (const Json& container : *statuses) {
      if (auto reason = OfContainer(pod, container)) return reason;
    }
  }
  return OfScheduling(pod);
}

bool Controls(const Child& controller, const Child& pod) {
  if (ControllerUid(pod.object) == controller.uid) return true;
  if (controller.type.kind != "Deployment") return false;
  const std::string hash = FindString(pod.object, {"metadata", "labels", "pod-template-hash"});
  const Json* owners = Find(pod.object, {"metadata", "ownerReferences"});
  if (hash.empty() || owners == nullptr || !owners->is_array()) return false;
  return std::any_of(owners->begin(), owners->end(), [&](const Json& owner) {
    return FindBool(owner, {"controller"}).value_or(false) &&
           FindString(owner, {"kind"}) == "ReplicaSet" &&
           FindString(owner, {"name"}) == absl::StrCat(controller.name, "-", hash);
  });
}

}  // namespace

ChildRule IndirectPodRule() {
  ChildRule rule;
  rule.type = PodType();
  rule.parent_label = std::string(kParentLabel);
  rule.label_selector = std::string(kParentLabel);
  rule.fields = {"status.phase", "status.conditions", "status.containerStatuses",
                 "status.initContainerStatuses"};
  return rule;
}

void LabelPods(const View& view, const Child* live, Json* object) {
  const auto covered = [&](const Json& pod_template) {
    return Covers(live->object, {{"spec", {{"template", pod_template}}}});
  };
  Json& plain = (*object)["spec"]["template"];
  Json labelled = plain;
  labelled["metadata"]["labels"][std::string(kParentLabel)] = LabelValue(view.name);
  if (live == nullptr || covered(labelled) || !covered(plain)) plain = std::move(labelled);
}

std::vector<const Child*> PodsOf(const View& view, const Child& controller) {
  std::vector<const Child*> pods;
  for (const Child* pod : view.OfKind("Pod")) {
    if (StateOf(*pod) == PodState::kLive && Controls(controller, *pod)) pods.push_back(pod);
  }
  return pods;
}

std::optional<PodReason> FindPodReason(const std::vector<const Child*>& pods,
                                       std::string_view shown) {
  std::optional<PodReason> worst;
  for (const Child* pod : pods) {
    auto reason = OfPod(*pod);
    if (!reason.has_value()) continue;
    if (!worst.has_value() || Severity(*reason) < Severity(*worst)) worst = std::move(reason);
  }
  if (worst.has_value() && worst->reason == kErrImagePull && shown == kImagePullBackOff) {
    worst->reason = std::string(kImagePullBackOff);
  }
  return worst;
}

std::string ShownReason(const View& view, std::string_view condition) {
  const std::vector<ShownCondition> all = ReadConditions(view.parent);
  const ShownCondition* shown = FindShown(all, condition);
  return shown == nullptr ? "" : shown->condition.reason;
}

std::string_view RefusalReason(std::string_view message, std::string_view other) {
  if (message.find("exceeded quota") != std::string_view::npos ||
      message.find("failed quota") != std::string_view::npos) {
    return kQuotaExceeded;
  }
  return message.find("violates PodSecurity") != std::string_view::npos ? kPodSecurityViolation
                                                                        : other;
}

}  // namespace xebec::planner
