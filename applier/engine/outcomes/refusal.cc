// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/refusal.h"

#include "applier/engine/outcomes/outcome_text.h"

namespace xebec::applier {

Report RefuseAll(const Plan& plan, const Refused& refused, uint64_t highest_epoch) {
  Report report;
  report.envelope = plan.envelope;
  report.highest_epoch = highest_epoch;
  report.retry_after = refused.retry_after;
  const auto add = [&](const std::string& id, const ObjectRef& target) {
    Outcome& outcome = report.outcomes.emplace_back();
    outcome.operation = id;
    outcome.target = target;
    SetOwn(refused.code, Certainty::kRejected, refused.reason, refused.message, &outcome);
  };
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) add(operation.id, operation.target);
  }
  if (plan.status) add(std::string(kStatusOperation), plan.envelope.parent.ref);
  return report;
}

}  // namespace xebec::applier
