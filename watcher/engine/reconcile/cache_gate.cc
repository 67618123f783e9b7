// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/cache_gate.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_split.h"
#include "common/base/json.h"
#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

auto Fields(const Requirement& r) {
  return std::tie(r.watch, r.object, r.uid, r.version, r.baseline, r.deleted_version, r.covered,
                  r.of_parent, r.lists, r.listed, r.doubted);
}

// nullopt: cannot be told.
std::optional<bool> AtLeast(const std::string& version, const std::string& wanted) {
  const auto order = kube::CompareVersions(version, wanted);
  if (!order.has_value()) return std::nullopt;
  return *order >= 0;
}

/// True if the cache has not come as far as this version. False for the empty version.
bool IsBehind(const Reflector& reflector, const std::string& version) {
  return !version.empty() && !AtLeast(reflector.store().watermark(), version).value_or(true);
}

// A list that began before the deletion may bring the object, if the watch has lost its creation.
GateState CheckDeletion(const Requirement& requirement, const Reflector& reflector,
                        const StoredObject* object) {
  const bool same = object != nullptr && object->uid == requirement.uid;
  if (same) return object->deleting ? GateState::kOpen : GateState::kWaiting;
  const bool lists = reflector.cache().lists().begun > reflector.cache().lists().taken;
  const bool yet_to_come = IsBehind(reflector, requirement.baseline) ||
                           (lists && IsBehind(reflector, requirement.deleted_version));
  return yet_to_come ? GateState::kWaiting : GateState::kOpen;
}

bool Shows(const Requirement& requirement, const StoredObject& object) {
  const std::optional<bool> reached = AtLeast(object.resource_version, requirement.version);
  if (reached.has_value()) return *reached;
  return object.resource_version == requirement.version ||
         object.resource_version != requirement.baseline;  // any newer event of it will do
}

bool LabelsMatch(const Json& object, const std::string& selector) {
  for (const absl::string_view part : absl::StrSplit(selector, ',', absl::SkipEmpty())) {
    const std::vector<std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].find_first_of(" !()") != std::string::npos) return false;
    const std::string value = sides[1].substr(sides[1].rfind('=') + 1);  // "=="
    if (FindString(object, {"metadata", "labels", sides[0]}) != value) return false;
  }
  return true;
}

bool ControlledBy(const Json& object, const std::string& uid) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return false;
  for (const Json& owner : *owners) {
    if (FindBool(owner, {"controller"}).value_or(false) && FindString(owner, {"uid"}) == uid)
      return true;
  }
  return false;
}

ObjectRef RefOf(const CacheGate::View& view, const Requirement& requirement) {
  return {view.cache.watches().reflector(requirement.watch).spec().type, requirement.object.ns,
          requirement.object.name};
}

bool MayDoubt(const CacheGate::View& view, WatchId watch, const GateFindings& findings) {
  return view.cache.watches().MayDoubt(watch, view.now) &&
         std::none_of(findings.missing.begin(), findings.missing.end(),
                      [watch](const auto& missing) { return missing.watch == watch; });
}

void AddMissing(const CacheGate::View& view, const Requirement& requirement,
                GateFindings* findings) {
  findings->missing.push_back({requirement.watch, RefOf(view, requirement), requirement.version});
}

}  // namespace

bool operator==(const Requirement& a, const Requirement& b) {
  const bool same_bytes =
      a.desired == b.desired || (a.desired && b.desired && *a.desired == *b.desired);
  return Fields(a) == Fields(b) && same_bytes;
}

bool CacheGate::Covers(const ObjectVersion& write) const {
  return std::any_of(requirements_.begin(), requirements_.end(), [&](const Requirement& each) {
    return each.covered && each.watch == write.watch && each.object == write.object &&
           each.version == write.version;
  });
}

GateState CheckRequirement(const Requirement& requirement, const Reflector& reflector) {
  if (reflector.availability() == Availability::kUnavailable) return GateState::kOpen;
  const ObjectStore& store = reflector.store();
  const StoredObject* object = store.Find(requirement.object);
  if (requirement.version.empty()) return CheckDeletion(requirement, reflector, object);
  if (object != nullptr && Shows(requirement, *object)) return GateState::kOpen;
  if (object == nullptr && !requirement.uid.empty() && store.SawDeletion(requirement.uid)) {
    return GateState::kOpen;
  }
  if (!AtLeast(store.watermark(), requirement.version).value_or(false)) return GateState::kWaiting;
  const bool gone_since = object == nullptr && (requirement.of_parent || requirement.uid.empty());
  return gone_since ? GateState::kOpen : GateState::kLost;
}

