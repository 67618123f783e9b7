// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watcher/engine/cache/cached_controllers.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/object_changes.h"
#include "watcher/engine/cache/readiness.h"
#include "watcher/engine/cache/revisions/revision_move.h"
#include "watcher/engine/cache/revisions/revisions.h"
#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/cache/watches/watch_pool.h"
#include "watcher/engine/cache/watches/watch_set.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

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
  /// older list is being read, or the objects from the watcher `context.from`. Objects of buckets
  /// that are lost are forgotten in steps. With another number of buckets, none that was held stays
  /// Ready. All of the buckets cost nothing to hold.
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
  absl::Duration NextDeadline() const {
    return std::min(move_.deadline(), watches_.NextDeadline());
  }
  /// What has changed since the last call, in order.
  std::vector<Changed> TakeChanges() { return std::exchange(changes_, {}); }

  /// These do the same as the functions of WatchPool.
  void RequireFresh(const FreshnessNeeded& needed, CacheContext& context) {
    Take(watches_.RequireFresh(needed, context));
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

  const std::vector<CachedController>& controllers() const { return controllers_.all(); }
  /// The controller whose parents declare controllers; nullopt if there is none.
  std::optional<ControllerId> declaring() const { return controllers_.declaring(); }
  /// These do the same as the functions of CachedControllers.
  const std::set<ControllerId>& gone() const { return controllers_.gone(); }
  void Free(ControllerId controller) { controllers_.Free(controller); }
  /// Why a controller is refused, for users; empty if it is not.
  std::string RefusalOf(const std::string& controller) const;
  const WatchPool& watches() const { return watches_; }
  const ObjectStore& store(WatchId watch) const { return watches_.store(watch); }
  /// Null when it is gone, the controller is inactive, or it does not watch the namespace.
  const StoredObject* Parent(ControllerId controller, const ObjectKey& name) const;
  /// The same, without a search if the parent with this uid is in `slot` of its cache. A search
  /// sets `slot`: to kNoSlot if the cache has no parent of that name.
  const StoredObject* Parent(ControllerId controller, const ObjectKey& name, const Uid& uid,
                             Slot* slot) const;
  /// The watch of the controller's parents in a namespace that the controller watches.
  WatchId ParentWatch(ControllerId controller, const std::string& ns) const;
  /// Returns true if plans can be made from the cache of the watch, of the buckets that it holds.
  bool Ready(WatchId watch) const { return readiness_.Ready(watch); }
  /// All that the controller's plans rest on is ready, or known to be out of reach: for some
  /// bucket, as of some time.
  bool ControllerReady(ControllerId controller) const {
    return readiness_.ControllerReady(controller);
  }
  /// The same for the plans of a bucket, and the caches are as fresh as these require. Costs O(1).
  /// BucketsReady says when it may have become true.
  bool Ready(ControllerId controller, uint32_t bucket, const CacheFreshness& freshness) const {
    return readiness_.Ready(controller, bucket, freshness);
  }
  /// Returns those of the buckets whose objects all caches hold. They may lack what was written
  /// last. BucketsReady says when there may be more. Costs O(controllers).
  BucketSet Kept(BucketSet buckets) const {
    return readiness_.Kept(std::move(buckets), controllers_);
  }
  /// Returns true if the caches would hold a parent with this uid.
  bool WouldHold(const Uid& parent) const {
    return !hold_ || hold_->buckets == nullptr || hold_->buckets->ContainsUid(parent.str());
  }
  /// Returns the reasons why initial lists are not complete, as messages for users. Returns an
  /// empty list when all initial lists are complete.
  std::vector<std::string> Unsynced() const;

  bool operator==(const CacheSet&) const = default;

 private:
  /// Whether a watch that holds more than is wanted becomes narrower.
  enum class Width { kExact, kKeep };

  void Take(const std::vector<Touched>& touched);
  void WatchAll(std::vector<ResourceSpec> resources, Width width, CacheContext& context);
  void UpdateWatches(Width width, CacheContext& context);
  void DropMissing(const Topology& topology, CacheContext& context);
  void TakeRefusals(const Topology& topology, CacheContext& context);
  void CheckSubresources(WatchId id, CacheContext& context) {
    controllers_.CheckSubresources(id, watches_, context, &changes_);
  }
  Topology TopologyOf(const std::vector<const PlannerDescription*>& descriptions) const {
    return BuildTopology(descriptions, options_, declared_);
  }
  void MoveOver(CacheContext& context);

  Options options_;
  WatchPool watches_;
  Revisions revisions_;
  RevisionMove move_;
  std::vector<DeclaredKind> declared_;
  std::set<std::string> refusals_;              // of the last topology
  std::map<std::string, std::string> refused_;  // now, by controller
  CachedControllers controllers_;
  Readiness readiness_;
  UnavailableWatches unavailable_;
  std::optional<kube::BucketFilter> hold_;  // what Hold says, as that of parents
  std::vector<Changed> changes_;
};

}  // namespace xebec::watcher
