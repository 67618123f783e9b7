// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/refusal.h"

#include "applier/engine/outcome_text.h"

namespace xebec::applier {

Report RefuseAll(const Plan& plan, OutcomeCode code, std::string_view reason,
                 std::string_view message, uint64_t highest_epoch) {
  Report report;
  report.envelope = plan.envelope;
  report.highest_epoch = highest_epoch;
  const auto add = [&](const std::string& id, const ObjectRef& target) {
    Outcome& outcome = report.outcomes.emplace_back();
    outcome.operation = id;
    outcome.target = target;
    SetOwn(code, Certainty::kRejected, reason, message, &outcome);
  };
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) add(operation.id, operation.target);
  }
  if (plan.status) add(std::string(kStatusOperation), plan.envelope.parent.ref);
  return report;
}

}  // namespace xebec::applier
