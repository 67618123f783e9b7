// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "watcher/engine/io.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/completion.h"
#include "watcher/engine/reconcile/live_objects.h"
#include "watcher/engine/reconcile/live_reads.h"
#include "watcher/engine/reconcile/plan_basis.h"
#include "watcher/engine/reconcile/run_result.h"
#include "watcher/engine/reconcile/turn.h"

namespace xebec::watcher {

enum class RunState {
  kPlanning,         ///< A planner has the observation.
  kAsking,           ///< A hook is called.
  kAwaitingApplier,  ///< The plan waits for a credit of an applier.
  kApplying,         ///< An applier has the plan.
  kInDoubt,  ///< The outcome of some writes is unknown. Waits until they can no longer be executed.
  kReading,  ///< Waits for live reads.
  kWaitingForCache,  ///< Waits until the caches contain its own writes.
};
inline constexpr size_t kRunStates = 7;

/// The part of a run's state that RunTable indexes.
struct RunStatus {
  RunState state = RunState::kPlanning;
  absl::Duration timer;  ///< When OnTimer is due (monotonic); InfiniteDuration for never.
  /// The sequence of the unanswered observation, hook call or plan; 0 for none.
  uint64_t sequence = 0;
  bool reads_many = false;  ///< True while it reads parent and children, or lists of them, live.
  bool in_doubt = false;    ///< True while the outcome of a write is unknown.
  /// True if the run needs OnTurn: the gate has timed out while changes wait, or the planner has
  /// requested live lists.
  bool wants_turn = false;

  bool operator==(const RunStatus&) const = default;
};

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
  /// Ends a run whose plan waits for an applier, or whose live lists wait for their turn.
  Effects Cancel(const std::string& why, const RunContext& context);

  /// A change of the key was queued. The timeout of the gate starts now.
  void OnQueued(const Options& options, absl::Duration now);
  /// A child was added or changed.
  void OnChildChange() { basis_.OnChildChange(); }
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

  RunStatus status() const;
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
  struct Planning {
    uint64_t sequence;
    bool operator==(const Planning&) const = default;
  };
  struct Asking {
    uint64_t sequence;
    HookRequest request;
    absl::Duration since;
    std::optional<std::string> first;  ///< The answer that this call checks.
    bool operator==(const Asking&) const = default;
  };
  struct AwaitingApplier {
    Plan plan;
    absl::Duration since;
    bool operator==(const AwaitingApplier&) const = default;
  };
  struct Applying {
    uint64_t sequence;
    absl::Duration sent;
    std::shared_ptr<const Plan> plan;
    /// Compares the plans, not their addresses.
    friend bool operator==(const Applying& a, const Applying& b) {
      const bool same = a.plan == b.plan || (a.plan && b.plan && *a.plan == *b.plan);
      return same && a.sequence == b.sequence && a.sent == b.sent;
    }
  };
  struct InDoubt {
    std::vector<ObjectRef> objects;
    bool operator==(const InDoubt&) const = default;
  };
  struct WaitingForCache {
    absl::Duration since;
    bool operator==(const WaitingForCache&) const = default;
  };
  /// The observation that the present plan is made from, of a declared controller: it is planned
  /// again with the answers of the hook. Compares contents.
  struct Frozen {
    std::shared_ptr<const Observation> observation;
    friend bool operator==(const Frozen& a, const Frozen& b) {
      const bool both = a.observation && b.observation;
      return a.observation == b.observation || (both && *a.observation == *b.observation);
    }
  };
  enum class NoPlan { kUnusable, kUnreadable, kNotOwned };

  /// Calls the handler if the state is `State`.
  template <typename State, typename Handler>
  Effects In(const RunContext& context, const Handler& handler) {
    Turn turn(context, envelope_);
    if (auto* state = std::get_if<State>(&state_)) handler(*state, &turn);
    return turn.Close();
  }
  void Request(std::vector<std::string> reasons, Turn* turn);
  void Submit(Observation observation, Turn* turn);
  void Ask(const Plan& plan, Turn* turn);
  void CallTheHook(HookRequest request, std::optional<std::string> first, Turn* turn);
  void ReviewAnswers(const Plan& plan, Turn* turn) const;
  void TakeOwnPlan(Plan plan, Turn* turn);
  void Accept(Plan plan, Turn* turn);
  void Send(Turn* turn);
  void FailPlan(const std::string& why, NoPlan reason, Turn* turn);
  void Complete(const Report& report, Turn* turn);
  void BeginReads(Turn* turn);
  void OnReadTurn(Turn* turn);
  void FailReads(Turn* turn);
  void StartReads(ReadPurpose purpose, std::vector<ObjectRef> refs, Turn* turn);
  void FinishReads(Turn* turn);
  void SendReads(Turn* turn);
  void RetryReads(Turn* turn);
  void OnGateTimeout(bool has_turn, Turn* turn);
  void End(Next next, const std::string& why, Turn* turn);
  void Conclude(Turn* turn);

  Envelope envelope_;  // as sent with the observation
  PlanBasis basis_;    // of the observation
  absl::Duration queued_;
  absl::Duration started_;
  absl::Duration timer_ = absl::InfiniteDuration();
  std::variant<Planning, Asking, AwaitingApplier, Applying, InDoubt, LiveReads, WaitingForCache>
      state_;
  RunResult result_;
  CacheGate gate_;
  LiveObjects live_;
  Frozen frozen_;
  bool read_lists_ = false;                   // the planner received its live lists
  std::vector<std::string> parent_versions_;  ///< Of OnParentWritten, without own finalizers.
  uint32_t read_failures_ = 0;
  bool wants_turn_ = false;
};

}  // namespace xebec::watcher
