// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

/// Errors with the path of a field. A decoder names its own field; each caller adds its field at
/// the front of the path.
namespace xebec::codec {

/// Returns INVALID_ARGUMENT with the message "<field>: <what>". An empty `field` means the value
/// itself, whose name the caller adds.
absl::Status FieldError(std::string_view field, std::string_view what);

/// Returns the error with `field` at the front of its path. Returns OK for OK.
absl::Status Within(std::string_view field, const absl::Status& status);

/// Returns the error with "<field>[<index>]", an element of a repeated field, at the front.
absl::Status Within(std::string_view field, int index, const absl::Status& status);

}  // namespace xebec::codec
