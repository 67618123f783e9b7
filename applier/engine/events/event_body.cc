// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_body.h"

#include "absl/strings/str_cat.h"
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

/// Cut at a byte: reasons and actions are ASCII constants.
std::string Cut(std::string text, size_t limit, std::string_view fallback) {
  if (text.empty()) text = std::string(fallback);
  return text.size() <= limit ? text : text.substr(0, limit);
}

}  // namespace

std::string EventNamespace(const ParentIdentity& parent) {
  return parent.ref.ns.empty() ? "default" : parent.ref.ns;
}

std::string EventName(const Envelope& plan, const EventFact& fact, absl::Time now) {
  const std::string when =
      plan.reconcile_id.empty() ? absl::StrCat(absl::ToUnixMicros(now)) : plan.reconcile_id;
  const std::string what = absl::StrCat(plan.parent.uid, "|", fact.warning, "|", fact.reason, "|",
                                        fact.action, "|", fact.note, "|", when);
  return BoundedName(plan.parent.ref.name, absl::StrCat(".", ShortDigest(what, 16)),
                     kMaxObjectName);
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
                     {"metadata", {{"name", EventName(plan, fact, now)}, {"namespace", ns}}},
                     {"eventTime", kube::FormatMicroTime(now)},
                     {"reportingController", reporter},
                     {"reportingInstance", Cut(instance, kMaxReason, "xebec-applier")},
                     {"type", fact.warning ? "Warning" : "Normal"},
                     {"reason", reason},
                     {"action", Cut(fact.action, kMaxReason, reason)},
                     {"note", Ellipsize(fact.note, kMaxNote)},
                     {"regarding", std::move(regarding)}};
  return {"POST", kube::CollectionPath(EventType(), ns), kube::kJsonContentType, DumpJson(body)};
}

kube::ApiRequest CountEventRequest(const std::string& ns, const std::string& name, uint64_t count,
                                   absl::Time last_seen) {
  const Json body = {
      {"series", {{"count", count}, {"lastObservedTime", kube::FormatMicroTime(last_seen)}}}};
  return {"PATCH", kube::ObjectPath({EventType(), ns, name}), kube::kMergePatchContentType,
          DumpJson(body)};
}

}  // namespace xebec::applier
