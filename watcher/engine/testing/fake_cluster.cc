// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/fake_cluster.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher::testing {
namespace {

constexpr char kNamespace[] = "default";

const char* EventName(bool created) { return created ? "ADDED" : "MODIFIED"; }

}  // namespace

ResourceType WidgetType() {
  return {.group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
}

ResourceType PartType() {
  return {.group = "", .version = "v1", .kind = "Part", .plural = "parts"};
}

PlannerDescription WidgetDescription(const std::string& revision) {
  KindDescription kind;
  kind.controller = "widget.example.com";
  kind.parent = WidgetType();
  ChildRule rule;
  rule.type = PartType();
  kind.children.push_back(rule);
  return {revision, {kind}};
}

kube::DecodedObject FakeCluster::Decode(const Json& object) {
  kube::DecodedObject decoded;
  kube::ObjectHeader& header = decoded.header;
  header.ns = FindString(object, {"metadata", "namespace"});
  header.name = FindString(object, {"metadata", "name"});
  header.uid = FindString(object, {"metadata", "uid"});
  header.resource_version = FindString(object, {"metadata", "resourceVersion"});
  header.generation = FindInt(object, {"metadata", "generation"}).value_or(0);
  header.deleting = xebec::Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  header.paused = FindString(object, {"metadata", "annotations", "xebec.dev/paused"});
  header.reconcile_at = FindString(object, {"metadata", "annotations", "xebec.dev/reconcile-at"});
  const Json* owners = xebec::Find(object, {"metadata", "ownerReferences"});
  if (owners != nullptr && !owners->empty()) {
    header.controller.kind = FindString(owners->at(0), {"kind"});
    header.controller.uid = FindString(owners->at(0), {"uid"});
  }
  const bool ours = FindString(object, {"kind"}) == "Widget" || header.controller.kind == "Widget";
  if (ours) decoded.json = MakeObjectBytes(DumpJson(object));
  return decoded;
}

const Json* FakeCluster::Find(const ResourceType& type, const ObjectKey& key) const {
  const auto& all = objects_.at(type.plural);
  const auto found = all.find(key);
  return found == all.end() ? nullptr : &found->second;
}

std::vector<kube::DecodedObject> FakeCluster::List(const ResourceType& type) const {
  std::vector<kube::DecodedObject> list;
  for (const auto& [key, object] : All(type)) list.push_back(Decode(object));
  return list;
}

void FakeCluster::Store(const ResourceType& type, const ObjectKey& key, Json object, bool created) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  kube::WatchEvent event;
  event.type = created ? kube::WatchEventType::kAdded : kube::WatchEventType::kModified;
  event.object = Decode(object);
  event.message = EventName(created);
  log_[type.plural].push_back({version_, std::move(event)});
  objects_[type.plural][key] = std::move(object);
}

void FakeCluster::Erase(const ResourceType& type, const ObjectKey& key) {
  auto& all = objects_[type.plural];
  Json object = std::move(all.at(key));
  all.erase(key);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  deleted_[FindString(object, {"metadata", "uid"})] = true;
  kube::WatchEvent event;
  event.type = kube::WatchEventType::kDeleted;
  event.object = Decode(object);
  log_[type.plural].push_back({version_, std::move(event)});
}

void FakeCluster::SetWidget(const std::string& name, int parts, int value) {
  const ObjectKey key{kNamespace, name};
  const Json* known = Find(WidgetType(), key);
  const Json spec = {{"parts", parts}, {"value", value}};
  if (known == nullptr) {
    Json widget = {
        {"apiVersion", "example.com/v1"},
        {"kind", "Widget"},
        {"metadata",
         {{"name", name}, {"namespace", kNamespace}, {"uid", NewUid()}, {"generation", 1}}},
        {"spec", spec}};
    return Store(WidgetType(), key, std::move(widget), true);
  }
  Json widget = *known;
  if (widget["spec"] == spec || xebec::Find(widget, {"metadata", "deletionTimestamp"}) != nullptr)
    return;
  widget["spec"] = spec;
  widget["metadata"]["generation"] = widget["metadata"]["generation"].get<int64_t>() + 1;
  Store(WidgetType(), key, std::move(widget), false);
}

void FakeCluster::Delete(const ResourceType& type, const std::string& name) {
  const ObjectKey key{kNamespace, name};
  if (Find(type, key) != nullptr) Erase(type, key);
}

void FakeCluster::ForeignPart(const std::string& name, int value) {
  const ObjectKey key{kNamespace, name};
  const Json* known = Find(PartType(), key);
  Json part =
      known != nullptr
          ? *known
          : Json{{"apiVersion", "v1"},
                 {"kind", "Part"},
                 {"metadata", {{"name", name}, {"namespace", kNamespace}, {"uid", NewUid()}}}};
  if (part.contains("spec") && part["spec"]["value"] == value) return;
  part["spec"]["value"] = value;
  Store(PartType(), key, std::move(part), known == nullptr);
}

