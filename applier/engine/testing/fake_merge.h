// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"

namespace xebec::applier::testing {

/// Returns `live` as server-side apply changes it when a manager that had applied `before` now
/// applies `desired`. Removes members of `before` that are not in `desired`, and sets `desired`.
/// Finalizers are a set, conditions go by type, owner references by uid; other lists are replaced
/// as a whole.
Json MergeApplied(Json live, const Json& before, const Json& desired);

}  // namespace xebec::applier::testing
