// SPDX-License-Identifier: Apache-2.0
// EngineCore: what the watches bring, and whom it concerns.
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

const char* Verb(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded:
      return " added";
    case ChangeType::kModified:
      return " changed";
    case ChangeType::kDeleted:
      return " deleted";
    case ChangeType::kForeign:
      return " (not ours) changed";
  }
  return "";
}

// What a user changed of a parent; empty when nothing that counts as such.
std::string UserChange(const StoredObject& before, const StoredObject& after) {
  if (before.deleting != after.deleting) return "deleted";
  if (before.generation != after.generation) return "spec changed";
  if (before.reconcile_at() != after.reconcile_at()) return "reconcile-at changed";
  if (before.paused() != after.paused()) return "paused changed";
  return "";
}

}  // namespace

void EngineCore::TakeChanges(WatchId watch, bool first, const StoreChanges& changes, bool listed) {
  std::set<KeyId> touched;
  for (const StoreChange& change : changes) TakeChange(watch, first, change, &touched);
  if (listed) {
    for (const KeyId key : wanted.WaitingFor(watch)) {
      Trigger(key, Priority::kOwn, "a wanted name may be free");
    }
  }
  for (const KeyId key :
       watches[watch].waits.Passed(watches[watch].reflector.store().watermark())) {
    touched.insert(key);
  }
  for (const KeyId key : touched) Recheck(key);
}

// A kind that can be read again may have the objects that it had: no change of it wakes the keys
// that were planned without it meanwhile.
void EngineCore::NoticeAvailability(WatchId watch) {
  Watch& it = watches[watch];
  const Availability now_is = it.reflector.availability();
  if (now_is == Availability::kUnavailable) it.was_unavailable = true;
  if (now_is != Availability::kReady || !std::exchange(it.was_unavailable, false)) return;
  const std::string reason = Describe(it.reflector.spec()) + " can be read again";
  for (const Role& role : it.roles) {
    // A parent kind that nobody can read is not planned at all, and keeps its wishes.
    if (role.relation == Relation::kParent && it.reflector.spec().ns.empty()) continue;
    const bool cluster_scoped = controllers[role.controller].kind.parent.cluster_scoped;
    const std::string ns = cluster_scoped ? "" : it.reflector.spec().ns;  // whose parents see it
    for (const KeyId key : keys.InNamespace(role.controller, ns)) {
      Trigger(key, Priority::kBackground, reason);
    }
  }
}

void EngineCore::TakeChange(WatchId watch, bool first, const StoreChange& change,
                            std::set<KeyId>* touched) {
  if (change.type != ChangeType::kForeign) {
    for (const Role& role : watches[watch].roles) {
      switch (role.relation) {
        case Relation::kParent:
          OnParentChange(role, first, change, touched);
          break;
        case Relation::kChild:
          OnChildChange(watch, role, change, touched);
          break;
        case Relation::kRelated:
          OnRelatedChange(watch, role, change);
          break;
      }
    }
  }
  WakeWanting(watch, change);
}

void EngineCore::OnParentChange(const Role& role, bool first, const StoreChange& change,
                                std::set<KeyId>* touched) {
  if (change.type == ChangeType::kDeleted) {
    const KeyId* key = keys.Find(role.controller, change.key);
    if (key == nullptr) return;
    touched->insert(*key);
    if (!passes.contains(*key)) Forget(*key);  // else when the pass is over
    return;
  }
  if (change.type == ChangeType::kAdded) return OnNewParent(role, first, change);
  const KeyId* key = keys.Find(role.controller, change.key);
  if (key == nullptr) return OnNewParent(role, first, change);
  touched->insert(*key);
  const std::string user = UserChange(*change.before, *change.after);
  if (user.empty()) return OnOwnParentChange(*key, change);
  keys.at(*key).again = 0;
  Trigger(*key, Priority::kFresh, user);
}

void EngineCore::OnNewParent(const Role& role, bool first, const StoreChange& change) {
  const KeyId* known = keys.Find(role.controller, change.key);
  if (known != nullptr && keys.at(*known).uid != change.after->uid) {
    wanted.Set(*known, {});
    controllers[role.controller].queue.Forget(*known);
  }
  const KeyId key = keys.Add(role.controller, change.key, change.after->uid);
  Trigger(key, first ? Priority::kBackground : Priority::kFresh,
          first ? "initial list" : "created");
}

// Our own status write comes back as an event: nothing to plan. One that arrives before the report
// is judged with it.
void EngineCore::OnOwnParentChange(KeyId key, const StoreChange& change) {
  const std::string& version = change.after->resource_version;
  if (version == keys.at(key).status_version) return;
  const auto pass = passes.find(key);
  const bool before_report =
      pass != passes.end() && (std::holds_alternative<Planning>(pass->second.state) ||
                               std::holds_alternative<AwaitingApplier>(pass->second.state) ||
                               std::holds_alternative<Applying>(pass->second.state));
  if (before_report) {
    pass->second.parent_version = version;
    return;
  }
  Trigger(key, Priority::kOwn, "parent changed");
}

void EngineCore::OnChildChange(WatchId watch, const Role& role, const StoreChange& change,
                               std::set<KeyId>* touched) {
  std::set<KeyId> roots;
  for (const auto* state : {&change.before, &change.after}) {
    if (!state->has_value()) continue;
    const StoredObject& object = **state;
    const KeyId* owner = object.owner_uid.empty() ? nullptr : keys.FindUid(object.owner_uid);
    if (owner != nullptr && keys.at(*owner).controller == role.controller) roots.insert(*owner);
    if (!role.labelled || object.parent_label().empty()) continue;
    const KeyId* labelled = keys.FindLabel(role.controller, change.key.ns, object.parent_label());
    if (labelled != nullptr) roots.insert(*labelled);
  }
  for (const KeyId key : roots) {
    touched->insert(key);
    const auto pass = passes.find(key);
    if (pass != passes.end() && change.after.has_value()) pass->second.overtaken = true;
    Trigger(key, Priority::kOwn, NameOf(watch, change.key) + Verb(change.type));
  }
}

void EngineCore::OnRelatedChange(WatchId watch, const Role& role, const StoreChange& change) {
  const std::string reason = absl::StrCat("related ", NameOf(watch, change.key), Verb(change.type));
  const bool cluster_scoped = controllers[role.controller].kind.parent.cluster_scoped;
  const std::string ns = cluster_scoped ? "" : change.key.ns;  // whose parents see it
  for (const KeyId key : keys.InNamespace(role.controller, ns)) {
    Trigger(key, Priority::kOwn, reason);
  }
}

void EngineCore::WakeWanting(WatchId watch, const StoreChange& change) {
  for (const KeyId key : wanted.Waiting(watch, change.key)) {
    Trigger(
        key, Priority::kOwn,
        absl::StrCat("wanted ", NameOf(watch, change.key), change.gone ? " is free" : " changed"),
        /*urgent=*/change.gone);
  }
}

std::string EngineCore::NameOf(WatchId watch, const ObjectKey& object) const {
  return Describe(ObjectRef{watches[watch].reflector.spec().type, object.ns, object.name});
}

}  // namespace xebec::watcher