void FakeCluster::SpoilPart(const std::string& name, int value) {
  const ObjectKey key{kNamespace, name};
  Json part = *Find(PartType(), key);
  part["spec"]["value"] = value;
  Store(PartType(), key, std::move(part), false);
}

bool FakeCluster::CollectGarbage() {
  for (const auto& [key, part] : All(PartType())) {
    const std::string owner = Decode(part).header.controller.uid;
    if (owner.empty() || !WasDeleted(owner)) continue;
    const ObjectKey doomed = key;
    Erase(PartType(), doomed);
    return true;
  }
  return false;
}

Outcome FakeCluster::Done(OutcomeCode code, const Json& object) {
  Outcome outcome;
  outcome.code = code;
  outcome.certainty = Certainty::kDone;
  outcome.uid = FindString(object, {"metadata", "uid"});
  outcome.resource_version = FindString(object, {"metadata", "resourceVersion"});
  return outcome;
}

Outcome FakeCluster::Rejected(OutcomeCode code, const std::string& message) {
  Outcome outcome;
  outcome.code = code;
  outcome.certainty = Certainty::kRejected;
  outcome.message = message;
  return outcome;
}

Outcome FakeCluster::Apply(const ResourceType& type, const Json& object, bool absent,
                           const std::string& uid) {
  const ObjectKey key{FindString(object, {"metadata", "namespace"}),
                      FindString(object, {"metadata", "name"})};
  const Json* known = Find(type, key);
  if (known == nullptr && !absent) return Rejected(OutcomeCode::kStale, "gone");
  if (known == nullptr) {
    Json created = object;
    created["metadata"]["uid"] = NewUid();
    Store(type, key, std::move(created), true);
    ++writes_;
    return Done(OutcomeCode::kCreated, *Find(type, key));
  }
  const std::string owner = Decode(*known).header.controller.uid;
  const bool ours = owner == Decode(object).header.controller.uid;
  if (absent && !ours) return Rejected(OutcomeCode::kNameConflict, "held by another");
  if (!absent && FindString(*known, {"metadata", "uid"}) != uid) {
    return Rejected(OutcomeCode::kStale, "another uid");
  }
  if ((*known)["spec"] == object["spec"]) return Done(OutcomeCode::kUnchanged, *known);
  Json changed = *known;
  changed["spec"] = object["spec"];
  Store(type, key, std::move(changed), false);
  ++writes_;
  return Done(OutcomeCode::kChanged, *Find(type, key));
}

Outcome FakeCluster::Delete(const ResourceType& type, const ObjectKey& key,
                            const std::string& uid) {
  const Json* known = Find(type, key);
  if (known == nullptr) return Done(OutcomeCode::kAbsent, Json::object());
  if (FindString(*known, {"metadata", "uid"}) != uid)
    return Rejected(OutcomeCode::kStale, "another uid");
  Erase(type, key);
  ++writes_;
  return Done(OutcomeCode::kDeleted, Json::object());
}

Outcome FakeCluster::WriteStatus(const ObjectKey& key, const Json& status,
                                 const std::string& version) {
  const Json* known = Find(WidgetType(), key);
  if (known == nullptr) return Rejected(OutcomeCode::kAbsent, "gone");
  if (FindString(*known, {"metadata", "resourceVersion"}) != version) {
    return Rejected(OutcomeCode::kStale, "modified");
  }
  if (known->contains("status") && (*known)["status"] == status)
    return Done(OutcomeCode::kUnchanged, *known);
  Json changed = *known;
  changed["status"] = status;
  Store(WidgetType(), key, std::move(changed), false);
  ++writes_;
  return Done(OutcomeCode::kChanged, *Find(WidgetType(), key));
}

std::optional<std::vector<kube::WatchEvent>> FakeCluster::EventsAfter(const ResourceType& type,
                                                                      int64_t version,
                                                                      size_t limit) const {
  if (version < compacted_) {
    const auto log = log_.find(type.plural);
    const bool missed = log != log_.end() && !log->second.empty();
    if (missed) return std::nullopt;
  }
  std::vector<kube::WatchEvent> events;
  const auto log = log_.find(type.plural);
  if (log == log_.end()) return events;
  auto next = std::upper_bound(log->second.begin(), log->second.end(), version,
                               [](int64_t v, const Logged& logged) { return v < logged.version; });
  for (; next != log->second.end() && events.size() < limit; ++next) events.push_back(next->event);
  return events;
}

}  // namespace xebec::watcher::testing
