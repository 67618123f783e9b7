// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"
#include "common/model/object.h"

namespace xebec::cli {

/// Returns null if there is no object or it cannot be parsed.
Json Parsed(const ObjectBytes& object);

}  // namespace xebec::cli
