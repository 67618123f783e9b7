// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "watcher/service/peers/fan_out.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::watcher {

/// Returns one row for each member, with its state and its buckets, sorted by identity. With
/// `only_self`, only the row of this watcher.
v1::ListWatchersResponse DescribeMembers(const MembersView& view, bool only_self);

/// Completes the rows of the queried members with the data that each one has about itself.
void AddAnswers(const std::vector<PeerAnswer<v1::ListWatchersResponse>>& answers,
                v1::ListWatchersResponse* list);

}  // namespace xebec::watcher
