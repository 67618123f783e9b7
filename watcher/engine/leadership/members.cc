// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/members.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/leadership/lease_order.h"

namespace xebec::watcher {

bool Members::Take(const LeaseSeen& seen, absl::Duration now) {
  Slot& slot = slots_[seen.lease];
  if (IsOlder(seen, slot.seen.resource_version)) return false;
  if (LeaseFields(seen) != LeaseFields(slot.seen)) slot.changed_at = now;
  slot.seen = seen;
  slot.facts = DecodeMember(seen.content).value_or(MemberFacts());
  told_.version = std::max(told_.version, slot.facts.assignment.version);
  told_.epoch = std::max(told_.epoch, slot.facts.assignment.epoch);
  Review();
  return true;
}

void Members::OnReadFailed() {
  blind_ = true;
  Review();
}

void Members::OnPaused(absl::Duration now) {
  for (Slot& each : slots_) each.changed_at = std::max(each.changed_at, now);
  Review();
}

void Members::OnListed(absl::Duration now) {
  if (blind_ || !known_) OnPaused(now);
  blind_ = false;
  known_ = true;
  Review();
}

// Lists are consistent reads: their versions never go back, unless etcd was restored.
std::string Members::OnVersion(const std::string& version) {
  const bool regressed = IsOlder(version, listed_version_);
  const bool told = std::exchange(regressed_, regressed);
  if (!regressed) listed_version_ = version;
  if (told || !regressed) return "";
  return absl::StrCat("a list has resourceVersion ", version, " after ", listed_version_,
                      ": etcd was restored from a backup; restart the watchers");
}

void Members::Review() {
  present_.clear();
  for (LeaseNumber lease = 0; lease < kMemberLeases; ++lease) {
    if (Unheld(lease)) continue;
    present_.push_back({lease, at(lease).holder, slots_[lease].facts, ExpiresAt(lease)});
  }
  std::sort(present_.begin(), present_.end(),
            [](const Member& a, const Member& b) { return a.identity < b.identity; });
}

const Member* Members::Find(std::string_view identity) const {
  const auto found =
      std::lower_bound(present_.begin(), present_.end(), identity,
                       [](const Member& a, std::string_view b) { return a.identity < b; });
  return found != present_.end() && found->identity == identity ? &*found : nullptr;
}

bool Members::Unheld(LeaseNumber lease) const {
  return !at(lease).exists || at(lease).holder.empty();
}

absl::Duration Members::ExpiresAt(LeaseNumber lease) const {
  if (Unheld(lease)) return -absl::InfiniteDuration();
  if (blind_) return absl::InfiniteDuration();
  // A Lease without a valid duration is assumed to have ours.
  const absl::Duration own = at(lease).duration;
  const bool valid = own > absl::ZeroDuration() && own <= absl::Hours(1);
  return slots_[lease].changed_at + (valid ? own : duration_);
}

bool Members::operator==(const Members& o) const {
  const auto equal = [](const Slot& a, const Slot& b) {
    return a.changed_at == b.changed_at && LeaseFields(a.seen) == LeaseFields(b.seen) &&
           a.seen.resource_version == b.seen.resource_version;
  };
  return std::tie(duration_, present_, told_, known_, blind_, listed_version_, regressed_) ==
             std::tie(o.duration_, o.present_, o.told_, o.known_, o.blind_, o.listed_version_,
                      o.regressed_) &&
         std::equal(slots_.begin(), slots_.end(), o.slots_.begin(), equal);
}

}  // namespace xebec::watcher
