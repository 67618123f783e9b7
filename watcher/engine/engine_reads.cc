// SPDX-License-Identifier: Apache-2.0
// EngineCore: live reads.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxReadFailures = 10;

}  // namespace

// What was seen until now the reads will show, so its wishes are met. Later changes may overtake
// the answers: their wishes stay. So do all where lists that are older take part.
void EngineCore::StartReads(KeyId key, ReadPurpose purpose, std::vector<ObjectRef> refs) {
  Pass& pass = passes.at(key);
  Reading reading{purpose, {}, {}};
  pass.world = World(key);
  pass.overtaken = false;
  const bool nothing_older = pass.live.empty() && !pass.live_parent.has_value();
  if (purpose == ReadPurpose::kAll || (purpose == ReadPurpose::kLists && nothing_older)) {
    reading.reasons = ControllerOfKey(key).queue.TakeDirty(key);
  }
  for (ObjectRef& ref : refs) reading.reads.push_back(LiveRead{.id = 0, .ref = std::move(ref)});
  pass.state = std::move(reading);
  SetTimer(key, absl::InfiniteDuration());
  for (LiveRead& read : std::get<Reading>(pass.state).reads) SendRead(key, &read);
  FinishReads(key);  // there may be none
}

void EngineCore::SendRead(KeyId key, LiveRead* read) {
  read->id = ++last_read;
  read->failed = false;
  reads[read->id] = key;
  const WatchId* watch = cache.Find(read->ref.type, read->ref.ns);
  const ResourceSpec spec = watch == nullptr ? ResourceSpec{} : cache.reflector(*watch).spec();
  if (!read->ref.name.empty()) {
    out.push_back(LiveGet{read->id, read->ref, spec.projection});
    return;
  }
  // A page that breaks off is too large, or too slow.
  const uint32_t halvings = std::min(passes.at(key).read_failures, kMaxReadFailures);
  out.push_back(LiveList{read->id, read->ref.type, read->ref.ns, spec.label_selector,
                         spec.projection, std::max(1u, options.list_page >> halvings)});
}

LiveRead* EngineCore::TakeRead(ReadId id, KeyId* key) {
  const auto found = reads.find(id);
  if (found == reads.end()) return nullptr;
  *key = found->second;
  reads.erase(found);
  auto* reading = std::get_if<Reading>(&passes.at(*key).state);
  if (reading == nullptr) return nullptr;
  for (LiveRead& read : reading->reads) {
    if (read.id == id) return &read;
  }
  return nullptr;
}

// Nobody waits for the answers any more, or they do not come: the pass begins anew, if it has to.
bool EngineCore::ReadsAreVain(KeyId key) const {
  const Pass& pass = passes.at(key);
  if (std::get<Reading>(pass.state).purpose == ReadPurpose::kFate) return false;
  const StoredObject* parent = ParentOf(key);
  return parent == nullptr || parent->uid != pass.parent.uid || !MaySend(key) ||
         pass.world != World(key) || pass.read_failures >= kMaxReadFailures;
}

void EngineCore::AbandonReads(KeyId key) {
  Pass& pass = passes.at(key);
  for (const LiveRead& read : std::get<Reading>(pass.state).reads) reads.erase(read.id);
  pass.read_failures = 0;
  Abandon(key, "the live reads came to nothing");
}

void EngineCore::RetryReads(KeyId key) {
  if (ReadsAreVain(key)) return AbandonReads(key);
  for (LiveRead& read : std::get<Reading>(passes.at(key).state).reads) {
    if (read.failed) SendRead(key, &read);
  }
}

void EngineCore::FinishReads(KeyId key) {
  Pass& pass = passes.at(key);
  const auto& reading = std::get<Reading>(pass.state);
  const bool done = std::all_of(reading.reads.begin(), reading.reads.end(),
                                [](const LiveRead& read) { return read.done; });
  if (!done) return;
  const Reading finished = reading;
  pass.read_failures = 0;
  SetTimer(key, absl::InfiniteDuration());
  if (finished.purpose == ReadPurpose::kFate) return TakeFates(key, finished.reads);
  if (ParentOf(key) == nullptr || !MaySend(key))
    return Abandon(key, "the parent is gone, or the lease");
  if (pass.world != World(key) || !cache.ControllerReady(keys.at(key).controller))
    return Abandon(key, "leadership or planner changed meanwhile");
  if (finished.purpose == ReadPurpose::kAll) {
    if (!TakeLiveParent(key, finished.reads)) {  // gone or made anew: the cache will say so
      pass.state = Gated{now.monotonic};
      for (const std::string& reason : finished.reasons) Trigger(key, Priority::kOwn, reason);
      return SetTimer(key, now.monotonic + options.gate_timeout);
    }
    pass.ending = Ending{};
    pass.parent_version.clear();
  }
  TakeLists(key, finished.reads);
  Ask(key, finished.reasons.empty() ? pass.envelope.reasons : finished.reasons);
}

