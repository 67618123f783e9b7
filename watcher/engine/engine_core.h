// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/queue/deletion_budget.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/deferral.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {

/// What the engine keeps of one controller beside its caches; by ControllerId.
struct Controller {
  WorkQueue queue;
  DeletionBudget budget;
  ControllerFigures figures;

  bool operator==(const Controller&) const = default;
};

/// The engine's state and its handlers, each group in a file of its own (engine_*.cc). Private to
/// the engine.
struct EngineCore {
  EngineCore(Options engine_options, std::string watcher_identity);

  Outputs Step(const Instant& instant, Input input);
  absl::Duration NextDeadline() const;
  bool operator==(const EngineCore& other) const;

  // engine_inputs.cc: one handler for each input.
  void On(const DescriptionArrived& input);
  void On(Discovered input);
  void On(DiscoveryFailed input);
  void On(ListArrived input);
  void On(ListFailed input);
  void On(EventsArrived input);
  void On(WatchEnded input);
  void On(WatchCorrupt input);
  void On(CapacityChanged input);
  void On(PlanArrived input);
  void On(const PlanFailed& input);
  void On(const ReportArrived& input);
  void On(const PlanUnreadable& input);
  void On(ReportLost input);
  void On(const LiveArrived& input);
  void On(const LiveFailed& input);
  void On(const LeaseSeen& input);
  void On(const LeaseReadFailed& input);
  void On(const LeaseWriteFailed& input);
  void On(Tick input);
  void On(Stop input);
  void RunTimers();

  // engine_changes.cc: what the caches tell, and whom it concerns.
  CacheContext Context() { return {now.monotonic, &out}; }
  template <typename Event>
  void Take(Event input);
  void TakeChanges();
  void OnChange(const ParentAdded& change, std::set<KeyId>* touched);
  void OnChange(const ParentRemoved& change, std::set<KeyId>* touched);
  void OnChange(const ParentChanged& change, std::set<KeyId>* touched);
  void OnChange(const ParentWritten& change, std::set<KeyId>* touched);
  void OnChange(const ChildChanged& change, std::set<KeyId>* touched);
  void OnChange(const RelatedChanged& change, std::set<KeyId>* touched);
  void OnChange(const NameChanged& change, std::set<KeyId>* touched);
  void OnChange(const Relisted& change, std::set<KeyId>* touched);
  void OnChange(const Progressed& change, std::set<KeyId>* touched);
  void OnChange(const ControllerMatched& change, std::set<KeyId>* touched);
  void OnChange(const SubresourcesChanged& change, std::set<KeyId>* touched);
  void OnChange(const RevisionMoved& change, std::set<KeyId>* touched);
  void MatchKeys(ControllerId id, WatchId watch, const std::string& ns);

  // engine_keys.cc: keys and the queue.
  Controller& ControllerOfKey(KeyId key);
  const Controller& ControllerOfKey(KeyId key) const;
  const StoredObject* ParentOf(KeyId key) const;
  const CachedController& CachedOf(KeyId key) const;
  WatchId ParentWatch(KeyId key) const;
  ObjectRef RefOf(KeyId key) const;
  void Trigger(KeyId key, Priority priority, std::string reason, bool urgent = false);
  void Forget(KeyId key);
  void RequeueAll(const std::string& reason);

  // engine_plan.cc: from the queue to the plan.
  bool MaySend(KeyId key) const;
  void Dispatch();
  void StartPass(TakenKey taken);
  void Ask(KeyId key, std::vector<std::string> reasons);
  void OnPlan(KeyId key, Plan plan);
  void Accept(KeyId key, Plan plan);
  void HoldBackWhatMust(KeyId key, Plan* plan);
  void HoldBackDeletions(KeyId key, Plan* plan);
  bool Superseded(KeyId key) const;
  void Supersede(KeyId key, const std::string& why);
  const char* Vain(KeyId key) const;
  bool Outdated(KeyId key) const;
  void Abandon(KeyId key, const std::string& why);
  enum class NoPlan { kUnusable, kUnreadable, kStranger };  // none came, or one of another moment
  void FailPlan(KeyId key, const std::string& why, NoPlan reason);
  void PumpPlans();
  void Send(KeyId key);
  std::string PassId(uint64_t sequence) const;
  std::optional<KeyId> TakeInFlight(uint64_t sequence);

  // engine_report.cc: from the report to the end of the pass.
  void OnReport(KeyId key, const Report& report);
  void OnUnreadable(KeyId key, const std::string& why);
  void CountOutcomes(KeyId key, const Settlement& settlement);
  void JudgeReport(KeyId key, const Plan& plan, const Report& report, const Settlement& settlement);
  void JudgePlan(const Plan& plan, Ending* ending) const;
  void TakeRequirements(KeyId key, const Plan& plan, const std::vector<Outcome>& outcomes);
  void Require(KeyId key, const Operation* operation, const Outcome& outcome);
  std::string KnownVersion(KeyId key, const Operation& operation) const;
  void AwaitFates(KeyId key, const Settlement& settlement, absl::Duration until);
  void Conclude(KeyId key);
  void Finish(KeyId key);
  void FinishAgain(KeyId key, const Ending& ending);
  void FinishRetry(KeyId key, const Ending& ending);
  void FinishWanted(KeyId key, const Ending& ending);
  void FinishQuiet(KeyId key, const Ending& ending);
  void FinishRest(KeyId key, const Ending& ending);
  void CountPass(KeyId key, const Pass& pass);
  void PayForWrites(KeyId key, const std::vector<uint64_t>& writes);
  void SetWanted(KeyId key, std::vector<ObjectRef> names);

