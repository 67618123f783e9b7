// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "applier/engine/operation_run.h"
#include "applier/engine/policy.h"
#include "applier/engine/status_run.h"
#include "common/base/clock.h"
#include "common/kube/api_request.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// A request of a run, to be sent by the shell.
struct RunRequest {
  uint64_t id = 0;  ///< Unique within the run; answers carry it back.
  kube::ApiRequest request;
  bool is_write = true;  ///< False for live reads (which do not count against the write budget).
};

/// Carries out one plan: yields the next requests and takes their answers (design §5). A value:
/// copyable, no clock, no I/O. Operations of a stage run at once (those on the parent one after the
/// other), stages in order; a stage starts when the one before has wholly succeeded; the status is
/// written in any case while the parent exists. Events are not part of the run: Events() says
/// which ones to publish.
class PlanRun {
 public:
  /// `plan` has passed Fence and Admit (policy.h). `random` seeds the passwords of ensure-secret
  /// operations: at least 16 secret bytes, fresh for every run; it may be empty for plans without
  /// such operations.
  PlanRun(Plan plan, const Policy& policy, std::string random);

  /// Refuses the plan's deletions with this reason; everything else goes on. Before the first Next.
  void DeferDeletions(const Refusal& refusal);

  /// Requests that may be sent now, at most `max_writes` writes among them. Starts no operation
  /// after the plan's expiry (plus skew), after Policy::max_plan_age from the first call, or after
  /// Abort. What was returned counts as sent.
  std::vector<RunRequest> Next(const Instant& now,
                               size_t max_writes = std::numeric_limits<size_t>::max());
  /// Takes the answer to a request that Next returned; others are ignored.
  void On(uint64_t id, const kube::ApiResponse& response, const Instant& now);
  /// Starts nothing more (the stream ended, the process drains). The next Next gives what was not
  /// started its outcome.
  void Abort(std::string why = "the plan's stream ended before this was started");
  /// True when every operation has an outcome and nothing is in flight.
  bool Done() const;
  /// Requests returned by Next and not answered.
  size_t in_flight() const { return flights_.size(); }
  /// The report; meaningful once Done.
  Report TakeReport();
  /// The plan's own events and those whose operations really happened; meaningful once Done.
  const std::vector<EventFact>& Events() const { return earned_; }
  /// Deletions that were accepted.
  size_t deletions() const { return deletions_; }

  const Envelope& envelope() const { return envelope_; }
  /// The operations in order, for metrics; their outcomes come in the same order.
  std::vector<const Operation*> operations() const;

 private:
  static constexpr size_t kStatusIndex = std::numeric_limits<size_t>::max();

  bool MayStart(const Instant& now);
  void Start(OperationRun* run, size_t index, size_t* writes_left, std::vector<RunRequest>* out);
  void StartStatus(const Instant& now, size_t writes_left, std::vector<RunRequest>* out);
  void EndUnstarted();
  void Advance();
  void AfterOperation(const OperationRun& run);
  void Earn(const std::vector<EventFact>& events, OutcomeCode code);
  bool StageEnded() const;
  uint64_t Fly(size_t index);
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
  std::vector<EventFact> earned_;
  size_t deletions_ = 0;
};

}  // namespace xebec::applier
