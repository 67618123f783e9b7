// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// Plans one parent. Deterministic, without I/O and without a clock. Every observation results in a
/// plan, even a malformed one. If the parent cannot be planned, the plan has the verdict kInvalid,
/// a note and, if the parent has a status, a condition.
///
/// - A child belongs to the parent by the uid of its controller reference; for indirectly owned
///   kinds, the kind decides. Other objects in the observation and their order have no influence.
/// - A desired child is applied if it is absent, if its digest annotation differs, or if a desired
///   field has another value. If the digest is missing or has an older format, the fields are
///   compared. An equal child is not applied.
/// - Nothing is created while the parent is being deleted. Children are deleted with their uid as
///   precondition, those of stateful kinds also with their resourceVersion.
/// - The plan contains the status if the parent can have one. StatusIntent::changed is true if the
///   status differs from the observed one.
///
/// If a kind throws an exception, the plan has the verdict kRetry and a note, and the note is
/// stored in `kind_error` unless that is null.
Plan MakePlan(const Observation& observation, const KindRegistry& kinds,
              std::string* kind_error = nullptr);

}  // namespace xebec::planner
