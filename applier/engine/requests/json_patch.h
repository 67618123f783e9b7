// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "common/base/json.h"

namespace xebec::applier {

/// The operation `test` of a JSON patch (RFC 6902): the patch fails unless `path` has this value.
inline Json TestOperation(std::string_view path, const Json& value) {
  return {{"op", "test"}, {"path", path}, {"value", value}};
}

}  // namespace xebec::applier
