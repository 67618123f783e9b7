// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "common/base/json.h"

namespace xebec::applier {

/// Returns true if `desired` sets `field`, a path as the API server writes it
/// ("spec.ports[0].port", "data[key]"), or if `field` is `required` and missing in an object that
/// `desired` sets. Returns false for "" and "<nil>".
bool IsPlanned(const Json& desired, std::string_view field, bool required);

}  // namespace xebec::applier
