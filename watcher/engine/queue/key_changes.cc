// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_changes.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

class Mapper {
 public:
  Mapper(const CacheSet& cache, const WantedNames& wanted, KeyTable* keys)
      : cache_(cache), wanted_(wanted), keys_(*keys) {}

  std::vector<KeyChange> Take() { return std::move(changes_); }

  void operator()(const ParentAdded& added) {
    AddNew(added.controller, added.name, added.uid, added.initial);
  }

  void operator()(const ParentRemoved& removed) {
    if (KeyChange* change = AddParent(removed.controller, removed.name)) change->gone = true;
  }

  void operator()(const ParentChanged& changed) {
    KeyChange* change = AddParent(changed.controller, changed.name);
    if (change == nullptr) return AddNew(changed.controller, changed.name, changed.uid, false);
    change->user_change = true;
    change->reason = changed.reason;
    change->priority = Priority::kUser;
  }

  void operator()(const ParentWritten& written) {
    KeyChange* change = AddParent(written.controller, written.name);
    if (change == nullptr) return AddNew(written.controller, written.name, written.uid, false);
    change->parent_version = written.version;
  }

  void operator()(const ChildChanged& changed) {
    std::set<KeyId> parents;
    for (const auto& uid : changed.owners) {
      const KeyId* owner = keys_.FindUid(uid);
      if (owner != nullptr && keys_.at(*owner).controller == changed.controller) {
        parents.insert(*owner);
      }
    }
    for (const std::string& label : changed.labels) {
      const KeyId* labelled = keys_.FindLabel(changed.controller, changed.ns, label);
      if (labelled != nullptr) parents.insert(*labelled);
    }
    for (const KeyId key : parents) {
      KeyChange& change = Add(key);
      change.check_gate = true;
      change.child_changed = changed.exists;
      change.reason = changed.reason;
    }
  }

  void operator()(const RelatedChanged& changed) {
    const Priority priority = changed.background ? Priority::kBackground : Priority::kController;
    AddAll(keys_.InNamespace(changed.controller, changed.ns), priority, changed.reason);
  }

  void operator()(const SubresourcesChanged& changed) {
    AddAll(keys_.InNamespace(changed.controller, ""), Priority::kBackground,
           "subresources changed");
  }

  void operator()(const NameChanged& changed) {
    for (const KeyId key : wanted_.Waiting(changed.watch, changed.name)) {
      KeyChange& change = Add(key);
      change.reason = absl::StrCat("wanted ", cache_.NameOf(changed.watch, changed.name),
                                   changed.gone ? " is free" : " changed");
      change.urgent = changed.gone;
    }
  }

  void operator()(const Relisted& relisted) {
    AddAll(wanted_.WaitingFor(relisted.watch), Priority::kController, "a wanted name may be free");
  }

  void operator()(const RevisionMoved& moved) {
    AddAll(keys_.All(), Priority::kBackground, "planner revision " + moved.revision);
  }

  // The Engine does the rest.
  void operator()(const Progressed&) {}
  void operator()(const ControllerMatched&) {}

 private:
  KeyChange& Add(KeyId key) { return changes_.emplace_back(KeyChange{.key = key}); }

  void AddNew(ControllerId controller, const ObjectKey& name, const std::string& uid,
              bool initial) {
    const KeyId* known = keys_.Find(controller, name);
    const bool again = known != nullptr && keys_.at(*known).uid != uid;
    KeyChange& change = Add(keys_.Add(controller, name, uid));
    change.new_incarnation = again;
    change.reason = initial ? "initial list" : "created";
    change.priority = initial ? Priority::kBackground : Priority::kUser;
  }

  KeyChange* AddParent(ControllerId controller, const ObjectKey& name) {
    const KeyId* key = keys_.Find(controller, name);
    if (key == nullptr) return nullptr;
    KeyChange& change = Add(*key);
    change.check_gate = true;
    return &change;
  }

  void AddAll(const std::vector<KeyId>& keys, Priority priority, const std::string& reason) {
    for (const KeyId key : keys) {
      KeyChange& change = Add(key);
      change.priority = priority;
      change.reason = reason;
    }
  }

  const CacheSet& cache_;
  const WantedNames& wanted_;
  KeyTable& keys_;
  std::vector<KeyChange> changes_;
};

}  // namespace

std::vector<KeyChange> MapToKeys(const Changed& change, const CacheSet& cache,
                                 const WantedNames& wanted, KeyTable* keys) {
  Mapper mapper(cache, wanted, keys);
  std::visit(mapper, change);
  return mapper.Take();
}

std::vector<KeyChange> MatchKeys(const CacheSet& cache, ControllerId controller, KeyTable* keys) {
  std::vector<KeyChange> changes;
  const CachedController& its = cache.controllers()[controller];
  if (!its.active) {
    for (const KeyId key : keys->InNamespace(controller, "")) {
      changes.push_back({.key = key, .gone = true});
    }
    return changes;
  }
  for (const auto& [ns, watch] : its.parent.all()) {
    if (cache.reflector(watch).listed_since() == -absl::InfiniteDuration()) continue;
    for (const KeyId key : keys->InNamespace(controller, ns)) {
      if (cache.Parent(controller, keys->at(key).name) != nullptr) continue;
      changes.push_back({.key = key, .gone = true});
    }
    for (const auto& [name, object] : cache.store(watch).objects()) {
      const KeyId* known = keys->Find(controller, name);
      if (known != nullptr && keys->at(*known).uid == object.uid) continue;
      changes.push_back({.key = keys->Add(controller, name, object.uid),
                         .reason = "controller registered",
                         .priority = Priority::kBackground});
    }
  }
  return changes;
}

}  // namespace xebec::watcher
