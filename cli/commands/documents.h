// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"

namespace xebec::cli {

/// The documents of a text, in JSON (one) or YAML (several). INVALID_ARGUMENT says where in `file`
/// what is wrong: also what YAML allows and a manifest never means, such as a key that appears
/// twice, or more than an object may have (JsonLimits: 3 MiB, 64 levels).
absl::StatusOr<std::vector<Json>> ReadDocuments(const std::string& text, const std::string& file);

}  // namespace xebec::cli
