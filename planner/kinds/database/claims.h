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
/// StorageResized shows either, and a refusal of the API server; it is absent otherwise.
///
/// A failure to grow a claim shows in StorageResized alone: the Database stays Ready. A claim that
/// lacks the label is not grown; StorageResized names it once all replicas run (`complete`).
void PlanClaims(const View& view, const DatabaseSpec& spec, const Child* set, bool complete,
                DesiredState* state);

/// The claim of that ordinal if it belongs to the Database and is not being deleted; else null.
const Child* FindClaim(const View& view, const Child& set, int64_t ordinal);

/// True when a claim of the Database is older than the Database itself.
bool HasOlderClaim(const View& view);

}  // namespace xebec::planner
