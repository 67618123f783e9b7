// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"

namespace xebec::testing {

/// Server-side apply by one manager, approximated: what `before` (its last apply; null for none)
/// set and `desired` does not set any more goes, what `desired` sets is merged into `live`, lists
/// of named elements by name.
Json ApplyMerge(Json live, const Json& before, const Json& desired);

/// The object with apiVersion, kind, metadata and the dotted paths alone; everything when there are
/// none.
Json ProjectFields(const Json& object, const std::vector<std::string>& fields);

}  // namespace xebec::testing
