// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xebec::config {

/// "lease.renewDeadline" -> "lease-renew-deadline".
std::string FlagName(std::string_view key);

/// "lease.renewDeadline" -> "XEBEC_LEASE_RENEW_DEADLINE".
std::string VariableName(std::string_view key);

/// True for the variables that Kubernetes sets for every Service of the namespace, such as
/// XEBEC_PLANNER_SERVICE_HOST and XEBEC_PLANNER_PORT_7443_TCP: they are nobody's mistake.
bool IsServiceLink(std::string_view variable);

/// " (did you mean X?)" for the known name that is at most two typing errors away, else "".
std::string DidYouMean(std::string_view name, const std::vector<std::string>& known);

}  // namespace xebec::config
