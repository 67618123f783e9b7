// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watcher_list.h"

#include <algorithm>
#include <string>

#include "common/base/strings.h"
#include "google/protobuf/util/time_util.h"

namespace xebec::watcher {
namespace {

v1::WatcherState ToProto(MemberState state) {
  return static_cast<v1::WatcherState>(static_cast<int>(state) + 1);
}

v1::WatcherSummary Describe(const MemberView& member) {
  v1::WatcherSummary row;
  row.set_identity(member.identity);
  row.set_address(member.address);
  row.set_answering(member.self);
  row.set_state(ToProto(member.state));
  if (member.silent_since != absl::InfiniteFuture()) {
    *row.mutable_silent_since() = google::protobuf::util::TimeUtil::NanosecondsToTimestamp(
        absl::ToUnixNanos(member.silent_since));
  }
  row.set_reason(member.reason);
  row.set_warning(member.warning);
  row.set_buckets(member.buckets.ToText());
  row.set_bucket_count(member.buckets.size());
  return row;
}

/// Takes what a watcher says about itself. Its buckets remain those that this watcher sees, so that
/// no bucket appears twice.
void Complete(const v1::WatcherSummary& own, v1::WatcherSummary* row) {
  if (own.has_keys()) row->set_keys(own.keys());
  if (own.has_resident_bytes()) row->set_resident_bytes(own.resident_bytes());
  row->clear_silent_since();
  row->set_state(own.state());
  row->set_reason(own.reason());
}

void Complete(const PeerAnswer<v1::ListWatchersResponse>& said, v1::WatcherSummary* row) {
  if (!said.answer.ok()) {
    row->set_error(ToValidUtf8(ToStd(said.answer.status().message())));
  } else if (said.answer->watchers_size() != 1 ||
             said.answer->watchers(0).identity() != row->identity()) {
    row->set_error("another watcher answers at its address");
  } else {
    Complete(said.answer->watchers(0), row);
  }
}

}  // namespace

v1::ListWatchersResponse DescribeMembers(const MembersView& view, bool only_self) {
  v1::ListWatchersResponse list;
  for (const MemberView& member : view.members) {
    if (member.self || !only_self) *list.add_watchers() = Describe(member);
  }
  list.set_bucket_count(view.unassigned.count());
  list.set_unassigned_buckets(view.unassigned.ToText());
  return list;
}

void AddAnswers(const std::vector<PeerAnswer<v1::ListWatchersResponse>>& answers,
                v1::ListWatchersResponse* list) {
  for (const auto& said : answers) {
    for (v1::WatcherSummary& row : *list->mutable_watchers()) {
      if (row.identity() == said.member.identity) Complete(said, &row);
    }
  }
}

}  // namespace xebec::watcher
