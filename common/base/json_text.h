// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"

namespace xebec {

/// Appends the text that DumpJson returns.
void AppendJson(const Json& json, std::string* out);

/// Appends `text` as a JSON string, in quotes. Invalid UTF-8 is replaced.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace xebec
