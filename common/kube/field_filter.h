// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/kube/json_cursor.h"

namespace xebec::kube::internal {

/// Appends the member to `out` as it stands in the document. Consumes `value`.
simdjson::error_code AppendWhole(std::string_view key, od::value value, std::string* out);

/// Appends what the dotted paths `fields` ("spec", "status.readyReplicas") select of the member
/// `key`: the whole value, an object with the selected members, or nothing. A path that goes on
/// below an array or a scalar keeps it whole.
simdjson::error_code AppendFiltered(std::string_view key, od::value value,
                                    const std::vector<std::string>& fields, std::string* out);

}  // namespace xebec::kube::internal
