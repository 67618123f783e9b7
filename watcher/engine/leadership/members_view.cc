// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/members_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

/// A member that misses this many renewals is silent.
constexpr int kMissedRenewals = 3;

MemberView ViewOf(const Member& member, BucketSet held, const LeasePolicy& policy,
                  const Instant& now) {
  MemberView view{.identity = member.identity, .address = member.facts.address};
  const uint32_t count = held.count();
  view.buckets = std::move(held);
  const absl::Duration silence = now.monotonic - (member.expires_at - policy.duration);
  if (silence > kMissedRenewals * policy.retry_period) {
    view.state = MemberState::kSilent;
    view.silent_since = now.wall - silence;
  } else if (member.facts.leaving) {
    view.state = MemberState::kLeaving;
  } else if (member.facts.buckets != count) {
    view.state = MemberState::kWaiting;
    view.reason =
        absl::StrCat("the installation has ", count,
                     " buckets and this watcher is configured with ", member.facts.buckets);
  }
  return view;
}

}  // namespace

std::string AddressOfHolder(const MembersView& view, const BucketSet& buckets) {
  if (buckets.empty()) return "";
  for (const MemberView& member : view.members) {
    if (member.buckets.Covers(buckets))
      return member.self || member.state == MemberState::kSilent ? "" : member.address;
  }
  return "";
}

BucketSet HeldBy(const Assignment& assignment, std::string_view identity, uint32_t count) {
  return assignment.count() == count ? assignment.Of(identity) : BucketSet(count);
}

MembersView ViewMembers(MemberView self, const Members& members, const Assignment& assignment,
                        const LeasePolicy& policy, const Instant& now) {
  const uint32_t count = self.buckets.count();
  MembersView view{{std::move(self)}, BucketSet::All(count)};
  const std::string own = view.members.front().identity;
  for (const Member& each : members.present()) {
    if (each.identity == own) continue;
    view.members.push_back(ViewOf(each, HeldBy(assignment, each.identity, count), policy, now));
  }
  std::sort(view.members.begin(), view.members.end(),
            [](const MemberView& a, const MemberView& b) { return a.identity < b.identity; });
  for (const MemberView& member : view.members) {
    for (const uint32_t bucket : member.buckets.ToVector()) view.unassigned.Remove(bucket);
  }
  return view;
}

}  // namespace xebec::watcher