bool BelongsInCache(const std::string& desired, const ResourceSpec& spec,
                    const std::string& parent_uid) {
  const absl::StatusOr<Json> object = ParseJson(desired);
  if (!object.ok() || !LabelsMatch(*object, spec.label_selector)) return false;
  if (spec.projection.controller_kinds.empty() && !spec.projection.keep.active()) return true;
  const std::string& label = spec.projection.parent_label;
  const bool labelled =
      !label.empty() && !FindString(*object, {"metadata", "labels", label}).empty();
  return labelled || ControlledBy(*object, parent_uid);
}

bool CacheGate::Check(const View& view, GateFindings* findings) {
  std::erase_if(requirements_, [&](Requirement& each) { return Meets(view, &each, findings); });
  return requirements_.empty();
}

bool CacheGate::DoubtDeletions(const View& view, GateFindings* findings) {
  std::erase_if(requirements_, [&](Requirement& each) {
    if (!each.version.empty()) return false;
    const Reflector& reflector = view.cache.watches().reflector(each.watch);
    return !IsBehind(reflector, each.deleted_version) && Doubt(view, &each, findings);
  });
  return requirements_.empty();
}

void CacheGate::DoubtAll(const View& view, GateFindings* findings) const {
  for (const Requirement& each : requirements_) {
    if (MayDoubt(view, each.watch, *findings)) AddMissing(view, each, findings);
  }
}

bool CacheGate::Meets(const View& view, Requirement* requirement, GateFindings* findings) {
  if (!view.cache.watches().Active(requirement->watch)) return true;
  switch (CheckRequirement(*requirement, view.cache.watches().reflector(requirement->watch))) {
    case GateState::kOpen:
      return true;
    case GateState::kWaiting:
      return false;
    case GateState::kLost:
      return Doubt(view, requirement, findings);
  }
  return false;
}

// The cache should show the write and does not. Either the watch never shows the object, or the
// watch has lost an event, or the object came and went unseen: a list tells. True when the write is
// not waited for any more.
bool CacheGate::Doubt(const View& view, Requirement* requirement, GateFindings* findings) {
  const Reflector& reflector = view.cache.watches().reflector(requirement->watch);
  const bool listed_since = reflector.availability() == Availability::kReady &&
                            reflector.cache().lists().taken > requirement->lists;
  if (listed_since) {
    findings->vanished.push_back(RefOf(view, *requirement));
    return true;
  }
  // Once the parent's bucket has moved, the cache forgets its objects without a deletion.
  const std::string parent = view.parent_uid;
  if (!reflector.spec().projection.keep.Keeps(parent, parent, /*parent_label=*/"")) return true;
  const bool cached = reflector.store().Find(requirement->object) != nullptr;
  const bool deletion = requirement->version.empty();
  const bool expected = cached || deletion || requirement->listed ||
                        (requirement->desired != nullptr &&
                         BelongsInCache(*requirement->desired, reflector.spec(), view.parent_uid));
  if (!expected) return true;
  if (requirement->doubted || !MayDoubt(view, requirement->watch, *findings)) return false;
  requirement->doubted = true;
  AddMissing(view, *requirement, findings);
  return false;
}

void WatermarkWaits::Add(const CacheGate& gate, KeyId key) {
  for (const Requirement& each : gate.requirements()) {
    const std::string& version = each.version.empty() ? each.baseline : each.version;
    for (const std::string& wanted : {version, each.deleted_version}) {
      if (!wanted.empty()) waits_[each.watch].insert({{wanted.size(), wanted}, key});
    }
  }
}

std::vector<KeyId> WatermarkWaits::Passed(WatchId watch, const std::string& watermark) {
  std::vector<KeyId> keys;
  const auto waits = waits_.find(watch);
  if (waits == waits_.end()) return keys;
  const Version limit{watermark.size(), watermark};
  auto& waiting = waits->second;
  while (!waiting.empty() && waiting.begin()->first <= limit) {
    keys.push_back(waiting.begin()->second);
    waiting.erase(waiting.begin());
  }
  if (waiting.empty()) waits_.erase(waits);
  return keys;
}

}  // namespace xebec::watcher
