// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "watcher/engine/io.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/child_writes.h"
#include "watcher/engine/reconcile/completion.h"
#include "watcher/engine/reconcile/hook_rounds.h"
#include "watcher/engine/reconcile/live_objects.h"
#include "watcher/engine/reconcile/live_reads.h"
#include "watcher/engine/reconcile/plan_basis.h"
#include "watcher/engine/reconcile/run_record.h"
#include "watcher/engine/reconcile/run_result.h"
#include "watcher/engine/reconcile/run_states.h"
#include "watcher/engine/reconcile/turn.h"

namespace xebec::watcher {

/// One reconcile of a parent: observation, plan, report, live reads, until the cache-sync gate is
/// open. A key has at most one run. A value: each call takes an input, may write into the key's
/// record, and returns the effects that the caller must carry out. Inputs that do not fit the state
/// are ignored.
class ReconcileRun {
 public:
  /// `queued` is the time of the change that caused the reconcile; `started` is the current time
  /// (monotonic).
  ReconcileRun(absl::Duration queued, absl::Duration started)
      : queued_(queued), started_(started) {}

  /// Observes the parent, which must be in the cache, and requests a plan.
  Effects Start(std::vector<std::string> reasons, const RunContext& context);
  Effects On(PlanArrived input, const RunContext& context);
  Effects On(const PlanFailed& input, const RunContext& context);
  Effects On(HookAnswered input, const RunContext& context);
  Effects On(const ReportArrived& input, const RunContext& context);
  Effects On(const PlanUnreadable& input, const RunContext& context);
  Effects On(const ReportLost& input, const RunContext& context);
  Effects On(const LiveArrived& input, const RunContext& context);
  Effects On(const LiveFailed& input, const RunContext& context);
  /// RunStatus::timer is due.
  Effects OnTimer(const RunContext& context);
  /// An applier has a credit for the plan: sends the plan, or ends the run if the plan is stale.
  Effects OnCredit(const RunContext& context);
  /// The caches have changed: checks the gate.
  Effects OnCacheProgress(const RunContext& context);
  /// Allows the run to read parent and children, or lists, live; see RunStatus::wants_turn.
  Effects OnTurn(const RunContext& context);
  /// Ends a run that has sent no plan (IsUnsent). Answers that arrive later find no run.
  Effects Cancel(const std::string& why, const RunContext& context);

  /// A change of the key was queued. The timeout of the gate starts now.
  void OnQueued(const Options& options, absl::Duration now);
  /// A child was added or changed; `reason` is that of the change. Returns true if the key need not
  /// be planned because of it: it is a write of this run that its plan covers, or the run will
  /// compare it with its report.
  bool OnChildChange(const ObjectVersion& child, const std::string& reason);
  /// A client wrote the parent, without a change by a user. Returns false if the run will not
  /// compare that write with its report.
  bool OnParentWritten(const std::string& version) {
    if (state_.index() > static_cast<size_t>(RunState::kApplying)) return false;
    parent_versions_.push_back(version);
    return true;
  }
  /// The outstanding live reads will show the changes with these reasons.
  void Cover(std::vector<std::string> reasons) {
    if (auto* reads = std::get_if<LiveReads>(&state_)) reads->reasons = std::move(reasons);
  }

  RunStatus status() const { return StatusOf(state_, timer_, wants_turn_); }
  /// Returns the outstanding live reads.
  std::vector<ReadId> reads() const {
    const auto* reads = std::get_if<LiveReads>(&state_);
    return reads == nullptr ? std::vector<ReadId>{} : reads->Outstanding();
  }
  absl::Duration started() const { return started_; }
  const CacheGate& gate() const { return gate_; }
  const Envelope& envelope() const { return envelope_; }
  const RunResult& result() const { return result_; }
  /// True if OnParentWritten was called with another version than `own`, the version of the last
  /// status write, and no live read has shown that version since.
  bool ParentWrittenBeside(const std::string& own) const {
    return std::any_of(parent_versions_.begin(), parent_versions_.end(),
                       [&own](const std::string& version) { return version != own; });
  }

  bool operator==(const ReconcileRun&) const = default;

 private:
  using Planning = run_states::Planning;
  using Asking = run_states::Asking;
  using AwaitingApplier = run_states::AwaitingApplier;
  using Applying = run_states::Applying;
  using InDoubt = run_states::InDoubt;
  using WaitingForCache = run_states::WaitingForCache;

  /// Calls the handler if the state is `State`.
  template <typename State, typename Handler>
  Effects In(const RunContext& context, const Handler& handler) {
    Turn turn(context, envelope_);
    if (auto* state = std::get_if<State>(&state_)) handler(*state, &turn);
    return turn.Close();
  }
  void Request(std::vector<std::string> reasons, Turn* turn);
  void Submit(Observation observation, Turn* turn);
  void Ask(HookRequest request, std::optional<std::string> first, Turn* turn);
  void TakeOwnPlan(Plan plan, Turn* turn);
  void Accept(Plan plan, Turn* turn);
  void Send(Turn* turn);
  void FailPlan(const std::string& why, NoPlan reason, Turn* turn);
  void Complete(const Report& report, Turn* turn);
  void SendReads(Turn* turn);
  void ContinueReads(bool has_turn, Turn* turn);
  void FinishReads(Turn* turn);
  void OnGateTimeout(bool has_turn, Turn* turn);
  void End(Next next, const std::string& why, Turn* turn);
  void Conclude(Turn* turn);

  Envelope envelope_;  // as sent with the observation
  PlanBasis basis_;    // of the observation
  absl::Duration queued_;
  absl::Duration started_;
  absl::Duration timer_ = absl::InfiniteDuration();
  run_states::Any state_;
  RunResult result_;
  CacheGate gate_;
  LiveObjects live_;
  HookRounds hooks_;
  std::set<ReadPurpose> read_for_planner_;    // what the planner requested and received
  std::vector<std::string> parent_versions_;  ///< Of OnParentWritten, without own finalizers.
  ChildWrites child_writes_;                  // not yet compared with the report
  bool wants_turn_ = false;
};

}  // namespace xebec::watcher
