// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/dead_members.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {

bool DeadMembers::Release(const Members& members, std::optional<LeaseNumber> own,
                          absl::Duration delay, absl::Duration now, Outputs* out) {
  due_ = absl::InfiniteDuration();
  bool any_dead = false;
  for (const Member& each : members.present()) {
    if (each.lease == own) continue;
    const absl::Duration due = DueAt(each, members, delay, now);
    if (now < due) {
      due_ = std::min(due_, due);
      continue;
    }
    any_dead |= each.identity != identity_;
    Write(each, members, now, out);
  }
  return any_dead;
}

absl::Duration DeadMembers::DueAt(const Member& member, const Members& members,
                                  absl::Duration delay, absl::Duration now) const {
  const absl::Duration due =
      member.identity == identity_ ? now : members.ExpiresAt(member.lease) + delay;
  const auto sent = sent_.find(member.lease);
  return sent == sent_.end() ? due : std::max(due, sent->second + policy_.renew_deadline);
}

void DeadMembers::Write(const Member& member, const Members& members, absl::Duration now,
                        Outputs* out) {
  sent_[member.lease] = now;
  due_ = std::min(due_, now + policy_.renew_deadline);
  if (member.identity != identity_) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Watcher dead",
                             absl::StrCat(member.identity, " has not renewed its Lease")));
  }
  const LeaseSeen& lease = members.at(member.lease);
  out->push_back(WriteLease{.lease = member.lease,
                            .holder = "",
                            .transitions = lease.transitions,
                            .duration = policy_.duration,
                            .content = lease.content,  // what it knew of the assignment
                            .resource_version = lease.resource_version});
}

}  // namespace xebec::watcher
