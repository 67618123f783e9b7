// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace xebec::cli {

/// The name of an enum value without its prefix, in CamelCase: ("OUTCOME_CODE_NAME_CONFLICT",
/// "OUTCOME_CODE_") -> "NameConflict".
std::string EnumWord(std::string_view value, std::string_view prefix);

/// A time span in one unit: "0s", "45s", "12m", "5h", "3d". Negative spans are "0s".
std::string Span(absl::Duration span);

/// The text on one line, without control characters and characters that change the writing
/// direction.
std::string OneLine(std::string_view text);

/// "1 operation", "2 operations".
std::string Count(size_t number, std::string_view noun);

}  // namespace xebec::cli
