// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/base/json.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"

/// The product's planner of Operators and of the parents that they declare, and a hook that decides
/// what these parents need. For simulations: both are pure.
namespace xebec::testing {

/// The kinds that this planner describes: Operator alone.
PlannerDescription OperatorPlanner(const std::string& revision);
/// Plans an Operator or a parent of one.
Plan PlanWithHooks(const Observation& observation);

/// The subject of a SyncRequest.
struct HookQuestion {
  std::string parent_uid, parent_version;
  int64_t id = 0;  ///< The member "id" of the Operator's configuration.
};
HookQuestion ReadQuestion(const std::string& sync_request);

/// Answers an encoded SyncRequest about a widget: the parts "<widget>-<operator>-<n>", as many as
/// its spec.parts, with its spec.value, the id of the configuration and the name of the program;
/// parts of the operator beyond these are deleted. If the operator has gadgets, also the gadget
/// "<widget>-<operator>". The status contains the number of correct parts.
std::string AnswerOfHook(const std::string& sync_request, const std::string& program);
/// The spec of a part that the program wants.
Json HookedSpec(int64_t value, int64_t id, const std::string& program);

/// Answers that cannot be used: bytes that are no SyncResponse, a child without a name, a child of
/// a kind that is not declared, and an error. `which` chooses.
std::string UselessAnswer(size_t which);

}  // namespace xebec::testing
