// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/revisions.h"
#include "watcher/engine/cache/topology.h"
#include "watcher/engine/cache/watch_pool.h"
#include "watcher/engine/cache/watch_set.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// A controller as the caches see it. Its index, the ControllerId, stays for ever.
struct CachedController {
  KindDescription kind;
  bool active = true;    ///< An inactive controller is not planned.
  bool paused = false;   ///< Nor is a paused one; its keys stay.
  std::string version;   ///< DeclaredKind::version; empty for built-in controllers.
  uint64_t changes = 0;  ///< Counts the versions.
  WatchSet parent;
  std::vector<WatchSet> children;  ///< As kind.children.
  std::vector<WatchSet> related;   ///< As kind.related.
  Counts missing_subresources;     ///< Of the parents' CRD, those that the kind can use.

  bool operator==(const CachedController&) const = default;
};

/// Decides which resources are watched for the planner's kinds, and what the events of the watches
/// mean for the controllers. It takes the inputs of the API server and returns Changed. It does not
/// know keys and plans. The cost of an input does not depend on the number of watches. Before the
/// first Hold, nothing is listed and watched. A value.
class CacheSet {
 public:
  CacheSet(const Options& options, const std::string& identity)
      : options_(options), watches_(options, identity) {}

  /// From now on the caches hold the objects of these buckets: the parents, and their children by
  /// the controller's uid. Objects that belong to no single parent are always held. Buckets that
  /// were held before stay Ready; those that are gained need one more list, which follows when no
  /// older list is being read. Objects of buckets that are lost are forgotten in steps. With
  /// another number of buckets, none that was held stays Ready. All of the buckets cost nothing to
  /// hold.
  void Hold(const BucketSet& buckets, CacheContext& context);

  void On(const DescriptionArrived& input, CacheContext& context);
  /// Replaces the declared controllers.
  void Declare(std::vector<DeclaredKind> declared, CacheContext& context);
  void On(const Discovered& input, CacheContext& context);
  /// Takes any other input of WatchPool.
  template <typename Input>
  void On(Input input, CacheContext& context) {
    Take(watches_.On(std::move(input), context));
  }
  /// Runs the timers that are due, and moves over to the next planner revision when it can.
  void OnTick(CacheContext& context);
  /// When OnTick is due; InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const { return std::min(move_by_, watches_.NextDeadline()); }
  /// What has changed since the last call, in order.
  std::vector<Changed> TakeChanges() { return std::exchange(changes_, {}); }

  /// These do the same as the functions of WatchPool. RequireFresh does not change what is Ready.
  void RequireFresh(absl::Duration since, CacheContext& context) {
    watches_.RequireFresh(since, context);
  }
  void Doubt(WatchId id, CacheContext& context) { watches_.Doubt(id, context); }

  /// A plan that was asked of the current planner revision was made by it.
  void OnOwnPlan() { revisions_.OnOwnPlan(); }
  /// The same, made by another revision: no planner of the current one may be left.
  void OnForeignPlan(const std::string& revision, CacheContext& context);
  /// The planner revision that keys are planned with; empty before the first description.
  std::string revision() const;
  /// Counts the changes of the planner revision.
  uint64_t moves() const { return revisions_.moves(); }

  const std::vector<CachedController>& controllers() const { return controllers_; }
  /// The controller whose parents declare controllers; nullopt if there is none.
  std::optional<ControllerId> declaring() const;
  /// Why a controller is refused, for users; empty if it is not.
  std::string RefusalOf(const std::string& controller) const;
  const WatchPool& watches() const { return watches_; }
  const ObjectStore& store(WatchId watch) const { return watches_.store(watch); }
  /// Null when it is gone or the controller is inactive.
  const StoredObject* Parent(ControllerId controller, const ObjectKey& name) const;
  /// The watch of the controller's parents in a namespace that the controller watches.
  WatchId ParentWatch(ControllerId controller, const std::string& ns) const;
  /// Returns true if plans can be made from the cache of the watch, of the buckets that it holds.
  bool Ready(WatchId watch) const { return uses_[watch].status.ready; }
  /// All that the controller's plans rest on is ready, or known to be out of reach: for some
  /// bucket, as of some time.
  bool ControllerReady(ControllerId controller) const { return readiness_[controller].ready; }
  /// The same for the plans of a bucket, and everything that was written before `since` (monotonic)
  /// is in the caches. Costs O(1). BucketsReady says when it may have become true.
  bool Ready(ControllerId controller, uint32_t bucket, absl::Duration since) const;
  /// What is not listed yet and why, for users; empty when all initial lists are complete.
  std::vector<std::string> Unsynced() const;

