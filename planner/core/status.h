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

/// The desired status of the parent, before it is compared with the current one.
struct StatusDraft {
  Json fields = Json::object();       ///< As in DesiredState::status.
  std::vector<Condition> conditions;  ///< As in DesiredState::conditions; the order is kept.
  std::vector<EventFact> events;      ///< As in DesiredState::events.
  std::optional<ConditionValue> blocked;
  int64_t generation = 0;  ///< observedGeneration; 0 omits it.
  /// By type: the observedGeneration of conditions that have a different one.
  std::map<std::string, int64_t> generations;

  /// Returns the observedGeneration of the condition of this type.
  int64_t GenerationOf(const std::string& type) const {
    const auto at = generations.find(type);
    return at == generations.end() ? generation : at->second;
  }
};

/// Sets Ready=False with the failure's reason and Stalled or Reconciling, and adds the Warning
/// event.
void AddFailure(const Failure& failure, StatusDraft* draft);

/// Like the function above, for a failure that prevents all writes: also sets Applied.
void Block(const Failure& failure, StatusDraft* draft);

/// Sets Reconciling=True while Ready is not True and nothing is Stalled, and removes Reconciling
/// and Stalled otherwise. Moves the runtime's conditions after those of the kind. Must be called
/// last.
void AddKstatus(StatusDraft* draft);

/// Returns the status intent. It contains only our fields and conditions. `changed` is true if the
/// parent has another value of one of them. Of the events, it contains those that are due now.
/// `observed` is the parent's status if `changed`.
StatusIntent MakeStatus(const Parent& parent, absl::Time now, const StatusDraft& draft,
                        const std::vector<std::string_view>& condition_types = {});

/// Returns true for Ready and for the conditions that the runtime adds to every kind.
bool IsRuntimeCondition(std::string_view type);

/// Returns the events of a draft for a parent without status.
std::vector<EventFact> EventsAlone(const StatusDraft& draft);

/// Returns the parent's current status without conditions and observedGeneration.
Json ShownFields(const Parent& parent);

}  // namespace xebec::planner
