// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/live_objects.h"

#include <algorithm>

#include "common/model/names.h"
#include "common/model/observation.h"
#include "watcher/engine/reconcile/requirements.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMaxSingleReads = 64;

bool TakeParent(const KeyContext& key, const LiveReads& reads, LiveObjects* live, CacheGate* gate) {
  const ObjectRef ref = key.ref();
  for (const LiveRead& read : reads.reads()) {
    if (read.ref != ref || read.found.empty()) continue;
    const StoredObject& parent = read.found.front().second;
    if (parent.uid != key.record.uid) return false;
    live->parent = parent;
    RequireShown(key, ref, parent, gate);
    return true;
  }
  return false;
}

void TakeLists(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
               std::set<std::string>* shown, CacheGate* gate) {
  for (const LiveRead& read : reads.reads()) {
    if (read.ref.name.empty()) live->children[read.ref.type].clear();
  }
  for (const LiveRead& read : reads.reads()) {
    if (!read.ref.name.empty()) continue;
    std::vector<ObjectBytes>& group = live->children[read.ref.type];
    for (const ChildRule& rule : key.controller().kind.children) {
      if (rule.type != read.ref.type) continue;
      std::map<ObjectKey, ObjectBytes> mine;
      for (const auto& [name, object] : read.found) {
        if (!OwnedByRule(rule, key.record, name, object)) continue;
        mine[name] = object.json.Unpack();
        shown->insert(object.uid);
        RequireShown(key, {read.ref.type, name.ns, name.name}, object, gate);
      }
      for (const auto& [name, bytes] : mine) group.push_back(bytes);
    }
  }
}

void TakeObjects(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
                 std::set<std::string>* shown, CacheGate* gate) {
  live->single.clear();
  live->children.clear();  // older lists lack own writes
  for (const LiveRead& read : reads.reads()) {
    const ObjectRef& ref = read.ref;
    if (ref.name.empty() || ref == key.ref()) continue;
    std::optional<StoredObject>& single = live->single[ref.type][{ref.ns, ref.name}];
    if (read.found.empty()) continue;
    single = read.found.front().second;
    RequireShown(key, ref, *single, gate);
    for (const ChildRule& rule : key.controller().kind.children) {
      const bool mine =
          rule.type == ref.type && OwnedByRule(rule, key.record, {ref.ns, ref.name}, *single);
      if (mine) shown->insert(single->uid);
    }
  }
}

ObjectGroup TakeEvents(const LiveReads& reads) {
  ObjectGroup events{LiveReads::EventType(), {}, true};
  for (const LiveRead& read : reads.reads()) {
    for (const auto& [name, event] : read.found) events.objects.push_back(event.json.Unpack());
  }
  return events;
}

}  // namespace

bool operator==(const LiveObjects& a, const LiveObjects& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.first == y.first &&
           ObjectGroup{x.first, x.second, true} == ObjectGroup{y.first, y.second, true};
  };
  return a.parent == b.parent && a.single == b.single && a.events == b.events &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same);
}

bool TakeLive(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
              std::set<std::string>* shown, CacheGate* gate) {
  if (reads.purpose() == ReadPurpose::kEvents) {
    live->events = TakeEvents(reads);
    return true;
  }
  if (reads.purpose() == ReadPurpose::kAll) {
    if (!TakeParent(key, reads, live, gate)) return false;
    TakeObjects(key, reads, live, shown, gate);
  }
  TakeLists(key, reads, live, shown, gate);
  return true;
}

std::vector<ObjectRef> LaggingObjects(const KeyContext& key, const CacheGate& gate) {
  std::set<ObjectRef> objects = {key.ref()};
  for (const Requirement& each : gate.requirements()) {
    const ResourceType& type = key.cache.watches().reflector(each.watch).spec().type;
    objects.insert({type, each.object.ns, each.object.name});
  }
  if (objects.size() <= kMaxSingleReads) return {objects.begin(), objects.end()};
  std::vector<ObjectRef> lists = ListsOf(key, nullptr);
  lists.push_back(key.ref());
  return lists;
}

bool OwnedByRule(const ChildRule& rule, const KeyRecord& record, const ObjectKey& name,
                 const StoredObject& child) {
  if (child.owner_uid == record.uid) return true;
  return !rule.parent_label.empty() && name.ns == record.name.ns &&
         child.parent_label() == LabelValue(record.name.name);
}

std::optional<LiveReads> RequestedReads(const Plan& plan, const KeyContext& key) {
  if (!plan.event_reads.empty()) return LiveReads(ReadPurpose::kEvents, plan.event_reads);
  if (plan.live_lists.empty()) return std::nullopt;
  return LiveReads(ReadPurpose::kLists, ListsOf(key, &plan.live_lists));
}

std::vector<ObjectRef> ListsOf(const KeyContext& key, const std::vector<ResourceType>* only) {
  const CachedController& controller = key.controller();
  const std::string& ns = key.record.name.ns;
  std::vector<ObjectRef> lists;
  for (size_t i = 0; i < controller.children.size(); ++i) {
    const ResourceType& type = controller.kind.children[i].type;
    const bool wanted = only == nullptr
                            ? key.cache.watches().Readable(controller.children[i].Seeing(ns))
                            : std::find(only->begin(), only->end(), type) != only->end();
    if (!wanted) continue;
    for (const auto& [watched, id] : controller.children[i].all()) {
      if (!ns.empty() && !watched.empty() && watched != ns) continue;
      const ObjectRef list{type, type.cluster_scoped || ns.empty() ? watched : ns, ""};
      if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    }
  }
  return lists;
}

}  // namespace xebec::watcher
