// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xebec::config {

/// Returns the flag of a key: "lease.renewDeadline" -> "lease-renew-deadline".
std::string FlagName(std::string_view key);

/// Returns the environment variable of a key: "lease.renewDeadline" ->
/// "XEBEC_LEASE_RENEW_DEADLINE".
std::string VariableName(std::string_view key);

/// Returns true for variables that Kubernetes sets for every Service of the namespace, such as
/// XEBEC_PLANNER_SERVICE_HOST and XEBEC_PLANNER_PORT_7443_TCP. They are not settings, so Load
/// ignores them.
bool IsServiceLink(std::string_view variable);

/// Returns " (did you mean X?)" with the known name that differs by at most two edits, or "" if
/// there is none.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& known);

}  // namespace xebec::config
