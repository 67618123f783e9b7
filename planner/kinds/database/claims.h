// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Plans the claims of a Database. The claims of a StatefulSet have no owner reference to it. A
/// claim belongs to the Database if its StatefulSet does (`set` is a child by uid) and its name and
/// labels are those that the StatefulSet sets: "data-<set>-<ordinal>" and the Database's label.
///
/// Claims of current ordinals that request less than spec.storage-size are increased, by uid and
/// resourceVersion, after all other writes. The claim template keeps its first size, so claims of
/// new ordinals are increased after their creation. A smaller size than that of a claim is
/// rejected. The condition StorageResized shows an increase in progress, a rejected size and a
/// rejection by the API server; it is absent otherwise.
///
/// A failure to increase a claim affects only StorageResized: the Database stays Ready. A claim
/// without the label is not increased; StorageResized names it once all replicas run (`complete`).
void PlanClaims(const View& view, const DatabaseSpec& spec, const Child* set, bool complete,
                DesiredState* state);

/// Returns the claim of this ordinal if it belongs to the Database and is not being deleted;
/// otherwise null.
const Child* FindClaim(const View& view, const Child& set, int64_t ordinal);

/// Returns true if a claim of the Database is older than the Database itself.
bool HasOlderClaim(const View& view);

}  // namespace xebec::planner
