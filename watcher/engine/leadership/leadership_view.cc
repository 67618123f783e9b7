// SPDX-License-Identifier: Apache-2.0
// What clients are shown of the Leases.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/leadership/members_view.h"

namespace xebec::watcher {
namespace {

/// A member that misses this many renewals is silent.
constexpr int kMissedRenewals = 3;

}  // namespace

std::vector<std::optional<DeclaredShares>> Leadership::OtherShares(absl::Duration now) const {
  std::vector<std::optional<DeclaredShares>> shares;
  for (const Member& each : members_.present()) {
    if (each.identity == identity_ || now >= each.expires_at) continue;
    shares.push_back(each.facts.declared);
  }
  return shares;
}

bool Leadership::AllAssigned(absl::Duration now) const {
  if (!elects_) return true;
  const Assignment& current = assignment_.current();
  return current.count() == buckets_ &&
         std::all_of(current.buckets.begin(), current.buckets.end(), [&](const BucketHolder& each) {
           const Member* member = members_.Find(each.watcher);
           return each.watcher == identity_ || (member != nullptr && now < member->expires_at);
         });
}

BucketSet Leadership::Assigned() const {
  return elects_ ? HeldBy(identity_, buckets_) : BucketSet::All(buckets_);
}

MembersView Leadership::View(const Instant& now) const {
  const uint32_t assigned = assignment_.current().count();
  const uint32_t count = elects_ && assigned > 0 ? assigned : buckets_;
  MembersView view{{SelfView(count, now.monotonic)}, BucketSet::All(count)};
  for (const Member& each : members_.present()) {
    if (each.identity != identity_) view.members.push_back(OtherView(each, count, now));
  }
  std::sort(view.members.begin(), view.members.end(),
            [](const MemberView& a, const MemberView& b) { return a.identity < b.identity; });
  for (const MemberView& member : view.members) {
    for (const uint32_t bucket : member.buckets.ToVector()) view.unassigned.Remove(bucket);
  }
  return view;
}

MemberView Leadership::SelfView(uint32_t count, absl::Duration now) const {
  MemberView self{.identity = identity_, .self = true};
  if (!elects_) {
    self.buckets = BucketSet::All(count);
    return self;
  }
  self.buckets = HeldBy(identity_, count);
  if (member_.leaving()) {
    self.state = MemberState::kLeaving;
  } else if (!held_ || other_count_) {
    self.state = MemberState::kWaiting;
    self.reason = Hindrance(0, now);
  }
  return self;
}

MemberView Leadership::OtherView(const Member& member, uint32_t count, const Instant& now) const {
  MemberView view{.identity = member.identity, .address = member.facts.address};
  view.buckets = HeldBy(member.identity, count);
  const absl::Duration silence = now.monotonic - (member.expires_at - policy_.duration);
  if (silence > kMissedRenewals * policy_.retry_period) {
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

BucketSet Leadership::HeldBy(std::string_view identity, uint32_t count) const {
  const Assignment& current = assignment_.current();
  return current.count() == count ? current.Of(identity) : BucketSet(count);
}

}  // namespace xebec::watcher
