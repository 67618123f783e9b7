// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/fake_cluster.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher::testing {
namespace {

constexpr char kNamespace[] = "default";

const char* EventName(bool created) { return created ? "ADDED" : "MODIFIED"; }

bool IsMarked(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool HasFinalizer(const Json& object) {
  const Json* list = Find(object, {"metadata", "finalizers"});
  return list != nullptr && !list->empty();
}

std::string ScrapOwner(const Json& scrap) {
  return FindString(scrap, {"metadata", "labels", kWidgetUidLabel});
}

Json MakeScrap(const std::string& name, const std::string& uid, const std::string& widget,
               const std::string& widget_uid) {
  return {{"apiVersion", "v1"},
          {"kind", "Scrap"},
          {"metadata",
           {{"name", name},
            {"namespace", kNamespace},
            {"uid", uid},
            {"labels", {{kWidgetLabel, widget}, {kWidgetUidLabel, widget_uid}}}}}};
}

}  // namespace

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
  header.parent_label = FindString(object, {"metadata", "labels", kWidgetLabel});
  const bool ours = FindString(object, {"kind"}) == "Widget" ||
                    FindString(object, {"kind"}) == "Operator" ||
                    header.controller.kind == "Widget" || !header.parent_label.empty();
  if (ours) decoded.json = MakeObjectBytes(DumpJson(object));
  return decoded;
}

const Json* FakeCluster::Find(const ResourceType& type, const ObjectKey& key) const {
  const auto& all = objects_.at(type.plural);
  const auto found = all.find(key);
  return found == all.end() ? nullptr : &found->second;
}

