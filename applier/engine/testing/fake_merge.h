// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"

namespace xebec::applier::testing {

/// What server-side apply makes of `live` when a manager that had applied `before` now applies
/// `desired`: members of `before` that are not in `desired` go, those of `desired` are set.
/// Finalizers are a set, conditions go by type, owner references by uid; other lists are replaced
/// as a whole.
Json MergeApplied(Json live, const Json& before, const Json& desired);

}  // namespace xebec::applier::testing
