// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::cli {

/// Returns the first field in which two answers of a hook differ, with both values, for users:
/// "desired.children[0].object.spec.replicas is 1, then 2". Empty if the answers mean the same,
/// whatever the order of the members of their JSON objects is.
std::string DifferenceOf(const hooks::v1::SyncResponse& first,
                         const hooks::v1::SyncResponse& second);

}  // namespace xebec::cli
