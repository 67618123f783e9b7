// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"

/// Short ways to make plans and reports.
namespace xebec::watcher::testing {

inline Operation OperationOf(const std::string& name, Action action) {
  Operation operation;
  operation.target = {
      {.group = "", .version = "v1", .kind = "Part", .plural = "parts"}, "default", name};
  operation.id = OperationId(action, operation.target);
  operation.action = std::move(action);
  return operation;
}
inline Operation ApplyOf(const std::string& name) {
  return OperationOf(name, Apply{MakeObjectBytes("{}")});
}
inline Operation DeleteOf(const std::string& name, const std::string& uid) {
  Operation operation = OperationOf(name, Delete{});
  operation.precondition.uid = uid;
  return operation;
}
/// A plan with one stage and no status.
inline Plan MakePlan(std::vector<Operation> operations) {
  Plan plan;
  plan.stages.push_back({"children", std::move(operations)});
  return plan;
}

inline Outcome MakeOutcome(OutcomeCode code, Certainty certainty, const std::string& digest = "") {
  Outcome outcome;
  outcome.code = code;
  outcome.certainty = certainty;
  outcome.digest = digest;
  return outcome;
}
/// The outcomes, in order, for the operations of the first stage.
inline Report ReportOf(const Plan& plan, std::vector<Outcome> outcomes) {
  Report report;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Operation& operation = plan.stages[0].operations[i];
    outcomes[i].operation = operation.id;
    outcomes[i].target = operation.target;
    report.outcomes.push_back(outcomes[i]);
  }
  return report;
}

}  // namespace xebec::watcher::testing
