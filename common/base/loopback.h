// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace xebec {

/// Returns true if the host of a server's URL is this machine: localhost, 127.x.y.z or [::1].
bool IsLoopback(std::string_view server);

}  // namespace xebec
