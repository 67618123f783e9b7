// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/plan.h"
#include "planner/core/conditions.h"
#include "planner/core/failures.h"
#include "planner/core/kind.h"
#include "planner/core/parent.h"

namespace xebec::planner {

/// What the parent's status should say, before it is compared with what it says.
struct StatusDraft {
  Json fields = Json::object();       ///< As in DesiredState::status.
  std::vector<Condition> conditions;  ///< As in DesiredState::conditions; the order is kept.
  std::vector<EventFact> events;      ///< As in DesiredState::events.
  std::optional<ConditionValue> blocked;
  int64_t generation = 0;  ///< observedGeneration; 0 leaves it out.
  std::map<std::string, int64_t>
      generations;  ///< Of conditions whose observedGeneration is another one, by type.
};

/// Ready=False with the failure's reason, Stalled or Reconciling to match, and its one Warning.
void AddFailure(const Failure& failure, StatusDraft* draft);

/// The same for a failure that keeps the whole parent from being acted on: Applied says so too.
void Block(const Failure& failure, StatusDraft* draft);

/// Sets Reconciling=True while Ready is not True and nothing is Stalled, and takes both away where
/// they do not hold. Puts the runtime's conditions behind the kind's. Call it last.
void AddKstatus(StatusDraft* draft);

/// The intent: only our fields and conditions; `changed` when the parent shows anything else in one
/// of them; of the events those that are due now.
StatusIntent MakeStatus(const Parent& parent, absl::Time now, const StatusDraft& draft);

/// True for Ready and for what the runtime adds to every kind's conditions.
bool IsRuntimeCondition(std::string_view type);

/// The events of a draft that no status will show.
std::vector<EventFact> EventsAlone(const StatusDraft& draft);

/// The parent's status as it stands, less the conditions and the generation.
Json ShownFields(const Parent& parent);

}  // namespace xebec::planner
