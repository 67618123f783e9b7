// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "applier/engine/run/operation_run.h"

namespace xebec::applier {

/// Writes the parent's status, if it has to be written: begun when all operations of the plan have
/// ended. A value.
class StatusRun {
 public:
  StatusRun(StatusIntent intent, const Envelope& envelope, const Policy& policy);

  /// Decides by the outcomes of the run whether the status is written. Called once, before Take.
  void Begin(const std::vector<Outcome>& outcomes);
  /// Ends it without a request. An outcome is reported only if something would have been written.
  void Finish(OutcomeCode code, std::string_view reason, std::string_view message);

  /// Ends it without an outcome: there is nothing any more that could show a status.
  void Skip() { step_ = Step::kFinished; }

  bool begun() const { return step_ != Step::kPending; }
  bool finished() const { return step_ == Step::kFinished; }
  Wants wants() const;
  /// The class of the next request; wants() is not kNothing.
  RequestClass NextClass() const;
  kube::ApiRequest Take(const RunContext& context, const std::string& parent_version,
                        absl::Time now);
  void On(const kube::ApiResponse& response, const RunContext& context);

  /// The status outcome; absent when nothing had to be written.
  const std::optional<Outcome>& outcome() const { return outcome_; }
  const StatusIntent& intent() const { return intent_; }
  /// True when the status was changed, or would have been if the CRD's schema let it.
  bool told() const;

 private:
  enum class Step { kPending, kWrite, kRead, kFinished };

  void OnWrite(const kube::ApiResponse& response);
  void KeepOutcome(const Decision& decision, const AnswerFacts& facts,
                   const kube::ApiResponse& response, const std::optional<LiveObject>& answer);
  void OnRead(const kube::ApiResponse& response, const RunContext& context);
  Outcome NewOutcome() const;

  StatusIntent intent_;
  ObjectRef parent_;
  int64_t generation_;
  std::optional<Refusal> refusal_;
  std::shared_ptr<const Json> body_;
  ConditionValue applied_;
  Step step_ = Step::kPending;
  bool in_flight_ = false;
  bool undeclared_ =
      false;  // the CRD's schema refused the apply: a merge patch drops what it does not know
  std::string version_before_;
  std::optional<Outcome> outcome_;
};

}  // namespace xebec::applier
