// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "common/model/plan.h"
#include "watcher/engine/io.h"
#include "watcher/engine/reconcile/live_reads.h"

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

/// What a run waits for, and what it needs then. Values, in the order of RunState.
namespace run_states {

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
using Any =
    std::variant<Planning, Asking, AwaitingApplier, Applying, InDoubt, LiveReads, WaitingForCache>;

}  // namespace run_states

/// Returns true if the run works on a plan that was not sent yet: it reads, or waits for a planner,
/// a hook or an applier.
bool IsUnsent(const RunStatus& status);

/// Returns the status of a run in this state.
RunStatus StatusOf(const run_states::Any& state, absl::Duration timer, bool wants_turn);

}  // namespace xebec::watcher
