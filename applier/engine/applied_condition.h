// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/json.h"
#include "common/model/plan.h"
#include "common/model/report.h"

/// The runtime's own condition (design §3.15).
namespace xebec::applier {

/// What Applied says after a run: True when all `outcomes` succeeded and nothing is blocked, else
/// False with the reason and message of the first failure (operations not started count only when
/// nothing else failed).
ConditionValue AppliedAfter(const std::vector<Outcome>& outcomes, const StatusIntent& intent);

/// Reason that a failed outcome gives the condition: kinds.md's NameConflict, InvalidSpec,
/// QuotaExceeded and Rejected, a refusal's own reason, else the code's name.
std::string ReasonOf(const Outcome& outcome);

/// True when the status has to be written.
bool MustWriteStatus(const StatusIntent& intent, const ConditionValue& applied);

/// `status` (the parsed intent's object) with the condition Applied in status.conditions. The
/// transition time is the observed one while the condition's status stays the same, else the
/// observation's, else `now`.
Json WithApplied(Json status, const StatusIntent& intent, const ConditionValue& applied,
                 int64_t generation, absl::Time now);

}  // namespace xebec::applier