  // engine_gate.cc: waiting for the cache.
  bool GateOpen(KeyId key);
  bool Meets(KeyId key, Requirement* requirement);
  bool Suspect(KeyId key, Requirement* requirement);
  void ListAnewFor(KeyId key, const Requirement& requirement);
  void SuspectTheDeaf(KeyId key);
  void WaitAtGate(KeyId key);
  void Recheck(KeyId key);
  bool Wants(KeyId key) const;
  void ArmGate(KeyId key);
  void OnPassTimer(KeyId key);
  void OnGateTimeout(KeyId key);
  void SetTimer(KeyId key, absl::Duration when);

  // engine_reads.cc: live reads.
  void StartReads(KeyId key, ReadPurpose purpose, std::vector<ObjectRef> refs);
  void SendRead(KeyId key, LiveRead* read);
  LiveRead* TakeRead(ReadId id, KeyId* key);
  void RetryReads(KeyId key);
  bool ReadsAreVain(KeyId key) const;
  void AbandonReads(KeyId key);
  void FinishReads(KeyId key);
  void TakeFates(KeyId key, const std::vector<LiveRead>& found);
  void TakeLists(KeyId key, const std::vector<LiveRead>& found);
  void RequireSeen(KeyId key, const ObjectRef& ref, const StoredObject& object);
  bool TakeLiveParent(KeyId key, const std::vector<LiveRead>& found);
  std::vector<ObjectRef> ListsOf(KeyId key, const std::vector<ResourceType>* only) const;
  size_t FullReads() const;

  // engine_lease.cc: leadership and the end.
  uint32_t BucketOfKey(KeyId key) const;
  /// Changes whenever what was seen before counts no more: with leadership and planner revision.
  uint64_t World(KeyId key) const {
    return leadership.Acquisitions(BucketOfKey(key)) + cache.moves();
  }
  void OnLeadership();
  void AbandonWaiting(const char* why);
  void Unshelve();
  void Acquired(uint32_t bucket);
  void MaybeDrain();

  // engine_observe.cc: what a planner sees.
  /// What is taken from caches: contents, by uid and version, and the uids of children.
  struct Seen {
    std::string versions;
    std::set<std::string> children;
  };
  /// The uids of cached children are added to `shown`, which may be null; TakeLists adds those read
  /// live.
  Observation Observe(KeyId key, const Pass* pass, const StoredObject& parent,
                      std::set<std::string>* shown) const;
  Envelope EnvelopeOf(KeyId key, const StoredObject& parent) const;
  std::vector<ObjectGroup> Children(KeyId key, const Pass* pass, Seen* seen) const;
  /// An operation on an existing object that is neither the parent nor a child that the planner was
  /// shown; null when there is none.
  const Operation* TouchesAStranger(KeyId key, const Plan& plan) const;
  void AddCached(const ChildRule& rule, const KeyRecord& record, const ObjectStore& store,
                 ObjectGroup* group, Seen* seen) const;
  std::vector<ObjectGroup> Related(KeyId key, std::string* versions) const;
  bool OwnedByRule(const ChildRule& rule, const KeyRecord& record, const ObjectKey& object,
                   const StoredObject& child) const;

  // engine_view.cc: what people see.
  KeyView View(KeyId key) const;
  KeyState StateOf(KeyId key) const;
  std::string Explain(KeyId key) const;
  std::vector<std::string> WaitingFor(KeyId key) const;
  EngineFigures Figures(const Instant& instant) const;
  bool Synced() const { return Unsynced().empty(); }
  std::vector<std::string> Unsynced() const { return cache.Unsynced(); }

  void Tell(Note::Level level, std::string what, std::string detail, std::optional<KeyId> key = {});

  Options options;
  std::string identity;
  Instant now;
  Outputs out;

  CacheSet cache;
  std::map<WatchId, WatermarkWaits> cache_waits;
  std::vector<Controller> controllers;
  KeyTable keys;
  WantedNames wanted;
  std::map<KeyId, Pass> passes;
  std::map<uint64_t, KeyId> in_flight;  // by sequence
  std::map<ReadId, KeyId> reads;
  std::set<std::pair<absl::Duration, KeyId>> timers;  // of passes
  std::deque<KeyId> waiting;                          // plans for an applier's slot

  Leadership leadership;
  std::set<KeyId> shelved;  // taken from the queue while their bucket was not led

  CapacityChanged capacity;
  uint32_t planning = 0;
  uint32_t applying = 0;
  uint64_t last_sequence = 0;
  StreamId last_stream = 0;
  ReadId last_read = 0;
  bool stopping = false;
  bool drained = false;
};

}  // namespace xebec::watcher
