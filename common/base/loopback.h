// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace xebec {

/// Whether a server's URL leads to this machine alone: its host is localhost, 127.x.y.z or
/// [::1].
bool IsLoopback(std::string_view server);

}  // namespace xebec
