// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_changes.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

class Mapper {
 public:
  Mapper(const CacheSet& cache, const WantedNames& wanted, KeyTable* keys, KeySweeps* sweeps)
      : cache_(cache), wanted_(wanted), keys_(*keys), sweeps_(*sweeps) {}

  std::vector<KeyChange> Take() { return std::move(changes_); }

  void operator()(const ParentAdded& added) { AddNew(added); }

  void operator()(const ParentRemoved& removed) {
    if (KeyChange* change = AddParent(removed.controller, removed.name)) change->gone = true;
  }

  void operator()(const ParentChanged& changed) {
    KeyChange* change = AddParent(changed.controller, changed.name);
    if (change == nullptr) return AddNew({changed.controller, changed.name, changed.uid});
    change->user_change = true;
    change->reason = changed.reason;
    change->priority = Priority::kUser;
  }

  void operator()(const ParentWritten& written) {
    KeyChange* change = AddParent(written.controller, written.name);
    if (change == nullptr) return AddNew({written.controller, written.name, written.uid});
    change->parent_version = written.version;
    if (!written.version.empty()) return;
    change->reason = "parent changed";
    change->priority = Priority::kController;
  }

  void operator()(const ChildChanged& changed) {
    std::set<KeyId> parents;
    for (const auto& uid : changed.owners) {
      if (const auto owner = keys_.FindUid(changed.controller, uid)) parents.insert(*owner);
    }
    for (const std::string& label : changed.labels) {
      const auto labelled = keys_.FindLabel(changed.controller, changed.child.object.ns, label);
      if (labelled) parents.insert(*labelled);
    }
    for (const KeyId key : parents) {
      KeyChange& change = Add(key);
      change.check_gate = true;
      change.child_changed = changed.exists;
      change.child = changed.child;
      change.reason = changed.reason;
    }
  }

  void operator()(const RelatedChanged& changed) {
    const Priority priority = changed.background ? Priority::kBackground : Priority::kController;
    sweeps_.Add({changed.controller, changed.ns, std::nullopt, changed.reason, priority});
  }

  void operator()(const SubresourcesChanged& changed) {
    sweeps_.Add(
        {changed.controller, "", std::nullopt, "subresources changed", Priority::kBackground});
  }

  // The parent that had the name, if it exists, may create the object again.
  void operator()(const NameChanged& changed) {
    const std::vector<KeyId> waiting = wanted_.Waiting(changed.watch, changed.name);
    if (waiting.empty()) return;
    const std::string name = cache_.watches().NameOf(changed.watch, changed.name);
    const bool owned = changed.gone && !changed.owner.empty() &&
                       (AddOwner(changed.owner, name) || !cache_.WouldHold(changed.owner));
    for (const KeyId key : waiting) {
      KeyChange& change = Add(key);
      change.reason = absl::StrCat("wanted ", name, changed.gone ? " is free" : " changed");
      change.urgent = changed.gone && !owned;
      change.yields = owned;
    }
  }

  void operator()(const Relisted& relisted) {
    for (const KeyId key : wanted_.WaitingFor(relisted.watch)) {
      Add(key).reason = "retry after a name conflict";
    }
  }

  void operator()(const RevisionMoved& moved) {
    for (ControllerId id = 0; id < cache_.controllers().size(); ++id) {
      if (keys_.CountOf(id) == 0) continue;
      sweeps_.Add(
          {id, "", std::nullopt, "planner revision " + moved.revision, Priority::kBackground});
    }
  }

  void operator()(const DeclarationMoved& moved) {
    sweeps_.Add({moved.controller, "", std::nullopt, "declaration changed", Priority::kController});
  }

  void operator()(const DeclarationsChanged&) {}  // the Engine handles these
  void operator()(const ResourceInDoubt&) {}

  void operator()(const ControllerMatched& matched) {
    sweeps_.Add(ParentsOfController{matched.controller});
  }

  void operator()(const Progressed&) {}  // the Engine handles these
  void operator()(const BucketsReady&) {}

 private:
  // Returns true if a key has this uid.
  bool AddOwner(const Uid& uid, const std::string& name) {
    bool found = false;
    for (ControllerId id = 0; id < cache_.controllers().size(); ++id) {
      const std::optional<KeyId> owner = keys_.FindUid(id, uid);
      if (!owner) continue;
      KeyChange& change = Add(*owner);
      change.reason = absl::StrCat(name, " is gone, and another parent wants its name");
      change.urgent = found = true;
    }
    return found;
  }

  KeyChange& Add(KeyId key) { return changes_.emplace_back(KeyChange{.key = key}); }

  void AddNew(const ParentAdded& added) {
    const std::optional<KeyId> known = keys_.Find(added.controller, added.name);
    const bool again = known && keys_.at(*known).uid != added.uid;
    KeyChange& change = Add(keys_.Add(added.controller, added.name, added.uid));
    change.new_incarnation = again;
    change.reason = added.initial ? "initial list" : "created";
    // After a restart, users wait for the parents that they created or changed meanwhile.
    change.priority = !added.initial  ? Priority::kUser
                      : added.pending ? Priority::kController
                                      : Priority::kBackground;
  }

  KeyChange* AddParent(ControllerId controller, const ObjectKey& name) {
    const std::optional<KeyId> key = keys_.Find(controller, name);
    if (!key) return nullptr;
    KeyChange& change = Add(*key);
    change.check_gate = true;
    return &change;
  }

  const CacheSet& cache_;
  const WantedNames& wanted_;
  KeyTable& keys_;
  KeySweeps& sweeps_;
  std::vector<KeyChange> changes_;
};

}  // namespace

std::vector<KeyChange> MapToKeys(const Changed& change, const CacheSet& cache,
                                 const WantedNames& wanted, KeyTable* keys, KeySweeps* sweeps) {
  Mapper mapper(cache, wanted, keys, sweeps);
  std::visit(mapper, change);
  return mapper.Take();
}

}  // namespace xebec::watcher
