// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// The resources that no operator may use. The watcher and the planner refuse Operators that name
/// them, and the applier refuses plans that write them. Pure.
namespace xebec {

inline constexpr std::string_view kOperatorGroup = "xebec.dev";

/// Returns why no operator may have a resource of this API group as its parent or child; empty if
/// it may.
std::string WhyForbidden(std::string_view group);

/// Returns whether a resource is Secrets, which no operator may read or write, as its parent, child
/// or related object.
bool IsSecrets(std::string_view group, std::string_view plural);

}  // namespace xebec