// What a write of unknown fate has left behind becomes something that the cache has to show.
void EngineCore::TakeFates(KeyId key, const std::vector<LiveRead>& found) {
  Pass& pass = passes.at(key);
  pass.fates.clear();
  for (const LiveRead& read : found) {
    const WatchId* watch = cache.Find(read.ref.type, read.ref.ns);
    if (watch == nullptr) continue;
    Requirement requirement;
    requirement.watch = *watch;
    requirement.lists = cache.reflector(*watch).lists_begun();
    requirement.object = {read.ref.ns, read.ref.name};
    requirement.of_parent = read.ref == RefOf(key);
    const StoredObject* stored = cache.store(*watch).Find(requirement.object);
    if (stored != nullptr) requirement.baseline = stored->resource_version;
    if (!read.found.empty()) {
      requirement.uid = read.found.front().second.uid;
      requirement.version = read.found.front().second.resource_version;
    } else if (stored != nullptr && !requirement.of_parent) {
      requirement.uid = stored->uid;
    } else {
      continue;
    }
    pass.requirements.push_back(std::move(requirement));
  }
  Conclude(key);
}

void EngineCore::TakeLists(KeyId key, const std::vector<LiveRead>& found) {
  Pass& pass = passes.at(key);
  const CachedController& controller = CachedOf(key);
  for (const LiveRead& read : found) {
    if (read.ref.name.empty()) pass.live[read.ref.type].clear();
  }
  for (const LiveRead& read : found) {
    if (!read.ref.name.empty()) continue;
    auto& group = pass.live[read.ref.type];
    for (const ChildRule& rule : controller.kind.children) {
      if (rule.type != read.ref.type) continue;
      std::map<ObjectKey, ObjectBytes> mine;
      for (const auto& [name, object] : read.found) {
        if (!OwnedByRule(rule, keys.at(key), name, object)) continue;
        mine[name] = object.json;
        pass.shown.insert(object.uid);
        RequireSeen(key, {read.ref.type, name.ns, name.name}, object);
      }
      for (const auto& [name, bytes] : mine) group.push_back(bytes);
    }
  }
}

// Time must not go back for the key: what it has been shown live, the cache has to show before it
// is planned from again.
void EngineCore::RequireSeen(KeyId key, const ObjectRef& ref, const StoredObject& object) {
  const WatchId* watch = cache.Find(ref.type, ref.ns);
  if (watch == nullptr) return;
  const ObjectKey name{ref.ns, ref.name};
  const StoredObject* stored = cache.store(*watch).Find(name);
  passes.at(key).requirements.push_back(
      {.watch = *watch,
       .object = name,
       .uid = object.uid,
       .version = object.resource_version,
       .baseline = stored == nullptr ? "" : stored->resource_version,
       .desired = nullptr,
       .of_parent = ref == RefOf(key),
       .lists = cache.reflector(*watch).lists_begun(),
       .listed = ref != RefOf(key)});
}

bool EngineCore::TakeLiveParent(KeyId key, const std::vector<LiveRead>& found) {
  const ObjectRef ref = RefOf(key);
  for (const LiveRead& read : found) {
    if (read.ref != ref || read.found.empty()) continue;
    const StoredObject& parent = read.found.front().second;
    if (parent.uid != keys.at(key).uid) return false;
    passes.at(key).live_parent = parent;
    RequireSeen(key, ref, parent);
    return true;
  }
  return false;
}

// Without `only`: of every child kind that may be read.
std::vector<ObjectRef> EngineCore::ListsOf(KeyId key, const std::vector<ResourceType>* only) const {
  const CachedController& controller = CachedOf(key);
  const std::string& ns = keys.at(key).name.ns;
  std::vector<ObjectRef> lists;
  for (size_t i = 0; i < controller.children.size(); ++i) {
    const ResourceType& type = controller.kind.children[i].type;
    const bool asked = only == nullptr ? cache.Readable(controller.children[i].Seeing(ns))
                                       : std::find(only->begin(), only->end(), type) != only->end();
    if (!asked) continue;
    for (const auto& [watched, id] : controller.children[i].all()) {
      if (!ns.empty() && !watched.empty() && watched != ns) continue;
      const ObjectRef list{type, type.cluster_scoped || ns.empty() ? watched : ns, ""};
      if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    }
  }
  return lists;
}

}  // namespace xebec::watcher
