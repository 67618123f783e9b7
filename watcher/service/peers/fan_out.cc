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

v1::UnansweredWatcher DescribeUnanswered(const MemberView& member, const absl::Status& error) {
  v1::UnansweredWatcher unanswered;
  unanswered.set_identity(member.identity);
  unanswered.set_address(member.address);
  unanswered.set_error(ToValidUtf8(ToStd(error.message())));
  return unanswered;
}

}  // namespace xebec::watcher
