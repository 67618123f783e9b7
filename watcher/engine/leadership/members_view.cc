// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/members_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

constexpr char kDiffers[] =
    "its kinds, namespaces or hooks differ from those of the watcher that answers, so some parents "
    "are not reconciled";

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

std::optional<GainStep> FirstTransfer(const MembersView& view, BucketSet gained) {
  std::optional<GainStep> first;
  for (const MemberView& member : view.members) {
    BucketSet part = gained.And(member.buckets);
    if (part.empty()) continue;
    if (member.self || member.state == MemberState::kSilent || member.address.empty()) break;
    gained.Remove(part);
    if (!first) first = {member.address, std::move(part)};
  }
  return gained.empty() ? first : std::nullopt;
}

BucketSet HeldBy(const Assignment& assignment, std::string_view identity, uint32_t count) {
  return assignment.count() == count ? assignment.Of(identity) : BucketSet(count);
}

MembersView ViewMembers(MemberView self, const Members& members, const Assignment& assignment,
                        const WorkComparison& work, const LeasePolicy& policy, const Instant& now) {
  const uint32_t count = self.buckets.count();
  MembersView view{{std::move(self)}, BucketSet::All(count)};
  const std::string own = view.members.front().identity;
  for (const Member& each : members.present()) {
    if (each.identity == own) continue;
    view.members.push_back(ViewOf(each, HeldBy(assignment, each.identity, count), policy, now));
    if (work.Differs(each.facts)) view.members.back().warning = kDiffers;
  }
  std::sort(view.members.begin(), view.members.end(),
            [](const MemberView& a, const MemberView& b) { return a.identity < b.identity; });
  for (const MemberView& member : view.members) {
    view.unassigned.Remove(member.buckets);
  }
  return view;
}

}  // namespace xebec::watcher
