// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/object_changes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

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
    case ChangeType::kForgotten:
      return " (not ours) changed";
  }
  return "";
}

// The status, or one of its conditions, names the generation that was reconciled last. A text of a
// user that looks like that costs the parent its precedence and nothing else.
bool IsPending(const StoredObject& parent) {
  const ObjectBytes json = parent.json.Unpack();
  const std::string seen = absl::StrCat("\"observedGeneration\":", parent.generation);
  return !absl::StrContains(*json, seen + ",") && !absl::StrContains(*json, seen + "}");
}

// What a user changed of a parent; empty when nothing that counts as such.
std::string UserChange(const StoredObject& before, const StoredObject& after) {
  if (before.deleting != after.deleting) return "deleted";
  if (before.generation != after.generation) return "spec changed";
  if (before.reconcile_at() != after.reconcile_at()) return "reconcile-at changed";
  if (before.paused() != after.paused()) return "paused changed";
  return "";
}

template <typename T>
void AddOnce(const T& value, std::vector<T>* values) {
  if (value.empty()) return;
  if (std::find(values->begin(), values->end(), value) == values->end()) values->push_back(value);
}

// What one change of the store of a watch means to the controllers.
class Translation {
 public:
  Translation(const Touched& touched, const StoreChange& change,
              const CachedControllers& controllers, const WatchPool& watches,
              std::vector<Changed>* changes)
      : touched_(touched),
        change_(change),
        controllers_(controllers),
        watches_(watches),
        changes_(*changes) {}

  // What is forgotten belongs to parents that are forgotten too, and is not news to anybody else.
  void Run() const {
    for (const Role& role : controllers_.RolesOf(touched_.watch)) {
      if (change_.type == ChangeType::kForeign) break;
      if (role.relation == Relation::kParent) TakeParent(role);
      if (change_.type == ChangeType::kForgotten) continue;
      if (role.relation == Relation::kChild) TakeChild(role);
      if (role.relation == Relation::kRelated) TakeRelated(role);
    }
    if (change_.type == ChangeType::kForgotten) return;
    NameChanged name{touched_.watch, change_.key, change_.gone};
    if (change_.gone) name.owner = change_.before ? change_.before->owner_uid : change_.owner;
    changes_.emplace_back(std::move(name));
  }

 private:
  const KindDescription& KindOf(const Role& role) const {
    return controllers_.all()[role.controller].kind;
  }
  void TakeParent(const Role& role) const;
  void TakeChild(const Role& role) const;
  void TakeRelated(const Role& role) const;

  const Touched& touched_;
  const StoreChange& change_;
  const CachedControllers& controllers_;
  const WatchPool& watches_;
  std::vector<Changed>& changes_;
};

void Translation::TakeParent(const Role& role) const {
  const StoreChange& change = change_;
  const KindDescription& kind = KindOf(role);
  const bool declares = kind.declares;
  if (!change.after) {
    if (declares) changes_.emplace_back(DeclarationsChanged{});
    changes_.emplace_back(ParentRemoved{role.controller, change.key});
    return;
  }
  const Uid& uid = change.after->uid;
  if (change.type == ChangeType::kAdded) {
    if (declares) changes_.emplace_back(DeclarationsChanged{});
    const bool initial = touched_.first || !Keeps(touched_.held, *change.after);
    const bool pending = initial && IsPending(*change.after);
    changes_.emplace_back(ParentAdded{role.controller, change.key, uid, initial, pending});
    return;
  }
  std::string user = UserChange(*change.before, *change.after);
  if (user.empty()) {
    const bool guarded = declares && Mentions(*change.after, kind.finalizer);
    if (declares && guarded != Mentions(*change.before, kind.finalizer)) {
      changes_.emplace_back(DeclarationsChanged{});
    }
    const std::string version = change.listed ? "" : change.after->resource_version;
    changes_.emplace_back(ParentWritten{role.controller, change.key, uid, version});
  } else {
    if (declares) changes_.emplace_back(DeclarationsChanged{});
    changes_.emplace_back(ParentChanged{role.controller, change.key, uid, std::move(user)});
  }
}

void Translation::TakeChild(const Role& role) const {
  const StoreChange& change = change_;
  ChildChanged child{.controller = role.controller,
                     .child = {touched_.watch, change.key, ""},
                     .owners = {},
                     .labels = {},
                     .exists = change.after.has_value(),
                     .reason = ""};
  for (const auto* state : {&change.before, &change.after}) {
    if (!state->has_value()) continue;
    AddOnce((*state)->owner_uid, &child.owners);
    if (role.labelled) AddOnce((*state)->parent_label(), &child.labels);
  }
  if (child.owners.empty() && child.labels.empty()) return;
  if (child.exists && !change.listed) child.child.version = change.after->resource_version;
  child.reason = watches_.NameOf(touched_.watch, change.key) + Verb(change.type);
  changes_.emplace_back(std::move(child));
}

void Translation::TakeRelated(const Role& role) const {
  const std::string ns = KindOf(role).parent.cluster_scoped ? "" : change_.key.ns;
  changes_.emplace_back(RelatedChanged{
      role.controller, ns,
      absl::StrCat("related ", watches_.NameOf(touched_.watch, change_.key), Verb(change_.type)),
      false});
}

}  // namespace

bool Mentions(const StoredObject& object, const std::string& finalizer) {
  return absl::StrContains(*object.json.Unpack(), absl::StrCat("\"", finalizer, "\""));
}

void AddChanges(const Touched& touched, const StoreChange& change,
                const CachedControllers& controllers, const WatchPool& watches,
                std::vector<Changed>* changes) {
  Translation(touched, change, controllers, watches, changes).Run();
}

void UnavailableWatches::Notice(WatchId watch, const CachedControllers& controllers,
                                const WatchPool& watches, std::vector<Changed>* changes) {
  const Availability now_is = watches.reflector(watch).availability();
  if (now_is == Availability::kUnavailable) unavailable_.insert(watch);
  if (now_is != Availability::kReady || unavailable_.erase(watch) == 0) return;
  const ResourceSpec& spec = watches.reflector(watch).spec();
  for (const Role& role : controllers.RolesOf(watch)) {
    // A parent kind that nobody can read is not planned at all, and keeps its requests.
    if (role.relation == Relation::kParent && spec.ns.empty()) continue;
    const bool cluster_scoped = controllers.all()[role.controller].kind.parent.cluster_scoped;
    changes->emplace_back(RelatedChanged{role.controller, cluster_scoped ? "" : spec.ns,
                                         Describe(spec) + " can be read again", true});
  }
}

}  // namespace xebec::watcher
