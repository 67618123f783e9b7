// SPDX-License-Identifier: Apache-2.0
// CacheSet: what the events of the watches mean, and to whom.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "watcher/engine/cache/cache_set.h"

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

// What a user changed of a parent; empty when nothing that counts as such.
std::string UserChange(const StoredObject& before, const StoredObject& after) {
  if (before.deleting != after.deleting) return "deleted";
  if (before.generation != after.generation) return "spec changed";
  if (before.reconcile_at() != after.reconcile_at()) return "reconcile-at changed";
  if (before.paused() != after.paused()) return "paused changed";
  return "";
}

bool Mentions(const StoredObject& object, const std::string& finalizer) {
  return absl::StrContains(*object.json, "\"" + finalizer + "\"");
}

template <typename T>
void AddOnce(const T& value, std::vector<T>* values) {
  if (value.empty()) return;
  if (std::find(values->begin(), values->end(), value) == values->end()) values->push_back(value);
}

}  // namespace

// What is forgotten belongs to parents that are forgotten too, and is not news to anybody else.
void CacheSet::TakeChange(const Touched& touched, const StoreChange& change) {
  const WatchId id = touched.watch;
  if (change.type == ChangeType::kForgotten) {
    for (const Role& role : uses_[id].roles) {
      if (role.relation == Relation::kParent) TakeParent(role, touched, change);
    }
    return;
  }
  if (change.type != ChangeType::kForeign) {
    for (const Role& role : uses_[id].roles) {
      if (role.relation == Relation::kParent) TakeParent(role, touched, change);
      if (role.relation == Relation::kChild) TakeChild(id, role, change);
      if (role.relation != Relation::kRelated) continue;
      const bool cluster_scoped = controllers_[role.controller].kind.parent.cluster_scoped;
      changes_.emplace_back(RelatedChanged{
          role.controller, cluster_scoped ? "" : change.key.ns,
          absl::StrCat("related ", watches_.NameOf(id, change.key), Verb(change.type)), false});
    }
  }
  changes_.emplace_back(NameChanged{id, change.key, change.gone});
}

void CacheSet::TakeParent(const Role& role, const Touched& touched, const StoreChange& change) {
  const KindDescription& kind = controllers_[role.controller].kind;
  const bool declares = kind.declares;
  if (!change.after) {
    if (declares) changes_.emplace_back(DeclarationsChanged{});
    changes_.emplace_back(ParentRemoved{role.controller, change.key});
    return;
  }
  const Uid& uid = change.after->uid;
  if (change.type == ChangeType::kAdded) {
    if (declares) changes_.emplace_back(DeclarationsChanged{});
    const bool initial = touched.first || !Keeps(touched.held, *change.after);
    changes_.emplace_back(ParentAdded{role.controller, change.key, uid, initial});
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

void CacheSet::TakeChild(WatchId id, const Role& role, const StoreChange& change) {
  ChildChanged child{.controller = role.controller,
                     .ns = change.key.ns,
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
  child.reason = watches_.NameOf(id, change.key) + Verb(change.type);
  changes_.emplace_back(std::move(child));
}

// A kind that can be read again may have the objects that it had: no change of it wakes the keys
// that were planned without it meanwhile.
void CacheSet::NoticeAvailability(WatchId id) {
  Use& it = uses_[id];
  const Availability now_is = watches_.reflector(id).availability();
  if (now_is == Availability::kUnavailable) it.was_unavailable = true;
  if (now_is != Availability::kReady || !std::exchange(it.was_unavailable, false)) return;
  const ResourceSpec& spec = watches_.reflector(id).spec();
  for (const Role& role : it.roles) {
    // A parent kind that nobody can read is not planned at all, and keeps its requests.
    if (role.relation == Relation::kParent && spec.ns.empty()) continue;
    const bool cluster_scoped = controllers_[role.controller].kind.parent.cluster_scoped;
    changes_.emplace_back(RelatedChanged{role.controller, cluster_scoped ? "" : spec.ns,
                                         Describe(spec) + " can be read again", true});
  }
}

}  // namespace xebec::watcher
