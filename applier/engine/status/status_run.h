// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "applier/engine/admission/policy.h"
#include "applier/engine/budget/request_budget.h"
#include "applier/engine/outcomes/live_object.h"
#include "applier/engine/outcomes/outcome_table.h"
#include "applier/engine/requests/run_context.h"
#include "applier/engine/requests/wants.h"
#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// Writes the parent's status if necessary, after all operations of the plan have ended. The write
/// depends on the observed status, so that it has no conflict with a user who changes the spec. If
/// that is not possible, or the status is another one, it depends on the parent's resourceVersion.
/// The first status of a custom resource is written by PUT, which costs the API server least. A
/// value.
class StatusRun {
 public:
  StatusRun(StatusIntent intent, const Envelope& envelope, const Policy& policy);

  /// Decides from the outcomes of the plan whether the status is written. Called once, before Take.
  void Begin(const std::vector<Outcome>& outcomes);
  /// Ends without a request, with this outcome.
  void Finish(OutcomeCode code, std::string_view reason, std::string_view message);

  /// Ends without an outcome, because the parent is gone.
  void Skip() { step_ = Step::kFinished; }

  bool begun() const { return step_ != Step::kPending; }
  bool finished() const { return step_ == Step::kFinished; }
  Wants wants() const;
  /// The class of the next request; wants() is not kNothing.
  RequestClass NextClass() const;
  kube::ApiRequest Take(const RunContext& context, const std::string& parent_version,
                        absl::Time now);
  void On(const kube::ApiResponse& response, const RunContext& context);

  /// The outcome of the status write; absent if no write was necessary.
  const std::optional<Outcome>& outcome() const { return outcome_; }
  const StatusIntent& intent() const { return intent_; }
  /// True if the status changed, or would have changed if the CRD's schema declared its fields.
  bool told() const;

 private:
  enum class Step { kPending, kFirst, kCompare, kWrite, kRead, kFinished };

  /// `status` with the members of the body, without those that are null in the body.
  Json Merged(Json status) const;
  kube::ApiRequest TakeComparing(const Json& observed, const RunContext& context) const;
  void OnWrite(const kube::ApiResponse& response);
  void KeepOutcome(const Decision& decision, const AnswerFacts& facts,
                   const std::optional<LiveObject>& answer);
  void OnRead(const kube::ApiResponse& response, const RunContext& context);
  Outcome NewOutcome() const;

  StatusIntent intent_;
  ObjectRef parent_;
  int64_t generation_;
  std::optional<Refusal> refusal_;
  std::shared_ptr<const Json> body_;
  ConditionValue applied_;
  Step step_ = Step::kPending;
  bool has_applied_ = false;  // body_ has the condition Applied
  bool in_flight_ = false;
  std::string version_before_;
  std::optional<Outcome> outcome_;
};

}  // namespace xebec::applier
