// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "planner/core/kind.h"

/// Functions for the kinds that create Pods themselves.
namespace xebec::planner {

/// Annotation of Pods: the digest of the container fields that the user can set ("v1:<hex>"). It
/// distinguishes a change of the spec from changes by the API server and admission webhooks.
inline constexpr std::string_view kTemplateAnnotation = "xebec.dev/template-digest";

/// The condition of a parent whose Pods do not end; absent if there are none.
inline constexpr std::string_view kPodsStuckCondition = "PodsStuck";

/// The rule for Pods by owner, without a label selector, so that a Pod without its labels is found
/// too.
ChildRule PodRule();

/// Returns true if the Pod's condition Ready is True.
bool IsReady(const Child& pod);
/// Returns the time of an RFC 3339 text; nullopt if it is malformed or infinite.
std::optional<absl::Time> ReadTime(const std::string& text);
/// Returns the RFC 3339 time at a path of the object; nullopt if it is missing or malformed.
std::optional<absl::Time> FindTime(const Json& object,
                                   std::initializer_list<std::string_view> path);

/// Returns the digest of image, command, args, env and resources of the container.
std::string TemplateDigest(const Json& container);
/// Returns true if the Pod was created from this container. Compares its annotation or, if the
/// annotation is missing or has another format (a Pod of an original operator or another version of
/// Xebec), its fields. `digest` is TemplateDigest(container).
bool RunsTemplate(const Child& pod, const Json& container, const std::string& digest);
/// Returns `container` with the immutable fields (command, env, ...) of the live Pod where a
/// webhook changed them, so that the API server accepts an apply of the result.
Json AsFarAsMutable(const Child& pod, Json container);

/// Returns the Pods that are still terminating a minute after the end of their grace period.
struct StuckPods {
  std::vector<std::string> descriptions;  ///< "x-pod-0 (since 2026-01-01T00:00:00Z)"
  std::optional<absl::Duration> next;     ///< The time until another Pod may become stuck.
};
StuckPods FindStuckPods(const View& view);
/// Adds the condition PodsStuck, its Warning event and the time of the next check.
void ReportStuckPods(const View& view, DesiredState* state);

/// Returns the earlier of the two; nullopt means never.
void ResyncAfter(std::optional<absl::Duration> after, DesiredState* state);

/// If Ready in `conditions` is False, sets its reason and message to those of the Pods.
void ExplainNotReady(const View& view, const std::vector<const Child*>& pods,
                     std::vector<Condition>* conditions);

/// Returns the imagePullSecrets for a Pod: those of the live Pod if it exists, because they are
/// immutable.
void SetPullSecrets(const Child* pod, const Json& secrets, Json* object);

EventFact PodCreated(std::string_view pod_name, std::string_view remark = "");
EventFact PodDeleted(std::string_view pod_name, std::string_view why);

}  // namespace xebec::planner
