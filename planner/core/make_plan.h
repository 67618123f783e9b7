// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// Plans one parent. Total and deterministic, without I/O and without a clock: every observation
/// gives a plan, a malformed one too. If the parent cannot be planned, the plan has verdict
/// kInvalid, a note, and a condition where the parent can show one.
///
/// - Children belong to the parent by controller uid alone (indirectly owned kinds: by the kind's
/// own rule). The plan does not depend on other objects in the observation or on their order.
/// - A desired child is applied when it is absent, when its digest annotation differs, or when a
/// desired field has another value; an
///   older or missing digest leads to a comparison by fields. Equal: nothing.
/// - Nothing is created while the parent is being deleted. Children are deleted by uid (stateful
/// kinds: and resourceVersion).
/// - The status is in the plan whenever the parent can show one; StatusIntent::changed says whether
/// it differs from the observed one.
///
/// A kind that throws gets a plan with verdict kRetry and a note. `kind_error`, where it is not
/// null, then receives the note; else it is left alone.
Plan MakePlan(const Observation& observation, const KindRegistry& kinds,
              std::string* kind_error = nullptr);

}  // namespace xebec::planner
