// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/fan_out.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::watcher {

MemberView SelfOf(const MembersView& view) {
  for (const MemberView& member : view.members) {
    if (member.self) return member;
  }
  return {.self = true};
}

std::vector<MemberView> OthersOf(const MembersView& view) {
  std::vector<MemberView> others;
  for (const MemberView& member : view.members) {
    if (!member.self) others.push_back(member);
  }
  return others;
}

absl::Status NoAddress() {
  return absl::UnavailableError(
      "it has no address for other watchers (setting advertise of that watcher)");
}

absl::Status Unassigned(const BucketSet& buckets) {
  return absl::FailedPreconditionError(
      absl::StrCat(buckets.size(), " of ", buckets.count(), " buckets have no watcher"));
}

v1::UnansweredWatcher DescribeUnanswered(const MemberView& member, const absl::Status& error) {
  v1::UnansweredWatcher unanswered;
  unanswered.set_identity(member.identity);
  unanswered.set_address(member.address);
  unanswered.set_error(ToValidUtf8(ToStd(error.message())));
  unanswered.set_answered(absl::IsFailedPrecondition(error));
  return unanswered;
}

v1::UnansweredWatcher DescribeIncomplete(const MemberView& member, const std::string& why) {
  return DescribeUnanswered(member, absl::FailedPreconditionError(why));
}

bool MayLackParents(const MemberView& member, const absl::Status& answer) {
  if (answer.ok() || absl::IsNotFound(answer)) return false;
  return !member.buckets.empty() || absl::IsFailedPrecondition(answer);
}

}  // namespace xebec::watcher
