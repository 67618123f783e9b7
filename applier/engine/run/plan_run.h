// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "applier/engine/admission/policy.h"
#include "applier/engine/budget/request_budget.h"
#include "applier/engine/run/operation_run.h"
#include "applier/engine/status/status_run.h"
#include "common/base/clock.h"
#include "common/kube/api_request.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// A request of a run, which the service sends.
struct RunRequest {
  uint64_t id = 0;  ///< Unique within the run; the answer has the same id.
  kube::ApiRequest request;
  RequestClass name;  ///< Whose budget the request uses.
};

/// Asks whether one more request of a class may be sent now, and reserves it if so.
using TakePermit = std::function<bool(const RequestClass&)>;

/// Carries out one plan: returns the next requests and takes their answers. A value: copyable, no
/// clock, no I/O.
///
/// - The operations of a stage run at the same time, except that operations on the parent run one
///   after the other. A stage starts when all operations of the stage before it have succeeded.
/// - The status is written last, whether or not the operations succeeded, while the parent exists.
/// - Events are not part of the run: Events() returns those to publish.
class PlanRun {
 public:
  /// `plan` has passed the fence and Admit (policy.h). `random` is the seed of the passwords of
  /// ensure-secret operations: at least 16 secret bytes, new for every run. It may be empty for
  /// plans without such operations. `arrived` is monotonic; absent means the time of the first
  /// Next.
  PlanRun(Plan plan, const Policy& policy, std::string random,
          std::optional<absl::Duration> arrived = std::nullopt);

  /// Refuses the plan's deletions with this reason; all other operations run. Called before Next.
  void DeferDeletions(const Refusal& refusal);

  /// Returns the requests to send now, as far as `take` permits; each counts as sent. Starts no
  /// operation after the plan's expiry (plus skew), after Policy::max_plan_age since the plan
  /// arrived, or after Abort.
  std::vector<RunRequest> Next(const Instant& now, const TakePermit& take = Always);
  /// The default of Next: permits every request.
  static bool Always(const RequestClass&) { return true; }
  /// Takes the answer to a request that Next returned. Ignores other ids.
  void On(uint64_t id, const kube::ApiResponse& response, const Instant& now);
  /// Starts nothing more, because the stream ended or the process stops. Operations that were not
  /// started get the outcome NotStarted.
  void Abort(std::string why = "the plan's stream ended before this was started");
  /// True if every operation has an outcome and nothing is in flight.
  bool Done() const;
  /// Returns the report. Called once, after Done.
  Report TakeReport();
  /// The events to publish: the plan's own, and those whose condition holds. Valid after Done.
  const std::vector<EventFact>& Events() const { return events_; }
  /// The number of deletions that certainly deleted nothing: they were not sent, were rejected, or
  /// found no object. Valid after Done.
  size_t CountNotDeleted() const;

  const Envelope& envelope() const { return envelope_; }

 private:
  static constexpr size_t kStatusIndex = std::numeric_limits<size_t>::max();

  bool MayStart(const Instant& now);
  void Start(OperationRun* run, size_t index, const TakePermit& take, std::vector<RunRequest>* out);
  void StartStatus(const Instant& now, const TakePermit& take, std::vector<RunRequest>* out);
  void EndUnstarted();
  void Advance();
  void AfterOperation(const OperationRun& run);
  void AddEvents(const std::vector<EventFact>& events, OutcomeCode code);
  bool StageEnded() const;
  uint64_t Register(size_t index);
  std::vector<Outcome> OperationOutcomes() const;

  Envelope envelope_;
  RunContext context_;
  absl::Duration max_age_;
  std::vector<OperationRun> operations_;  // of all stages, in order
  std::vector<size_t> stage_ends_;        // index after the last operation of each stage
  size_t stage_ = 0;                      // the current one
  std::optional<StatusRun> status_;
  std::map<uint64_t, size_t> flights_;  // request id -> operation index or kStatusIndex
  uint64_t next_id_ = 1;
  std::string parent_version_;  // of the last write of the parent
  bool parent_gone_ = false;
  std::string why_stopped_;                 // not empty: nothing more is started
  std::optional<absl::Duration> deadline_;  // monotonic
  std::optional<absl::Duration> retry_after_;
  std::vector<EventFact> events_;
};

}  // namespace xebec::applier