  bool operator==(const CacheSet&) const = default;

 private:
  /// What a watched resource means to a controller.
  struct Role {
    ControllerId controller = 0;
    Relation relation = Relation::kParent;
    bool labelled = false;  // found by the parent label
    bool operator==(const Role&) const = default;
  };
  /// What a watch is good for.
  struct Status {
    bool ready = false;
    Availability availability = Availability::kPending;
    bool widening = false;
    kube::BucketFilter held = {};
    absl::Duration fresh_since = -absl::InfiniteDuration();
    bool operator==(const Status&) const = default;
  };
  /// The purpose of a watch.
  struct Use {
    std::vector<Role> roles = {};
    std::optional<ResourceSpec> needed = {};  // by the current revision
    Status status = {};                       // when last looked
    bool was_unavailable = false;             // keys may have been planned without it
    bool operator==(const Use&) const = default;
  };
  /// What all caches of a controller have in common.
  struct Readiness {
    bool ready = false;
    kube::BucketFilter held = {};
    absl::Duration fresh_since = absl::InfiniteDuration();
    bool operator==(const Readiness&) const = default;
  };

  // cache_set.cc
  void Take(const std::vector<Touched>& touched);
  void NoticeStatus(WatchId id);
  Status StatusOf(WatchId id) const;
  bool AddReadiness(const WatchSet& set, Readiness* readiness) const;
  Readiness ReadinessOf(const CachedController& controller) const;
  void Review(ControllerId id);
  void ReviewAll();

  // cache_kinds.cc: what is watched.
  /// Whether a watch that holds more than is wanted becomes narrower.
  enum class Width { kExact, kKeep };
  void WatchAll(std::vector<ResourceSpec> resources, Width width, CacheContext& context);
  void UpdateWatches(Width width, CacheContext& context);
  void DropMissing(const Topology& topology, CacheContext& context);
  void TakeController(const KindDescription& kind, const Topology& topology);
  Topology TopologyOf(const std::vector<const PlannerDescription*>& descriptions) const {
    return BuildTopology(descriptions, options_, declared_);
  }
  void AssignRoles();
  void MaybeMoveOver(CacheContext& context);
  void MoveOver(CacheContext& context);
  bool CandidateIsWatched() const;
  void CheckSubresources(WatchId id, CacheContext& context);

  // cache_changes.cc: what events mean.
  void TakeChange(const Touched& touched, const StoreChange& change);
  void TakeParent(const Role& role, const Touched& touched, const StoreChange& change);
  void TakeChild(WatchId id, const Role& role, const StoreChange& change);
  void NoticeAvailability(WatchId id);

  Options options_;
  WatchPool watches_;
  std::vector<Use> uses_;  // by watch
  Revisions revisions_;
  std::vector<DeclaredKind> declared_;
  std::set<std::string> refusals_;              // told
  std::map<std::string, std::string> refused_;  // now, by controller
  std::vector<CachedController> controllers_;
  std::vector<Readiness> readiness_;        // by controller
  std::optional<kube::BucketFilter> hold_;  // what Hold says, as that of parents
  std::vector<Changed> changes_;
  absl::Duration move_by_ = absl::InfiniteDuration();
  bool check_move_ = false;
};

}  // namespace xebec::watcher
