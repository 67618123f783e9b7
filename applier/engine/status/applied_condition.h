// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/json.h"
#include "common/model/plan.h"
#include "common/model/report.h"

/// The condition Applied of the parent, which the applier sets from the outcomes of a plan.
namespace xebec::applier {

/// Returns the value of the condition after a plan:
/// - True if all `outcomes` succeeded and nothing is blocked.
/// - Otherwise False with the reason and message of the first failure. Operations that were not
///   started count only if nothing else failed.
/// - If the only failures are Throttled, Stale or NotStarted, which the next reconcile repairs, the
///   observed value stays, so that the condition does not alternate.
ConditionValue AppliedAfter(const std::vector<Outcome>& outcomes, const StatusIntent& intent);

/// Returns the condition's reason for a failed outcome: InvalidSpec, Rejected, the reason of a
/// refusal, otherwise the name of the code.
std::string ReasonOf(const Outcome& outcome);

/// Returns true if the status must be written.
bool MustWriteStatus(const StatusIntent& intent, const ConditionValue& applied);

/// Returns `status`, the parsed object of the intent, with the intent's amendments and the
/// condition Applied in status.conditions. The transition time is the observed one while the
/// condition's status stays the same, otherwise the time of the observation, otherwise `now`.
Json WithApplied(Json status, const StatusIntent& intent, const ConditionValue& applied,
                 int64_t generation, absl::Time now);

}  // namespace xebec::applier
