// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"

/// A namespaced parent whose namespace is being deleted, according to the answers of the API
/// server. Nothing is written, because the parent goes too. The answer can be wrong if the
/// namespace was created again just before, so one operation is tried after each pause.
namespace xebec::planner {

inline constexpr absl::Duration kNamespacePause = absl::Minutes(5);

/// Returns true if the newest outcomes show that the namespace of the parent is being deleted.
/// Always false for a cluster-scoped parent.
bool ParentNamespaceIsGoing(const View& view);

/// Returns the time until the next attempt, at most kNamespacePause; nullopt if the observation
/// lacks the times. Requires ParentNamespaceIsGoing.
std::optional<absl::Duration> TimeUntilAttempt(const View& view);

/// Reduces the plan to the first operation that was refused because of the namespace, and to the
/// stages before it. Removes the status and the events. A plan without such an operation stays as
/// it is: nothing shows that its writes would be refused.
void LimitToAttempt(const View& view, Plan* plan);

}  // namespace xebec::planner
