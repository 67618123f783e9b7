// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_body.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/digest.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "common/kube/lease.h"
#include "common/model/names.h"

namespace xebec::applier {
namespace {

constexpr size_t kMaxReason = 128;
constexpr size_t kMaxNote = 1024;

const ResourceType& EventType() {
  static const auto& type = *new ResourceType{"events.k8s.io", "v1", "Event", "events", false};
  return type;
}

/// The annotations of an Event that counts these reconciles.
Json Annotations(const std::vector<std::string>& reconciles) {
  return {{kReconcileIdsAnnotation, absl::StrJoin(reconciles, ",")}};
}

/// Cut at a byte: reasons and actions are ASCII constants.
std::string Cut(std::string text, size_t limit, std::string_view fallback) {
  if (text.empty()) text = std::string(fallback);
  return text.size() <= limit ? text : text.substr(0, limit);
}

}  // namespace

std::string EventNamespace(const ParentIdentity& parent) {
  return parent.ref.ns.empty() ? "default" : parent.ref.ns;
}

std::string EventName(const ParentIdentity& parent, const EventFact& fact) {
  const std::string what = absl::StrCat(parent.uid, "|", fact.warning, "|", fact.reason, "|",
                                        fact.action, "|", fact.note);
  return BoundedName(parent.ref.name, absl::StrCat(".", ShortDigest(what, 16)), kMaxObjectName);
}

kube::ApiRequest CreateEventRequest(const Envelope& plan, const EventFact& fact,
                                    const std::string& reporter, const std::string& instance,
                                    absl::Time now) {
  const ParentIdentity& parent = plan.parent;
  const std::string ns = EventNamespace(parent);
  const std::string reason = Cut(fact.reason, kMaxReason, "Unknown");
  Json regarding = {{"apiVersion", ApiVersion(parent.ref.type)},
                    {"kind", parent.ref.type.kind},
                    {"name", parent.ref.name},
                    {"uid", parent.uid},
                    {"resourceVersion", parent.resource_version}};
  if (!parent.ref.ns.empty()) regarding["namespace"] = parent.ref.ns;
  const Json body = {{"apiVersion", "events.k8s.io/v1"},
                     {"kind", "Event"},
                     {"metadata",
                      {{"name", EventName(parent, fact)},
                       {"namespace", ns},
                       {"annotations", Annotations({plan.reconcile_id})}}},
                     {"eventTime", kube::FormatMicroTime(now)},
                     {"reportingController", reporter},
                     {"reportingInstance", Cut(instance, kMaxReason, "xebec-applier")},
                     {"type", fact.warning ? "Warning" : "Normal"},
                     {"reason", reason},
                     {"action", Cut(fact.action, kMaxReason, reason)},
                     {"note", Ellipsize(fact.note, kMaxNote)},
                     {"regarding", std::move(regarding)}};
  return {"POST", kube::CollectionPath(EventType(), ns), kube::kJsonContentType, DumpJson(body),
          /*metadata_only=*/true};
}

kube::ApiRequest CreateAgainRequest(kube::ApiRequest create, const std::string& reconcile,
                                    absl::Time now) {
  absl::StatusOr<Json> body = ParseJson(create.body);
  if (!body.ok()) return create;
  (*body)["metadata"]["annotations"] = Annotations({reconcile});
  (*body)["eventTime"] = kube::FormatMicroTime(now);
  create.body = DumpJson(*body);
  return create;
}

kube::ApiRequest LearnEventRequest(const std::string& ns, const std::string& name) {
  return {"PATCH", kube::ObjectPath({EventType(), ns, name}), kube::kMergePatchContentType, "{}"};
}

std::optional<LiveEvent> ReadEvent(const std::string& body) {
  const absl::StatusOr<Json> json = ParseJson(body);
  if (!json.ok()) return std::nullopt;
  LiveEvent event;
  event.version = FindString(*json, {"metadata", "resourceVersion"});
  const int64_t count = FindInt(*json, {"series", "count"}).value_or(1);
  event.count = static_cast<uint64_t>(std::max<int64_t>(count, 1));
  event.reconciles =
      absl::StrSplit(FindString(*json, {"metadata", "annotations", kReconcileIdsAnnotation}), ',',
                     absl::SkipEmpty());
  return event;
}

kube::ApiRequest CountEventRequest(const std::string& ns, const std::string& name,
                                   const LiveEvent& event, absl::Time last_seen) {
  Json body = {
      {"metadata", {{"annotations", Annotations(event.reconciles)}}},
      {"series", {{"count", event.count}, {"lastObservedTime", kube::FormatMicroTime(last_seen)}}}};
  if (!event.version.empty()) body["metadata"]["resourceVersion"] = event.version;
  return {"PATCH", kube::ObjectPath({EventType(), ns, name}), kube::kMergePatchContentType,
          DumpJson(body), /*metadata_only=*/true};
}

}  // namespace xebec::applier
