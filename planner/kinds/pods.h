// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "planner/core/kind.h"

/// Shared by the kinds that create Pods themselves.
namespace xebec::planner {

/// On Pods: digest of what the user can set of the container ("v1:<hex>"). Tells a change of the
/// spec from what the API server and admission webhooks made of the Pod.
inline constexpr std::string_view kTemplateAnnotation = "xebec.dev/template-digest";

/// The condition of a parent whose Pods do not end; absent while there are none.
inline constexpr std::string_view kPodsStuckCondition = "PodsStuck";

/// Pods by owner alone: no label selector, so that a Pod that lost its labels is still seen.
ChildRule PodRule();

enum class PodState {
  kLive,         ///< Pending or Running, not being deleted: counts.
  kFinished,     ///< Succeeded or Failed, not being deleted.
  kTerminating,  ///< Being deleted; holds its name until its containers have ended.
  kUnknown,      ///< The node does not report: neither counts nor may be taken for ended.
};

PodState StateOf(const Child& pod);
/// True when the condition Ready is.
bool IsReady(const Child& pod);
/// RFC 3339 time at a path of the object; nullopt when missing or malformed.
std::optional<absl::Time> FindTime(const Json& object,
                                   std::initializer_list<std::string_view> path);

/// Digest of image, command, args, env and resources of the container.
std::string TemplateDigest(const Json& container);
/// Whether the Pod was made from that container: by its annotation, or by its fields where it has
/// none or one of another format (a Pod of an original operator or of another Xebec).
bool RunsTemplate(const Child& pod, const Json& container);
/// `container` with those fields that cannot be changed in a Pod (command, env, ...) as the live
/// Pod has them where a webhook made others of them: applying the result is never refused.
Json AsFarAsMutable(const Child& pod, Json container);

/// Pods that are still terminating a minute after the end of their grace period.
struct StuckPods {
  std::vector<std::string> descriptions;  ///< "x-pod-0 (since 2026-01-01T00:00:00Z)"
  std::optional<absl::Duration> next;     ///< Until one more Pod may have to be named.
};
StuckPods FindStuckPods(const View& view);
/// Adds the condition PodsStuck, its Warning event and the time to look again.
void ReportStuckPods(const View& view, DesiredState* state);

/// Earlier of the two; nullopt means never.
void ResyncAfter(std::optional<absl::Duration> after, DesiredState* state);

/// `conditions`' Ready, when it is False, takes the reason that the Pods give; its message too.
void ExplainNotReady(const View& view, const std::vector<const Child*>& pods,
                     std::vector<Condition>* conditions);

/// imagePullSecrets for a Pod: those of the live Pod where it exists, because they are immutable.
void SetPullSecrets(const Child* pod, const Json& secrets, Json* object);

EventFact PodCreated(std::string_view pod_name, std::string_view remark = "");
EventFact PodDeleted(std::string_view pod_name, std::string_view why);

}  // namespace xebec::planner
