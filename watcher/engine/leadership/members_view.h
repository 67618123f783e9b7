// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/model/assignment.h"
#include "common/model/bucket.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/engine/leadership/members.h"
#include "watcher/engine/leadership/work_comparison.h"

namespace xebec::watcher {

/// What a watcher does in the installation. proto/xebec/v1/watcher.proto documents the values.
enum class MemberState { kActive, kLeaving, kSilent, kWaiting };

/// One watcher of the installation, as the Leases show it to this watcher.
struct MemberView {
  std::string identity;  ///< Of the process.
  std::string address;   ///< host:port at which other watchers reach it; empty if they cannot.
  bool self = false;     ///< It is this watcher.
  MemberState state = MemberState::kActive;
  /// The last renewal of a silent member; InfiniteFuture in other states.
  absl::Time silent_since = absl::InfiniteFuture();
  std::string reason;  ///< Why a waiting member gets no buckets, for users; empty in other states.
  /// How its settings differ from those of this watcher, for users; empty if they do not.
  std::string warning = {};
  BucketSet buckets;  ///< Those that it holds.

  /// True if the parent with this uid is in a bucket of the member.
  bool Holds(std::string_view uid) const { return buckets.count() > 0 && buckets.ContainsUid(uid); }

  bool operator==(const MemberView&) const = default;
};

/// The watchers of the installation.
struct MembersView {
  std::vector<MemberView> members;  ///< Sorted by identity. This watcher is one of them.
  BucketSet unassigned;             ///< Those of all buckets that no member holds.

  bool operator==(const MembersView&) const = default;
};

/// Buckets whose objects another watcher hands over.
struct GainStep {
  std::string from;  ///< The address of this watcher.
  BucketSet buckets;

  bool operator==(const GainStep&) const = default;
};

/// Returns the first step to the objects of the buckets `gained` if other watchers hold all of them
/// and can hand them over, each watcher in one step. nullopt if `gained` is empty, or if this
/// watcher, a silent one or nobody holds one of the buckets: only a list contains its objects.
std::optional<GainStep> FirstTransfer(const MembersView& view, BucketSet gained);

/// Returns the buckets that the assignment gives to the watcher; none if the assignment has another
/// number of buckets than `count`.
BucketSet HeldBy(const Assignment& assignment, std::string_view identity, uint32_t count);

/// Returns this watcher and the other members. `self` contains the number of buckets.
MembersView ViewMembers(MemberView self, const Members& members, const Assignment& assignment,
                        const WorkComparison& work, const LeasePolicy& policy, const Instant& now);

}  // namespace xebec::watcher
