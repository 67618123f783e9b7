// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "applier/engine/credit_book.h"
#include "applier/engine/deletion_window.h"
#include "applier/engine/event_queue.h"
#include "applier/engine/fence.h"
#include "applier/engine/plan_run.h"
#include "applier/engine/policy.h"
#include "applier/engine/write_budget.h"

namespace xebec::applier {

/// Settings of a dispatcher; every default is what the product ships.
struct DispatcherOptions {
  Policy policy;
  std::string lease_namespace = "xebec-system";
  std::string lease_prefix = "xebec-watcher-";  ///< The bucket's number follows.
  uint32_t credits_per_stream = 64;
  uint32_t credits_total = 512;
  WriteBudget::Options budget;
  EventSource events;
};

// Outputs.

/// Send this to the API server; the answer goes to OnAnswer with the id.
struct SendRequest {
  uint64_t id;
  kube::ApiRequest request;
};
/// A plan has ended. For a stream that is gone there is nobody to tell, only the log.
struct PlanEnded {
  StreamKey stream;
  uint64_t ticket;
  Report report;
  std::vector<std::string_view>
      verbs;            ///< Of report.outcomes, metric labels: "apply", "status", ...
  absl::Duration took;  ///< Since Submit.
};
/// The stream may send so many plans more.
struct GrantCredits {
  StreamKey stream;
  uint32_t count;
};
using DispatcherOutput = std::variant<SendRequest, PlanEnded, GrantCredits>;
using DispatcherOutputs = std::vector<DispatcherOutput>;

/// Everything between the arrival of plans and their reports: fence, limits, one plan at a time for
/// each parent, the write budget shared fairly, the Lease reads of the fence, events when there is
/// room. A single-threaded value: no clock, no I/O, no randomness; the same inputs give the same
/// outputs.
class Dispatcher {
 public:
  explicit Dispatcher(DispatcherOptions options);

  /// A stream begins: it is granted its first credits. Keys are never used twice; 0 is for unary
  /// calls.
  DispatcherOutputs Open(StreamKey stream);
  /// A stream ended: nothing of its plans is started any more.
  DispatcherOutputs Close(StreamKey stream, const Instant& now);
  /// A plan arrived. `ticket` comes back in PlanEnded; `random` is for PlanRun.
  DispatcherOutputs Submit(StreamKey stream, uint64_t ticket, Plan plan, std::string random,
                           const Instant& now);
  /// The caller of a unary plan is gone: as Close, for this ticket.
  DispatcherOutputs Cancel(StreamKey stream, uint64_t ticket, const Instant& now);
  /// Answer to a SendRequest, `latency` after it was sent.
  DispatcherOutputs OnAnswer(uint64_t id, const kube::ApiResponse& response, absl::Duration latency,
                             const Instant& now);
  /// To be called every second or so.
  DispatcherOutputs Tick(const Instant& now);
  /// New plans are sent back not started; those that run go on.
  void Drain() { draining_ = true; }
  /// Starts nothing more at all; events that still wait are dropped.
  DispatcherOutputs AbortAll(const Instant& now);

  /// No plan is here and no write is in flight.
  bool Idle() const { return plans() == 0 && flights_.empty(); }
  /// Plans that are here, running or waiting.
  size_t plans() const;
  size_t waiting_events() const { return events_.size(); }
  uint64_t dropped_events() const { return events_.dropped(); }
  const WriteBudget& budget() const { return budget_; }

 private:
  /// A plan that has not begun.
  struct Pending {
    StreamKey stream;
    uint64_t ticket;
    Plan plan;
    std::string random;
    absl::Duration arrived;
    std::vector<std::string_view> verbs;
    std::optional<absl::Duration> fenced_since = std::nullopt;  // waits for a read of the Lease
  };
  struct Running {
    StreamKey stream;
    uint64_t ticket;
    PlanRun run;
    absl::Duration arrived;
    std::vector<std::string_view> verbs;
    size_t reserved_deletions = 0;
    bool ready = false;  // it is in ready_
  };
  struct RunFlight {
    uint64_t run, request;
    bool is_write;
  };
  struct LeaseFlight {
    uint32_t bucket;
    absl::Duration asked;
  };
  struct EventFlight {
    std::string name;
  };
  using Flight = std::variant<RunFlight, LeaseFlight, EventFlight>;

  void Turn(const std::string& parent, const Instant& now);
  void Begin(Pending pending, const Instant& now);
  void StartRun(Pending pending, const Instant& now);
  void ReadLease(uint32_t bucket, const Instant& now);
  void OnLease(const LeaseFlight& flight, const kube::ApiResponse& response, const Instant& now);
  void OnRunAnswer(const RunFlight& flight, const kube::ApiResponse& response,
                   absl::Duration latency, const Instant& now);
  void MakeReady(uint64_t id);
  void Step(uint64_t id, size_t max_writes, const Instant& now);
  void EndIfDone(uint64_t id, const Instant& now);
  void Refuse(const Pending& pending, OutcomeCode code, std::string_view reason,
              std::string_view message, const Instant& now);
  void DropWaiting(StreamKey stream, const uint64_t* ticket, const Instant& now);
  void Pump(const Instant& now);
  void PumpEvents();
  uint64_t Send(Flight flight, kube::ApiRequest request);
  DispatcherOutputs Flush(const Instant& now);

  DispatcherOptions options_;
  Fence fence_;
  DeletionWindow deletions_;
  WriteBudget budget_;
  EventQueue events_;
  CreditBook credits_;
  bool draining_ = false;
  bool aborted_ = false;
  uint64_t next_id_ = 1;
  std::map<std::string, std::deque<Pending>>
      waiting_;                                      // by parent uid; an entry: one runs or reads
  std::map<uint32_t, std::vector<Pending>> fenced_;  // by bucket: wait for its Lease
  std::map<uint64_t, Running> runs_;
  std::deque<uint64_t> ready_;  // runs that may have requests to send
  std::map<uint64_t, Flight> flights_;
  size_t events_in_flight_ = 0;
  DispatcherOutputs out_;
};

}  // namespace xebec::applier
