// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// Plans one parent. Total, deterministic, no I/O, no clock (design §3.1, §5): every observation,
/// also a malformed one, gives a plan; what cannot be planned gives a plan with verdict kInvalid, a
/// note, and where the parent can be told, a condition.
///
/// - Children belong to the parent by controller uid alone (indirectly owned kinds: by the kind's
/// own rule); others in the
///   observation are ignored, so shuffled or polluted observations give the same plan.
/// - A desired child is applied when it is absent, when its digest annotation differs, or when a
/// desired field has another value; an
///   older or missing digest leads to a comparison by fields (design §3.5). Equal: nothing.
/// - Nothing is created while the parent is being deleted. Children are deleted by uid (stateful
/// kinds: and resourceVersion).
/// - The status is in the plan whenever the parent can show one; StatusIntent::changed says whether
/// it differs from the observed one.
Plan MakePlan(const Observation& observation, const KindRegistry& kinds);

/// The note that MakePlan leaves when a kind threw; empty when none did.
std::string FaultOf(const Plan& plan);

}  // namespace xebec::planner
