// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

/// Errors that know where they are: a decoder names its own field, its callers put theirs before
/// it.
namespace xebec::codec {

/// INVALID_ARGUMENT "<field>: <what>". With an empty field the fault is the value itself, which its
/// owner names.
absl::Status FieldError(std::string_view field, std::string_view what);

/// The error with `field` before its path; OK stays OK.
absl::Status Within(std::string_view field, const absl::Status& status);

/// The same for one element of a repeated field: "<field>[<index>]".
absl::Status Within(std::string_view field, int index, const absl::Status& status);

}  // namespace xebec::codec
