// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/drive.h"

#include "applier/engine/testing/plan_builder.h"

namespace xebec::applier::testing {

Driven Drive(const Plan& plan, FakeApiServer* server, const std::string& random,
             const std::optional<Refusal>& hold, const Policy& policy) {
  PlanRun run(plan, policy, random);
  if (hold) run.DeferDeletions(*hold);
  Driven driven;
  for (auto next = run.Next(At()); !next.empty(); next = run.Next(At())) {
    for (const RunRequest& request : next) {
      ++driven.requests;
      run.On(request.id, server->Handle(request.request), At());
    }
  }
  driven.report = run.TakeReport();
  driven.events = run.Events();
  return driven;
}

std::vector<OutcomeCode> Codes(const Report& report) {
  std::vector<OutcomeCode> codes;
  for (const Outcome& outcome : report.outcomes) codes.push_back(outcome.code);
  return codes;
}

std::string Applied(const FakeApiServer& server) {
  const Json* conditions = Find(*server.Get(ParentPath()), {"status", "conditions"});
  if (conditions == nullptr) return "";
  for (const Json& c : *conditions) {
    if (FindString(c, {"type"}) == "Applied") {
      return FindString(c, {"status"}) + "/" + FindString(c, {"reason"});
    }
  }
  return "";
}

std::vector<std::string> Reasons(const std::vector<EventFact>& events) {
  std::vector<std::string> reasons;
  for (const EventFact& event : events) reasons.push_back(event.reason);
  return reasons;
}

}  // namespace xebec::applier::testing