std::vector<kube::DecodedObject> FakeCluster::List(const ResourceType& type,
                                                   const std::string& ns) const {
  std::vector<kube::DecodedObject> list;
  for (const auto& [key, object] : All(type)) {
    if (ns.empty() || key.ns == ns) list.push_back(Decode(object));
  }
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

bool FakeCluster::SetWidget(const std::string& name, int parts, int value, const std::string& ns) {
  return SetSpec({ns, name}, {{"parts", parts}, {"value", value}});
}

bool FakeCluster::NamePart(const std::string& widget, const std::string& part) {
  return SetSpec({"default", widget}, {{"parts", 1}, {"value", 7}, {"name", part}});
}

bool FakeCluster::SetSpec(const ObjectKey& key, const Json& spec) {
  const Json* known = Find(WidgetType(), key);
  if (known == nullptr) {
    Json widget = {
        {"apiVersion", "example.com/v1"},
        {"kind", "Widget"},
        {"metadata",
         {{"name", key.name}, {"namespace", key.ns}, {"uid", NewUid()}, {"generation", 1}}},
        {"spec", spec}};
    Store(WidgetType(), key, std::move(widget), true);
    return true;
  }
  Json widget = *known;
  if (IsMarked(widget)) return false;
  if (widget["spec"] == spec) return true;
  widget["spec"] = spec;
  widget["metadata"]["generation"] = widget["metadata"]["generation"].get<int64_t>() + 1;
  Store(WidgetType(), key, std::move(widget), false);
  return true;
}

void FakeCluster::Delete(const ResourceType& type, const std::string& name) {
  const ObjectKey key{kNamespace, name};
  const Json* known = Find(type, key);
  if (known == nullptr) return;
  const bool lingers = type == ScrapType() || HasFinalizer(*known);
  lingers ? Mark(type, key) : Erase(type, key);
}

void FakeCluster::Mark(const ResourceType& type, const ObjectKey& key) {
  Json object = *Find(type, key);
  if (IsMarked(object)) return;
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  Store(type, key, std::move(object), false);
}

void FakeCluster::AddScrap(const std::string& widget) {
  const std::string uid =
      FindString(*Find(WidgetType(), {kNamespace, widget}), {"metadata", "uid"});
  const ObjectKey key{kNamespace, widget + "-scrap"};
  Store(ScrapType(), key, MakeScrap(key.name, NewUid(), widget, uid), true);
}

void FakeCluster::ForeignScrap(const std::string& widget, const std::string& name) {
  const ObjectKey key{kNamespace, name};
  if (Find(ScrapType(), key) == nullptr) {
    Store(ScrapType(), key, MakeScrap(name, NewUid(), widget, "other"), true);
  }
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
  return CollectOrphan(PartType()) || CollectOrphan(GadgetType()) || (makes_scraps && RunScraps());
}

bool FakeCluster::CollectOrphan(const ResourceType& type) {
  for (const auto& [key, object] : All(type)) {
    const std::string owner = Decode(object).header.controller.uid;
    if (owner.empty() || !WasDeleted(owner)) continue;
    const ObjectKey to_delete = key;
    Erase(type, to_delete);
    return true;
  }
  return false;
}

bool FakeCluster::RunScraps() {
  for (const auto& [key, scrap] : All(ScrapType())) {
    if (!IsMarked(scrap)) continue;
    const ObjectKey ended = key;
    Erase(ScrapType(), ended);
    return true;
  }
  for (const auto& [key, part] : All(PartType())) {
    const kube::ControllerReference owner = Decode(part).header.controller;
    const ObjectKey made{kNamespace, key.name + "-scrap"};
    if (owner.uid.empty() || Find(ScrapType(), made) != nullptr) continue;
    const std::string widget = FindString(part["metadata"]["ownerReferences"][0], {"name"});
    Store(ScrapType(), made, MakeScrap(made.name, NewUid(), widget, owner.uid), true);
    return true;
  }
  return false;
}

bool FakeCluster::HasPart(const std::string& widget_uid) const {
  const Objects& parts = All(PartType());
  return std::any_of(parts.begin(), parts.end(), [&](const auto& each) {
    return Decode(each.second).header.controller.uid == widget_uid;
  });
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

Outcome FakeCluster::Applied(OutcomeCode code, const Json& object) {
  Outcome outcome = Done(code, object);
  outcome.as_desired = true;
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
    return Applied(OutcomeCode::kCreated, *Find(type, key));
  }
  const std::string owner = Decode(*known).header.controller.uid;
  const bool ours = owner == Decode(object).header.controller.uid;
  if (absent && !ours) {
    Outcome conflict = Rejected(OutcomeCode::kNameConflict, "held by another");
    conflict.holder_uid = owner;
    return conflict;
  }
  if (!absent && FindString(*known, {"metadata", "uid"}) != uid) {
    return Rejected(OutcomeCode::kStale, "another uid");
  }
  Json changed = *known;
  changed["spec"] = object["spec"];
  if (const Json* notes = xebec::Find(object, {"metadata", "annotations"})) {
    changed["metadata"]["annotations"] = *notes;
  }
  if (changed == *known) return Applied(OutcomeCode::kUnchanged, *known);
  Store(type, key, std::move(changed), false);
  ++writes_;
  return Applied(OutcomeCode::kChanged, *Find(type, key));
}

Outcome FakeCluster::Delete(const ResourceType& type, const ObjectKey& key,
                            const std::string& uid) {
  const Json* known = Find(type, key);
  if (known == nullptr) return Done(OutcomeCode::kAbsent, Json::object());
  if (FindString(*known, {"metadata", "uid"}) != uid)
    return Rejected(OutcomeCode::kStale, "another uid");
  ++writes_;
  if (type == ScrapType()) {
    const std::string owner = ScrapOwner(*known);
    if (owner == "other") wrongs.push_back(key.name + " of another owner was deleted");
    if (HasPart(owner)) wrongs.push_back(key.name + " went before the parts");
    Mark(type, key);
    Outcome outcome = Done(OutcomeCode::kDeleted, Json::object());
    outcome.terminating = true;
    return outcome;
  }
  Erase(type, key);
  Outcome outcome = Done(OutcomeCode::kDeleted, Json::object());
  outcome.resource_version = version();
  return outcome;
}

Outcome FakeCluster::SetFinalizer(const ResourceType& type, const ObjectKey& key,
                                  const Precondition& need, const std::string& finalizer,
                                  bool present) {
  const Json* known = Find(type, key);
  if (known == nullptr) return Done(OutcomeCode::kAbsent, Json::object());
  const std::string uid = FindString(*known, {"metadata", "uid"});
  if (uid != need.uid ||
      FindString(*known, {"metadata", "resourceVersion"}) != need.resource_version) {
    return Rejected(OutcomeCode::kStale, "another uid or version");
  }
  if (present && IsMarked(*known)) return Rejected(OutcomeCode::kStale, "being deleted");
  Json changed = *known;
  Json list = Json::array();
  if (HasFinalizer(changed)) list = changed["metadata"]["finalizers"];
  const auto place = std::find(list.begin(), list.end(), finalizer);
  if ((place != list.end()) == present) return Done(OutcomeCode::kUnchanged, *known);
  present ? list.push_back(finalizer) : static_cast<void>(list.erase(place));
  changed["metadata"]["finalizers"] = std::move(list);
  ++writes_;
  Store(type, key, std::move(changed), false);
  const Json& stored = *Find(type, key);
  const Outcome outcome = Done(OutcomeCode::kChanged, stored);
  if (present || !IsMarked(stored)) return outcome;
  CheckRelease(type, key, finalizer);
  if (!HasFinalizer(stored)) Erase(type, key);
  return outcome;
}

// What goes with an object must be gone before its finalizer.
void FakeCluster::CheckRelease(const ResourceType& type, const ObjectKey& key,
                               const std::string& finalizer) {
  if (type == OperatorType()) return CheckRelease(key.name);
  if (finalizer != kWidgetFinalizer) return;
  const std::string uid = FindString(*Find(type, key), {"metadata", "uid"});
  if (HasPart(uid)) wrongs.push_back(key.name + " was let go before its parts");
  for (const auto& [name, scrap] : All(ScrapType())) {
    if (ScrapOwner(scrap) == uid) wrongs.push_back(key.name + " was let go before " + name.name);
  }
}

Outcome FakeCluster::WriteStatus(const ResourceType& type, const ObjectKey& key, const Json& status,
                                 const std::string& version) {
  const Json* known = Find(type, key);
  if (known == nullptr) return Rejected(OutcomeCode::kAbsent, "gone");
  if (FindString(*known, {"metadata", "resourceVersion"}) != version) {
    return Rejected(OutcomeCode::kStale, "modified");
  }
  if (known->contains("status") && (*known)["status"] == status)
    return Done(OutcomeCode::kUnchanged, *known);
  Json changed = *known;
  changed["status"] = status;
  Store(type, key, std::move(changed), false);
  ++writes_;
  return Done(OutcomeCode::kChanged, *Find(type, key));
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
