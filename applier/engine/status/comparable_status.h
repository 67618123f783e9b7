// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common/base/json.h"
#include "common/model/object.h"

namespace xebec::applier {

/// Returns the status if a JSON patch can test whether the parent still has it. The API server
/// compares strings and numbers as it writes them in JSON, so nullopt is returned for values that
/// can be written in several ways: fractions, and strings with characters other than printable
/// ASCII, or with <, > or &. Also for a status that is not a JSON object, and for nulls.
std::optional<Json> ComparableStatus(const ObjectBytes& status);

}  // namespace xebec::applier
