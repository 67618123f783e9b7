// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/observe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/model/names.h"
#include "watcher/engine/queue/name_cycles.h"

namespace xebec::watcher {
namespace {

constexpr size_t kDigestDigits = 32;
constexpr size_t kReconcileIdDigits = 16;

// The contents taken from caches, by uid and version, and the uids of children.
struct Seen {
  std::string versions;
  std::set<std::string> children;

  void Add(const StoredObject& object) {
    absl::StrAppend(&versions, object.uid.str(), "@", object.resource_version, ";");
  }
};

// Versions stand for contents: an object of one uid and resourceVersion has one content.
std::string DigestOf(const Observation& observation, const std::string& versions) {
  std::string text = absl::StrCat(observation.envelope.parent.uid, "@",
                                  observation.envelope.parent.resource_version, ";", versions);
  for (const Outcome& outcome : observation.last_outcomes) {
    absl::StrAppend(&text, outcome.operation, "=", std::string(Name(outcome.code)), "#",
                    outcome.repeats, ";");
  }
  if (const auto& facts = observation.declaration_facts) {
    absl::StrAppend(&text, facts->parents, ",", facts->problems, ",", facts->released, ",",
                    facts->refusal, ";");
    if (facts->hook) absl::StrAppend(&text, facts->hook->revision, facts->hook->message, ";");
  }
  if (observation.events) {
    for (const ObjectBytes& event : observation.events->objects)
      absl::StrAppend(&text, *event, ";");
  }
  for (const ObjectRef& ref : observation.release) {
    absl::StrAppend(&text, "release ", Describe(ref), ";");
  }
  return ShortDigest(text, kDigestDigits);
}

Envelope EnvelopeOf(const KeyContext& key, const StoredObject& parent) {
  Envelope envelope;
  envelope.parent = {key.ref(), parent.uid, parent.resource_version, parent.generation};
  envelope.controller = key.controller().kind.controller;
  envelope.bucket_count = key.leadership.buckets();
  envelope.bucket = BucketOf(envelope.parent.uid, envelope.bucket_count);
  envelope.epoch = key.leadership.Epoch(envelope.bucket);
  envelope.watcher = key.identity;
  envelope.planner_revision = key.cache.revision();
  return envelope;
}

void Add(const StoredObject& object, ObjectGroup* group, Seen* seen) {
  group->objects.push_back(object.json.Unpack());
  seen->Add(object);
  seen->children.insert(object.uid);
}

// Calls call(store) for each cache that may have children of the key.
template <typename Call>
void ForChildStores(const KeyContext& key, const Call& call) {
  for (const WatchSet& watches : key.controller().children) {
    for (const WatchId id : watches.Seeing(key.record.name.ns)) call(key.cache.store(id));
  }
}

using SingleObjects = std::map<ObjectKey, std::optional<StoredObject>>;

// Adds the cached children but for those in `replaced`.
void AddCached(const ChildRule& rule, const KeyRecord& record, const ObjectStore& store,
               const SingleObjects& replaced, ObjectGroup* group, Seen* seen) {
  std::vector<Slot> slots = store.OwnedBy(record.uid);
  if (!rule.parent_label.empty()) {
    const std::vector<Slot> labelled = store.Labelled(record.name.ns, LabelValue(record.name.name));
    slots.insert(slots.end(), labelled.begin(), labelled.end());
  }
  store.Sort(&slots);
  for (const Slot slot : slots) {
    const bool cached = replaced.empty() || !replaced.contains(store.objects().KeyOf(slot));
    if (cached) Add(store.objects().at(slot), group, seen);
  }
}

std::vector<ObjectGroup> Children(const KeyContext& key, const LiveObjects& live, Seen* seen) {
  static const SingleObjects none;
  const CachedController& controller = key.controller();
  std::vector<ObjectGroup> groups;
  for (size_t i = 0; i < controller.children.size(); ++i) {
    const ChildRule& rule = controller.kind.children[i];
    const bool twice = std::any_of(groups.begin(), groups.end(), [&](const ObjectGroup& group) {
      return group.type == rule.type;
    });
    if (twice) continue;
    if (const auto read = live.children.find(rule.type); read != live.children.end()) {
      groups.push_back({rule.type, read->second, true});
      continue;
    }
    const std::vector<WatchId> seeing = controller.children[i].Seeing(key.record.name.ns);
    if (!key.cache.watches().Readable(seeing)) continue;  // an unread kind
    ObjectGroup group{rule.type, {}, false};
    const auto found = live.single.find(rule.type);
    const SingleObjects& single = found == live.single.end() ? none : found->second;
    for (const WatchId id : seeing) {
      AddCached(rule, key.record, key.cache.store(id), single, &group, seen);
    }
    for (const auto& [name, object] : single) {
      if (object && OwnedByRule(rule, key.record, name, *object)) Add(*object, &group, seen);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<ObjectGroup> Related(const KeyContext& key, Seen* seen) {
  const CachedController& controller = key.controller();
  const std::string& ns = key.record.name.ns;
  std::vector<ObjectGroup> groups;
  for (size_t i = 0; i < controller.related.size(); ++i) {
    const std::vector<WatchId> seeing = controller.related[i].Seeing(ns);
    if (!key.cache.watches().Readable(seeing)) continue;
    ObjectGroup group{controller.kind.related[i].type, {}, false};
    const bool all = ns.empty() || group.type.cluster_scoped;
    for (const WatchId id : seeing) {
      for (const StoredObject* object : key.cache.store(id).InNamespace(all ? "" : ns)) {
        group.objects.push_back(object->json.Unpack());
        seen->Add(*object);
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// What this parent must delete first because a cycle of parents waits for it.
std::vector<ObjectRef> ReleaseOf(const KeyContext& key) {
  if (key.record.wanted.empty()) return {};
  const std::optional<KeyId> id = key.keys.FindUid(key.record.controller, key.record.uid);
  if (!id) return {};
  const std::optional<NameCycle> cycle = FindNameCycle(key.keys, key.cache, *id);
  if (!cycle || cycle->breaker != *id) return {};
  return {cycle->left};
}

DeclarationFacts FactsOf(const KeyContext& key, const std::string& name) {
  DeclarationFacts facts = key.declarations.FactsOf(name);
  const std::string refusal = key.cache.RefusalOf(name);
  if (!refusal.empty()) facts.refusal = refusal;
  return facts;
}

void AddDeclaration(const KeyContext& key, Observation* observation) {
  const CachedController& controller = key.controller();
  if (controller.kind.declares) {
    observation->declaration_facts = FactsOf(key, key.record.name.name);
    return;
  }
  if (controller.version.empty()) return;
  const Declared* declared = key.declarations.Find(controller.kind.controller);
  if (declared == nullptr) return;
  observation->declaration = declared->object;
  observation->declared_resources = key.declarations.ServedFor(*declared);
}

}  // namespace

Observation Observe(const KeyContext& key, const StoredObject& parent, const LiveObjects& live,
                    std::set<std::string>* shown) {
  Observation observation;
  ForChildStores(key,
                 [&key](const ObjectStore& store) { store.PrefetchOwnedIndex(key.record.uid); });
  observation.envelope = EnvelopeOf(key, parent);
  ForChildStores(key, [&key](const ObjectStore& store) { store.PrefetchOwned(key.record.uid); });
  observation.phase = parent.deleting ? Phase::kFinalize : Phase::kSync;
  observation.now = key.now.wall;
  observation.parent = parent.json.Unpack();
  Seen seen;
  observation.children = Children(key, live, &seen);
  observation.related = Related(key, &seen);
  observation.events = live.events;
  observation.last_outcomes = key.outcomes();
  observation.release = ReleaseOf(key);
  observation.freshness = live.parent ? Freshness::kLive : Freshness::kCached;
  AddDeclaration(key, &observation);
  const WatchId parents = key.cache.ParentWatch(key.record.controller, key.record.name.ns);
  observation.without_status = !key.cache.watches().reflector(parents).subresources().status;
  absl::StrAppend(&seen.versions, key.controller().version);
  observation.envelope.observation_digest = DigestOf(observation, seen.versions);
  if (shown != nullptr) shown->merge(seen.children);
  return observation;
}

std::string ReconcileId(const std::string& identity, uint64_t sequence) {
  return ShortDigest(absl::StrCat(identity, "/", sequence), kReconcileIdDigits);
}

}  // namespace xebec::watcher
