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

#include "applier/engine/admission/fence.h"
#include "applier/engine/admission/lease_reads.h"
#include "applier/engine/admission/policy.h"
#include "applier/engine/budget/deletion_window.h"
#include "applier/engine/budget/request_budget.h"
#include "applier/engine/budget/stream_credits.h"
#include "applier/engine/events/event_queue.h"
#include "applier/engine/health/applier_health.h"
#include "applier/engine/outcomes/refusal.h"
#include "applier/engine/run/plan_run.h"
#include "applier/engine/run/ready_queue.h"

namespace xebec::applier {

/// Settings of a dispatcher; every default is what the product ships.
struct DispatcherOptions {
  Policy policy;
  std::string lease_namespace = "xebec-system";
  std::string lease_prefix = "xebec-watcher-";  ///< "assignment" follows.
  uint32_t credits_per_stream = 64;
  uint32_t credits_total = 512;
  LimitBounds budget;
  EventSource events;
};

// Outputs.

/// Send the request to the API server and pass the answer to OnAnswer with the id.
struct SendRequest {
  uint64_t id;
  kube::ApiRequest request;
};
/// A plan has ended. If its stream is gone, the report is only logged.
struct PlanEnded {
  StreamKey stream;
  uint64_t ticket;
  Report report;
  std::vector<std::string_view> verbs;  ///< Metric labels of the outcomes: "apply", "status", ...
  absl::Duration took;                  ///< Since Submit.
  bool returns_credit = true;           ///< False: another stream gets it, or none.
};
/// Allow the stream to send so many more plans.
struct GrantCredits {
  StreamKey stream;
  uint32_t count;
};
using DispatcherOutput = std::variant<SendRequest, PlanEnded, GrantCredits>;
using DispatcherOutputs = std::vector<DispatcherOutput>;

/// Takes plans and returns their reports. A plan passes these steps:
///
///   Submit ──> sequence, limits ──> queue of its parent ──> fence (assignment) ──> PlanRun ──>
///   PlanEnded
///              (Fence, Policy)      (one plan at a time)    (LeaseReads)           (RequestBudget)
///
/// Events are published while no plan runs. An event that waits for too long is published while
/// plans run, one at a time. A single-threaded value: no clock, no I/O, no randomness. The same
/// inputs result in the same outputs, which the service carries out in their order.
class Dispatcher {
 public:
  explicit Dispatcher(DispatcherOptions options);

  /// A stream begins and gets its first credits. Keys are never used twice.
  DispatcherOutputs Open(StreamKey stream);
  /// A stream ended. No further operation of its plans is started, also not of plans that arrive
  /// later.
  DispatcherOutputs Close(StreamKey stream, const Instant& now);
  /// A plan arrived. PlanEnded has the same `ticket`. `random` is the seed for PlanRun.
  DispatcherOutputs Submit(StreamKey stream, uint64_t ticket, Plan plan, std::string random,
                           const Instant& now);
  /// Takes the answer to a SendRequest, `latency` after it was sent.
  DispatcherOutputs OnAnswer(uint64_t id, const kube::ApiResponse& response, absl::Duration latency,
                             const Instant& now);
  /// Called about once a second.
  DispatcherOutputs Tick(const Instant& now);
  /// Returns new plans as not started. Plans that run continue.
  void Drain() { draining_ = true; }
  /// Starts no further request and drops the events that wait.
  DispatcherOutputs AbortAll(const Instant& now);

  /// True if there is no plan and no request in flight.
  bool Idle() const { return plans() == 0 && flights_.empty(); }
  /// The number of plans that run or wait.
  size_t plans() const;
  size_t waiting_events() const { return events_.size(); }
  uint64_t dropped_events() const { return events_.dropped(); }
  const RequestBudget& budget() const { return budget_; }
  /// Reads of the assignment that failed, by HTTP status; 0 means that no answer arrived.
  const std::map<int, uint64_t>& lease_errors() const { return leases_.errors(); }
  const ApplierHealth& health() const { return health_; }

 private:
  /// A plan that has not started.
  struct Pending {
    StreamKey stream;
    uint64_t ticket;
    Plan plan;
    std::string random;
    absl::Duration arrived;
    std::vector<std::string_view> verbs;
    std::optional<absl::Duration> fenced_since =
        std::nullopt;  // when it began to wait for the assignment
  };
  struct Running {
    StreamKey stream;
    uint64_t ticket;
    PlanRun run;
    absl::Duration arrived;
    std::vector<std::string_view> verbs;
    DeletionWindow::Reservation reservation = 0;  // 0: none
  };
  struct RunFlight {
    uint64_t run, request;
    RequestClass name;
  };
  struct LeaseFlight {};
  struct EventFlight {
    EventRequest event;
  };
  using Flight = std::variant<RunFlight, LeaseFlight, EventFlight>;

  void StartNext(const std::string& parent, const Instant& now);
  void Begin(Pending pending, const Instant& now);
  void StartRun(Pending pending, const Instant& now);
  void ReadLease(const Instant& now);
  void OnLease(const kube::ApiResponse& response, const Instant& now);
  void OnRunAnswer(const RunFlight& flight, const kube::ApiResponse& response,
                   absl::Duration latency, const Instant& now);
  void FailWaiting(const LeaseFailure& failure, const Instant& now);
  void Step(uint64_t id, const Instant& now);
  void ExpireRuns(const Instant& now);
  void EndIfDone(uint64_t id, const Instant& now);
  void EndPlan(PlanEnded ended);
  void Refuse(const Pending& pending, const Refused& refused, const Instant& now);
  void RefuseFenced(const Pending& pending, const FenceAnswer& answer, const Instant& now);
  void DropWaiting(StreamKey stream, const Instant& now);
  void Pump(const Instant& now);
  void PumpEvents(const Instant& now);
  size_t EventsAllowed(const Instant& now) const;
  uint64_t Send(Flight flight, kube::ApiRequest request);
  DispatcherOutputs Flush(const Instant& now);

  DispatcherOptions options_;
  std::string assignment_;  // name of its Lease
  Fence fence_;
  DeletionWindow deletions_;
  LeaseReads leases_;
  ApplierHealth health_;
  RequestBudget budget_;
  EventQueue events_;
  StreamCredits credits_;
  bool draining_ = false;
  bool aborted_ = false;
  uint64_t next_id_ = 1;
  // By uid of the parent. An entry means that a plan of the parent runs or is fenced.
  std::map<std::string, std::deque<Pending>> waiting_;
  std::vector<Pending> fenced_;  // wait for the assignment
  std::map<uint64_t, Running> runs_;
  ReadyQueue ready_;
  std::map<uint64_t, Flight> flights_;
  size_t events_in_flight_ = 0;
  DispatcherOutputs out_;
};

}  // namespace xebec::applier
