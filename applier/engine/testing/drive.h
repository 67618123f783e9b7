// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/fake_api_server.h"

namespace xebec::applier::testing {

/// The result of a plan that was carried out against a server that answers at once.
struct Driven {
  Report report;
  std::vector<EventFact> events;
  size_t requests = 0;
};

Driven Drive(const Plan& plan, FakeApiServer* server,
             const std::string& random = std::string(32, 'r'),
             const std::optional<Refusal>& hold = std::nullopt, const Policy& policy = {});

/// The codes of a report's outcomes.
std::vector<OutcomeCode> Codes(const Report& report);
/// The reasons of events.
std::vector<std::string> Reasons(const std::vector<EventFact>& events);
/// The parent's condition Applied as "status/reason"; "" when it has none.
std::string Applied(const FakeApiServer& server);

}  // namespace xebec::applier::testing
