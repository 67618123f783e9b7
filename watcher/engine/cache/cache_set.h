// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/reflector.h"
#include "watcher/engine/cache/revisions.h"
#include "watcher/engine/cache/topology.h"
#include "watcher/engine/cache/watch_set.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// The time of an input, and where its outputs go.
struct CacheContext {
  absl::Duration now;  ///< Monotonic.
  Outputs* out;
};

/// A controller as the caches see it. Its index, the ControllerId, stays for ever.
struct CachedController {
  KindDescription kind;
  bool active = true;  ///< An inactive controller is not planned.
  WatchSet parent;
  std::vector<WatchSet> children;  ///< As kind.children.
  std::vector<WatchSet> related;   ///< As kind.related.
  Counts missing_subresources;     ///< Of the parents' CRD, those that the kind can use.

  bool operator==(const CachedController&) const = default;
};

/// All that is watched: which resources the planner's kinds need, a reflector for each, and what
/// their events mean to which controller. Inputs of the API server go in; Changed comes out. It
/// knows no keys and no plans. A value; the cost of an input does not grow with the number of
/// watches.
class CacheSet {
 public:
  CacheSet(const Options& options, const std::string& identity);

  void On(const DescriptionArrived& input, CacheContext& context);
  void On(const Discovered& input, CacheContext& context);
  void On(const DiscoveryFailed& input, CacheContext& context);
  void On(const ListArrived& input, CacheContext& context);
  void On(const ListFailed& input, CacheContext& context);
  void On(EventsArrived input, CacheContext& context);
  void On(const WatchEnded& input, CacheContext& context);
  void On(const WatchMalformed& input, CacheContext& context);
  /// Runs the timers that are due, and moves over to the next planner revision when it can.
  void OnTick(CacheContext& context);
  /// When OnTick is due; InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;
  /// What has changed since the last call, in order.
  std::vector<Changed> TakeChanges() { return std::exchange(changes_, {}); }

  /// From now on a cache counts as ready only if it holds all that was written before `since`.
  /// Caches that cannot tell are brought up to date.
  void RequireFresh(absl::Duration since, CacheContext& context);
  /// Lists a resource again, because its cache lacks an own write. Changes nothing at once.
  void Doubt(WatchId id, CacheContext& context);
  /// False for a while after Doubt, longer each time.
  bool MayDoubt(WatchId watch, absl::Duration now) const;

  /// A plan that was asked of the current planner revision was made by it.
  void OnOwnPlan() { revisions_.OnOwnPlan(); }
  /// The same, made by another revision: no planner of the current one may be left.
  void OnForeignPlan(const std::string& revision, CacheContext& context);
  /// The planner revision that keys are planned with; empty before the first description.
  std::string revision() const;
  /// Counts the changes of the planner revision.
  uint64_t moves() const { return revisions_.moves(); }

  const std::vector<CachedController>& controllers() const { return controllers_; }
  size_t watches() const { return watches_.size(); }
  bool Active(WatchId watch) const { return watches_[watch].active; }
  const Reflector& reflector(WatchId watch) const { return watches_[watch].reflector; }
  const ObjectStore& store(WatchId watch) const { return watches_[watch].reflector.store(); }
  /// The watch that sees objects of that type and namespace; null when none does.
  const WatchId* Find(const ResourceType& type, const std::string& ns) const;
  /// For users: "pods team-a/web".
  std::string NameOf(WatchId watch, const ObjectKey& object) const;
  /// Null when it is gone or the controller is inactive.
  const StoredObject* Parent(ControllerId controller, const ObjectKey& name) const;
  /// The watch of the controller's parents in a namespace that the controller watches.
  WatchId ParentWatch(ControllerId controller, const std::string& ns) const;
  bool Ready(WatchId watch) const { return watches_[watch].ready; }
  /// All that the controller's plans rest on is ready, or known to be out of reach.
  bool ControllerReady(ControllerId controller) const { return ready_[controller]; }
  /// None of the watches is known to be out of reach.
  bool Readable(const std::vector<WatchId>& watches) const;
  /// What is not listed yet and why, for users; empty when all initial lists are complete.
  std::vector<std::string> Unsynced() const;
  std::vector<ResourceFigures> Figures(absl::Duration now) const;

  bool operator==(const CacheSet&) const = default;

 private:
  /// What a watched resource means to a controller.
  struct Role {
    ControllerId controller = 0;
    Relation relation = Relation::kParent;
    bool labelled = false;  // found by the parent label
    bool operator==(const Role&) const = default;
  };
  /// One resource, in one namespace or in all. Its id stays; an inactive one is not watched.
  struct Watch {
    Reflector reflector;
    bool active = true;
    bool ready = false;
    Availability availability = Availability::kPending;  // when last looked
    bool was_unavailable = false;                        // keys may have been planned without it
    std::vector<Role> roles = {};
    std::set<StreamId> streams = {};
    absl::Duration deadline = absl::InfiniteDuration();
    absl::Duration next_doubt = -absl::InfiniteDuration();
    absl::Duration doubt_pause = absl::Minutes(1);
    bool operator==(const Watch&) const = default;
  };

  // cache_set.cc
  using Handler = absl::FunctionRef<void(Reflector&, ReflectorContext&)>;
  void Touch(WatchId id, CacheContext& context, Handler handler);
  void OnStream(StreamId stream, CacheContext& context, Handler handler);
  void Register(WatchId id);
  void NoticeStatus(WatchId id);
  bool IsReady(const Watch& watch) const;
  bool IsReady(const CachedController& controller) const;
  bool Usable(const WatchSet& set) const;
  const WatchSet& WatchesOf(const ResourceType& type) const;

  // cache_kinds.cc: what is watched.
  void UpdateWatches(CacheContext& context);
  void DropMissing(const Topology& topology, CacheContext& context);
  void WatchResource(const ResourceSpec& spec, CacheContext& context);
  void IndexWatches();
  void TakeController(const KindDescription& kind);
  void AssignRoles();
  void MaybeMoveOver(CacheContext& context);
  void MoveOver(CacheContext& context);
  bool CandidateIsWatched() const;
  ReflectorPolicy PolicyOfReflectors() const;
  void CheckSubresources(WatchId id, CacheContext& context);

  // cache_changes.cc: what events mean.
  void TakeChange(WatchId id, bool first, const StoreChange& change);
  void TakeParent(const Role& role, bool first, const StoreChange& change);
  void TakeChild(WatchId id, const Role& role, const StoreChange& change);
  void NoticeAvailability(WatchId id);

  Options options_;
  std::string identity_;
  Revisions revisions_;
  std::set<std::string> refusals_;  // told
  std::vector<Watch> watches_;
  std::map<ResourceType, WatchSet> watch_sets_;  // of the active ones
  std::vector<CachedController> controllers_;
  std::vector<bool> ready_;  // by controller
  std::map<StreamId, WatchId> streams_;
  std::set<std::pair<absl::Duration, WatchId>> deadlines_;
  std::vector<Changed> changes_;
  absl::Duration fresh_since_ = -absl::InfiniteDuration();
  absl::Duration move_by_ = absl::InfiniteDuration();
  bool check_move_ = false;
  StreamId last_stream_ = 0;
};

}  // namespace xebec::watcher
