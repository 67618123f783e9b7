// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "planner/core/kind.h"
#include "planner/kinds/pod_reason.h"

namespace xebec::planner {

/// For a workload, a StatefulSet or a Job, without all of its Pods. Returns why its controller does
/// not create them: QuotaExceeded, PodSecurityViolation or PodsNotCreated, with a message for
/// users. These controllers report a refused Pod only in an Event FailedCreate. The function
/// therefore requests the Events of the workload; without them, it answers PodsNotCreated. Requests
/// another plan after a minute, because an Event causes none.
///
/// Returns nullopt, and requests a plan for that time, until the workload has existed, and
/// `condition` has been False with `reason`, for 15 s: every workload starts without Pods.
///
/// While the workload replaces Pods (`replaces`), a Pod is missing again and again. Only an Event
/// since `condition` became False counts then, and without one the function returns nullopt.
std::optional<PodReason> FindMissingPodsReason(const View& view, const Child& workload,
                                               std::string_view condition, std::string_view reason,
                                               bool replaces, DesiredState* state);

}  // namespace xebec::planner
