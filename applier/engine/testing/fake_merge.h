// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/base/json.h"

namespace xebec::applier::testing {

/// Returns `live` as server-side apply changes it when a manager that had applied `before` now
/// applies `desired`. Removes members of `before` that are not in `desired`, and sets `desired`.
/// Finalizers are a set, conditions go by type, owner references by uid; other lists are replaced
/// as a whole.
Json MergeApplied(Json live, const Json& before, const Json& desired);

/// Returns `owned` without the members that `kept` has, too.
Json Without(Json owned, const Json& kept);

/// Returns the members of `owned` that have the same values in `before` and `after`. A manager
/// loses the other ones to the manager that changed them.
Json Unchanged(const Json& owned, const Json& before, const Json& after);

/// Returns an entry of managedFields: `manager` owns the members of `owned`.
Json Entry(const std::string& manager, const std::string& operation, const std::string& subresource,
           const Json& owned);

/// Returns what a client receives that accepts PartialObjectMetadata. `body` is the object, or a
/// Status.
std::string PartialMetadata(const std::string& body);

}  // namespace xebec::applier::testing
