// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace xebec {

/// Returns true if the path of the address of an HTTP hook has only letters, digits and "/-._~%",
/// and no "..". It may be empty.
bool IsHookPath(std::string_view path);

}  // namespace xebec
