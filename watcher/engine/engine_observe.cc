// SPDX-License-Identifier: Apache-2.0
// EngineCore: what a planner sees.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/model/names.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

constexpr size_t kDigestDigits = 32;

// Versions stand for contents: an object of one uid and resourceVersion has one content.
std::string DigestOf(const Observation& observation, const std::string& versions) {
  std::string text = absl::StrCat(observation.envelope.parent.uid, "@",
                                  observation.envelope.parent.resource_version, ";", versions);
  for (const Outcome& outcome : observation.last_outcomes) {
    absl::StrAppend(&text, outcome.operation, "=", std::string(Name(outcome.code)), "#",
                    outcome.repeats, ";");
  }
  return ShortDigest(text, kDigestDigits);
}

}  // namespace

Envelope EngineCore::EnvelopeOf(KeyId key, const StoredObject& parent) const {
  Envelope envelope;
  envelope.parent = {RefOf(key), parent.uid, parent.resource_version, parent.generation};
  envelope.controller = CachedOf(key).kind.controller;
  envelope.bucket = BucketOf(parent.uid.str(), leadership.buckets());
  envelope.bucket_count = leadership.buckets();
  envelope.epoch = leadership.Epoch(envelope.bucket);
  envelope.watcher = identity;
  envelope.planner_revision = cache.revision();
  return envelope;
}

Observation EngineCore::Observe(KeyId key, const Pass* pass, const StoredObject& parent,
                                std::set<std::string>* shown) const {
  const CachedController& controller = CachedOf(key);
  Observation observation;
  observation.envelope = EnvelopeOf(key, parent);
  observation.phase = parent.deleting ? Phase::kFinalize : Phase::kSync;
  observation.now = now.wall;
  observation.parent = parent.json;
  Seen seen;
  observation.children = Children(key, pass, &seen);
  observation.related = Related(key, &seen.versions);
  observation.last_outcomes = keys.at(key).outcomes.All();
  const bool live = pass != nullptr && pass->live_parent.has_value();
  observation.freshness = live ? Freshness::kLive : Freshness::kCached;
  if (const auto own = options.configuration.find(controller.kind.controller);
      own != options.configuration.end()) {
    observation.configuration = own->second;
  }
  observation.without_status = !cache.reflector(ParentWatch(key)).status_subresource();
  observation.envelope.observation_digest = DigestOf(observation, seen.versions);
  if (shown != nullptr) shown->merge(seen.children);
  return observation;
}

bool EngineCore::OwnedByRule(const ChildRule& rule, const KeyRecord& record,
                             const ObjectKey& object, const StoredObject& child) const {
  if (child.owner_uid == record.uid) return true;
  return !rule.parent_label.empty() && object.ns == record.name.ns &&
         child.parent_label() == LabelValue(record.name.name);
}

std::vector<ObjectGroup> EngineCore::Children(KeyId key, const Pass* pass, Seen* seen) const {
  const CachedController& controller = CachedOf(key);
  const KeyRecord& record = keys.at(key);
  std::vector<ObjectGroup> groups;
  for (size_t i = 0; i < controller.children.size(); ++i) {
    const ChildRule& rule = controller.kind.children[i];
    const bool twice = std::any_of(groups.begin(), groups.end(), [&](const ObjectGroup& group) {
      return group.type == rule.type;
    });
    if (twice) continue;
    if (pass != nullptr && pass->live.contains(rule.type)) {
      groups.push_back({rule.type, pass->live.at(rule.type), true});
      continue;
    }
    const std::vector<WatchId> seeing = controller.children[i].Seeing(record.name.ns);
    if (!cache.Readable(seeing)) continue;  // not looked
    ObjectGroup group{rule.type, {}, false};
    for (const WatchId id : seeing) {
      AddCached(rule, record, cache.store(id), &group, seen);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

void EngineCore::AddCached(const ChildRule& rule, const KeyRecord& record, const ObjectStore& store,
                           ObjectGroup* group, Seen* seen) const {
  std::vector<ObjectKey> names = store.OwnedBy(record.uid);
  if (!rule.parent_label.empty()) {
    const std::vector<ObjectKey>& labelled =
        store.Labelled(record.name.ns, LabelValue(record.name.name));
    names.insert(names.end(), labelled.begin(), labelled.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  for (const ObjectKey& name : names) {
    const StoredObject& object = *store.Find(name);
    group->objects.push_back(object.json);
    absl::StrAppend(&seen->versions, object.uid.str(), "@", object.resource_version, ";");
    seen->children.insert(object.uid);
  }
}

// A planner knows other uids too: of what holds a name, of what only outlines the situation.
const Operation* EngineCore::TouchesAStranger(KeyId key, const Plan& plan) const {
  const Pass& pass = passes.at(key);
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const std::string& uid = operation.precondition.uid;
      if (!uid.empty() && uid != pass.parent.uid && !pass.shown.contains(uid)) return &operation;
    }
  }
  return nullptr;
}

std::vector<ObjectGroup> EngineCore::Related(KeyId key, std::string* versions) const {
  const CachedController& controller = CachedOf(key);
  const std::string& ns = keys.at(key).name.ns;
  std::vector<ObjectGroup> groups;
  for (size_t i = 0; i < controller.related.size(); ++i) {
    const std::vector<WatchId> seeing = controller.related[i].Seeing(ns);
    if (!cache.Readable(seeing)) continue;
    ObjectGroup group{controller.kind.related[i].type, {}, false};
    const bool all = ns.empty() || group.type.cluster_scoped;
    for (const WatchId id : seeing) {
      const auto& objects = cache.store(id).objects();
      for (auto it = all ? objects.begin() : objects.lower_bound({ns, ""}); it != objects.end();
           ++it) {
        if (!all && it->first.ns != ns) break;
        group.objects.push_back(it->second.json);
        absl::StrAppend(versions, it->second.uid.str(), "@", it->second.resource_version, ";");
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace xebec::watcher
