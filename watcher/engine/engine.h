// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/cache/watches/transfer_page.h"
#include "watcher/engine/controller_places.h"
#include "watcher/engine/declarations/declared_controllers.h"
#include "watcher/engine/engine_state.h"
#include "watcher/engine/engine_view.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/key_view.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/leadership/members_view.h"
#include "watcher/engine/membership.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/key_queues.h"
#include "watcher/engine/reconcile/run_table.h"

namespace xebec::watcher {

/// Everything that the watcher decides. It routes inputs to its components (caches, queues,
/// reconciles, leadership, declarations) and applies their effects. A single-threaded value: no
/// clock, threads, sockets or randomness; copyable; the same inputs give the same outputs.
class Engine {
 public:
  /// `identity` is fresh for every process.
  Engine(Options options, std::string identity);

  /// Takes one input and returns what the host must do. `now.monotonic` never goes back from call
  /// to call. The host carries the outputs out in their order, or queues each in its order without
  /// waiting for the ones before; the order matters between outputs with the same stream, the same
  /// bucket and the same sequence only. What the host owes for each:
  /// - Discover: one Discovered or DiscoveryFailed of that type.
  /// - Resolve: one Resolved or ResolveFailed of that resource.
  /// - CallHook: one HookAnswered of that sequence, within the call's timeout.
  /// - StartList: one ListArrived or ListFailed of that stream.
  /// - StartWatch: any number of EventsArrived and WatchMalformed of that stream in the order of
  ///   the watch, then one WatchEnded.
  /// - StopStream: nothing more of that stream; inputs that are under way are ignored.
  /// - SendObservation: one PlanArrived or PlanFailed of that sequence, within `timeout`.
  /// - SendPlan: one ReportArrived, PlanUnreadable or ReportLost of that sequence, within
  ///   `timeout`.
  /// - LiveGet, LiveList: one LiveArrived or LiveFailed of that read.
  /// - WriteLease: one LeasesSeen with that Lease, or one LeaseWriteFailed. Besides, all Leases and
  ///   then their changes come as LeasesSeen without being requested.
  /// - Note: nothing; the host logs and counts it.
  /// - Drained: nothing; the host may end.
  /// After a Stop, buckets are planned until other watchers can plan them at once, but no longer
  /// than Options::move_timeout.
  /// An answer that comes twice or late is ignored. For one that never comes the Engine waits until
  /// its own time-out, which is 10 s longer.
  Outputs Step(const Instant& now, Input input);

  /// When a Tick is due at the latest (monotonic); InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;

  /// Returns the reasons why initial lists are not complete, as messages for users. Returns an
  /// empty list when all initial lists are complete.
  std::vector<std::string> Unsynced() const { return View().Unsynced(); }
  /// This process may send plans of that bucket.
  bool Leads(uint32_t bucket = 0) const {
    return !membership_.stopping() && leadership_.Leads(bucket, now_.monotonic);
  }
  const Leadership& leadership() const { return leadership_; }

  /// Is called once for every kind, not for every key.
  using KindFilter = EngineView::KindFilter;
  /// The parents of that name, of each kind that `kind` is true of. Costs a look-up for each kind.
  std::vector<KeyView> Find(const KindFilter& kind, const ObjectKey& name) const {
    return View().Find(kind, name);
  }
  /// At most `limit` (at least 1) keys of the kinds that `kind` is true of, in the namespace `ns`
  /// unless that is empty, sorted by resource, namespace, name and controller. `token`:
  /// KeyPage::next of the part before, or empty. Tokens stay good when keys come and go. Costs
  /// O(limit).
  KeyPage List(const KindFilter& kind, const std::string& ns, const std::string& token,
               size_t limit) const {
    return View().List(kind, ns, token, limit);
  }
  /// The observation that would be sent now; nullopt for an unknown key. An empty controller means
  /// any.
  std::optional<Observation> Observe(const ObjectRef& ref, const Instant& now,
                                     const std::string& controller = "") const {
    return View().Observe(ref, now, controller);
  }
  /// Returns those buckets of this watcher of which Find, List and Observe may lack parents of the
  /// kinds that `kind` is true of, because their lists are not complete.
  UnlistedBuckets Unlisted(const KindFilter& kind) const { return View().Unlisted(kind); }
  /// Returns a page of objects for the next holder of their buckets; see TransferObjects.
  absl::StatusOr<TransferPage> TransferObjects(const TransferRequest& request) const {
    return watcher::TransferObjects(cache_.watches(), request);
  }
  /// The watchers of the installation, as far as this one knows them.
  MembersView Members(const Instant& now) const { return View().Members(now); }
  /// Figures for metrics. The cost does not grow with the number of keys.
  EngineFigures Figures(const Instant& now) const { return View().Figures(now); }

  /// Compares content: engines that were fed the same inputs are equal.
  bool operator==(const Engine& other) const;

 private:
  // Inputs and time.
  void Take(Input input);
  void RunTimers(absl::Duration heard);
  void RunDeclarations();
  void Advance();
  void Dispatch();
  void StartRun(TakenKey taken);
  void RunSweeps();
  // Leadership.
  void CancelWaiting();
  template <typename Predicate>
  void CancelUnsent(const Predicate& of, const char* why);
  void Yield();
  // Changes of the caches.
  void TakeChanges();
  void Apply(const KeyChange& change);
  // Runs.
  template <typename Answer>
  void Route(std::optional<KeyId> key, Answer& answer);
  template <typename Call>
  void Drive(KeyId key, const Call& call);
  void Apply(KeyId key, Effects effects);
  void TakeReply(KeyId key, const HookReply& reply, absl::Duration begun);
  void Finish(KeyId key);
  // Keys.
  void Queue(KeyId key, Priority priority, std::string reason, bool urgent = false);
  void Forget(KeyId key);

  EngineState State() const {
    return {options_,
            identity_,
            now_,
            cache_,
            declared_,
            queues_,
            runs_,
            leadership_,
            credits_,
            membership_.held(),
            membership_.stopping()};
  }
  EngineView View() const { return EngineView(State()); }
  ControllerPlaces Places() { return {options_, leadership_, cache_, queues_, declared_}; }
  CacheContext ForCache() { return {now_.monotonic, &out_}; }
  MembershipContext ForMembership() {
    return {now_.monotonic, leadership_, cache_, queues_, &out_};
  }

  Options options_;
  std::string identity_;
  Instant now_;
  Outputs out_;  // of the present step
  CacheSet cache_;
  DeclaredControllers declared_;
  KeyQueues queues_;
  RunTable runs_;
  WatermarkWaits waits_;
  Leadership leadership_;
  Membership membership_;
  Sequences sequences_;
  CreditsChanged credits_;
};

}  // namespace xebec::watcher
