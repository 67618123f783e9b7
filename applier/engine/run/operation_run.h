// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "applier/engine/admission/policy.h"
#include "applier/engine/budget/request_budget.h"
#include "applier/engine/outcomes/live_table.h"
#include "applier/engine/ownership/co_ownership.h"
#include "applier/engine/requests/request_builder.h"
#include "applier/engine/requests/run_context.h"
#include "applier/engine/requests/wants.h"
#include "common/kube/api_request.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// Carries out one operation: its write, and if the answer does not decide, a live read and one
/// more write. After an apply that leaves the field manager with two entries of managedFields, it
/// also repairs these; a failure of the repair does not fail the operation. A value.
class OperationRun {
 public:
  /// Ends at once with the outcome Refused if `policy` forbids the operation.
  OperationRun(Operation operation, const Envelope& envelope, const Policy& policy);

  /// kNothing while a request is in flight and after the end.
  Wants wants() const;
  /// The class of the next request; wants() is not kNothing.
  RequestClass NextClass() const;
  bool finished() const { return step_ == Step::kFinished; }
  bool in_flight() const { return in_flight_; }
  /// True if it writes the plan's parent. Such operations run one after the other.
  bool writes_parent() const { return writes_parent_; }

  /// Returns the next request; wants() is not kNothing. `parent_version` is the version that the
  /// plan's last write of the parent returned.
  kube::ApiRequest Take(const RunContext& context, const std::string& parent_version);
  /// Takes the answer to it.
  void On(const kube::ApiResponse& response, const RunContext& context);
  /// Ends the operation without a further request. The outcome of a write that was already
  /// successful stays.
  void Finish(OutcomeCode code, std::string_view reason, std::string_view message);

  const Operation& operation() const { return operation_; }
  const Outcome& outcome() const { return outcome_; }
  /// The parent is known to be gone.
  bool parent_gone() const { return parent_gone_; }

 private:
  enum class Step { kWrite, kRead, kRewrite, kRepair, kRepairRead, kReapply, kFinished };

  Verb WriteVerb() const;
  kube::ApiRequest TakeWrite(const RunContext& context, const std::string& parent_version);
  kube::ApiRequest TakeRewrite(const RunContext& context) const;
  void OnWrite(const kube::ApiResponse& response, const RunContext& context);
  bool reads() const { return step_ == Step::kRead || step_ == Step::kRepairRead; }
  bool repairs() const;
  kube::ApiRequest UpdateRequest(const RunContext& context, Expect expect);
  bool NeedsApply(const kube::ApiResponse& response, const std::optional<LiveObject>& answer);
  void HedgeIfPatched();
  void BeginRepair(const LiveObject& answer, const RunContext& context);
  void OnRepairAnswer(const kube::ApiResponse& response, const RunContext& context);
  void TakeApplied(const Json& answer);
  void OnRead(const kube::ApiResponse& response, const RunContext& context);
  LiveFacts ReadLive(const kube::ApiResponse& response, const RunContext& context) const;
  bool NeedsProof(const Policy& policy) const;
  void EndAfterRead(const Decision& decision, const LiveFacts& facts, const RunContext& context);
  void OnSuccess(const Decision& decision, const AnswerFacts& facts,
                 const std::optional<LiveObject>& answer);

  Operation operation_;
  std::shared_ptr<const Json> desired_;  // of an Apply
  bool verifying_ = false;  // the first request is a read that proves who owns the object
  bool writes_parent_ = false;
  bool parent_gone_ = false;
  bool in_flight_ = false;
  Step step_ = Step::kWrite;
  std::string version_before_;      // a write that returns it changed nothing
  bool patching_ = false;           // the write in flight is a patch of changed_fields
  bool must_apply_ = false;         // a patch did not make the object as desired
  std::string patched_version_;     // what a patch made of the object; empty: it has made nothing
  std::string parent_version_;      // the precondition of finalizer writes
  std::optional<LiveObject> live_;  // what was read, for the second write
  std::optional<CoOwnershipRepair> repair_;
  bool repair_read_ = false;  // the repair met a changed object once
  Outcome outcome_;
};

}  // namespace xebec::applier
