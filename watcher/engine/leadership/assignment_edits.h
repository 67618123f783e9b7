// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/model/assignment.h"

namespace xebec::watcher {

/// Returns true if no watcher has changed the holder of a bucket from `before` to `now`: watchers
/// raise the epoch whenever they give a bucket to another watcher, or to nobody.
bool MovedByHand(const BucketHolder& before, const BucketHolder& now);

/// Returns what another client than a watcher has changed, for users: lower epochs, or other
/// holders in the same epochs. nullopt if watchers may have made all the changes.
std::optional<std::string> DescribeEdit(const Assignment& before, const Assignment& now);

/// Describes for users that the number of buckets has changed, which no watcher does while another
/// one holds buckets. nullopt if it has not changed or `now` is 0, for no assignment.
std::optional<std::string> DescribeRecount(uint32_t before, uint32_t now);

}  // namespace xebec::watcher
