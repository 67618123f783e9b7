// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "common/base/json.h"

namespace xebec::applier {

/// True when `field`, a path as API servers write it ("spec.ports[0].port", "data[key]"), is one
/// that `desired` sets, or one that is missing (`required`) in something that `desired` sets. False
/// for "" and "<nil>".
bool IsPlanned(const Json& desired, std::string_view field, bool required);

}  // namespace xebec::applier
