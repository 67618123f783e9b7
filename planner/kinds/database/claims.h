// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Claims of a StatefulSet carry no reference to its Database. One belongs to it if the StatefulSet
/// does (`set` is a child by uid), and if name and labels are what the StatefulSet gives them:
/// "data-<set>-<ordinal>" and the Database's label.
///
/// Claims of the wanted ordinals that ask for less than spec.storage-size are grown, by uid and
/// resourceVersion, after all else; the template keeps its first size, so claims of new ordinals
/// are grown after their creation. Asking for less than a claim has is refused. Condition
/// StorageResized tells of either, and of the API server's refusal; it is absent otherwise.
void PlanClaims(const View& view, const DatabaseSpec& spec, const Child* set, DesiredState* state);

}  // namespace xebec::planner
