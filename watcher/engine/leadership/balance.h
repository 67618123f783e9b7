// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/assignment.h"

namespace xebec::watcher {

/// Returns the identity of the watcher that should hold each bucket: every one of `members` gets an
/// equal share, rounded up or down, and as few buckets as possible change hands. All buckets stay
/// without a holder if there are no members. `members` is sorted, each once. All watchers that see
/// the same assignment and the same members get the same result, and so do those that see some of
/// these buckets already with their next holders.
std::vector<std::string> Balance(const Assignment& assignment,
                                 const std::vector<std::string>& members);

}  // namespace xebec::watcher
