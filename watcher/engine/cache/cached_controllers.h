// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/cache/watches/watch_pool.h"
#include "watcher/engine/cache/watches/watch_set.h"
#include "watcher/engine/figures.h"

namespace xebec::watcher {

/// A controller as the caches see it. Its index, the ControllerId, stays until Free.
struct CachedController {
  KindDescription kind;
  bool active = true;    ///< An inactive controller is not planned.
  bool paused = false;   ///< Nor is a paused one; its keys stay.
  std::string version;   ///< DeclaredKind::version; empty for built-in controllers.
  uint64_t changes = 0;  ///< Counts the versions, and the types of a declared one's parents.
  WatchSet parent;
  std::vector<WatchSet> children;  ///< As kind.children.
  std::vector<WatchSet> related;   ///< As kind.related.
  Counts missing_subresources;     ///< Of the parents' CRD, those that the kind can use.

  bool operator==(const CachedController&) const = default;
};

/// What a watched resource means to a controller.
struct Role {
  ControllerId controller = 0;
  Relation relation = Relation::kParent;
  bool labelled = false;  ///< The objects are found by the parent label.
  bool operator==(const Role&) const = default;
};

/// The controllers that the caches serve, and what each watched resource means to them. A value.
class CachedControllers {
 public:
  /// Takes over the controllers of `topology`, whose resources are watched. Other controllers
  /// become inactive. Adds the changes of controllers to `changes`.
  void Update(const Topology& topology, const WatchPool& watches, std::vector<Changed>* changes);
  /// Compares the subresources that the resource has with those that its kind can use: the CRD of
  /// an original operator may lack some. Tells users, and adds the changes to `changes`.
  void CheckSubresources(WatchId watch, const WatchPool& watches, CacheContext& context,
                         std::vector<Changed>* changes);

  const std::vector<CachedController>& all() const { return all_; }
  /// The roles of a resource that is watched since the last Update.
  const std::vector<Role>& RolesOf(WatchId watch) const { return roles_[watch]; }
  /// The declared controllers that are inactive and whose ids are not free.
  const std::set<ControllerId>& gone() const { return gone_; }
  /// Nothing refers to a controller of gone() any more: the next new one gets its id.
  void Free(ControllerId id);
  /// The active controller whose parents declare controllers; nullopt if there is none.
  std::optional<ControllerId> declaring() const;

  bool operator==(const CachedControllers&) const = default;

 private:
  ControllerId IdOf(const std::string& controller);
  void Deactivate(const Topology& topology, std::vector<Changed>* changes);
  void Take(const KindDescription& kind, const Topology& topology, const WatchPool& watches,
            std::vector<Changed>* changes);
  void AssignRoles(size_t watches);

  std::vector<CachedController> all_;
  std::set<ControllerId> gone_, free_;
  std::vector<std::vector<Role>> roles_;  // by watch
};

}  // namespace xebec::watcher
