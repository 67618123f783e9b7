// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/kube/json_cursor.h"

namespace xebec::kube::internal {

/// Appends the member to `out` unchanged. Consumes `value`.
simdjson::error_code AppendWhole(std::string_view key, od::value value, std::string* out);

/// Appends the parts of the member `key` that the dotted paths `fields` ("spec",
/// "status.readyReplicas") select: the whole value, an object with the selected members, or
/// nothing. If a path continues below an array or a scalar, the array or scalar is kept whole.
simdjson::error_code AppendFiltered(std::string_view key, od::value value,
                                    const std::vector<std::string>& fields, std::string* out);

}  // namespace xebec::kube::internal
