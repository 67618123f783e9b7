// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/bucket.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/leadership/members_view.h"
#include "watcher/engine/queue/key_queues.h"

namespace xebec::watcher {

/// The components that a change of leadership concerns, during one call.
struct MembershipContext {
  absl::Duration now;  ///< Monotonic.
  Leadership& leadership;
  CacheSet& cache;
  KeyQueues& queues;
  Outputs* out;
};

/// How this watcher takes part among the watchers of the installation: it joins them when it is
/// able to plan, caches and queues the parents of its buckets, and stops when others can go on. A
/// value.
class Membership {
 public:
  /// The watcher is able to work, and joins once a planner has answered.
  void OnJoin() { joining_ = true; }
  /// What the caches hold may have changed.
  void OnCachesReady() { tell_kept_ = true; }
  /// Acts on the leadership. Returns true if reconciles that wait may have lost the right to go on.
  bool OnTick(const MembershipContext& context);
  /// After the stop, no reconcile is in progress: releases the Lease, and notes once that the
  /// watcher is drained.
  void OnIdle(const MembershipContext& context);

  /// The buckets whose objects the caches hold; nullopt until that is known.
  const std::optional<BucketSet>& held() const { return held_; }
  /// Returns true if no plan may be sent any more.
  bool stopping() const { return stopping_; }
  /// When OnTick is due; InfiniteDuration for never, -InfiniteDuration for at once.
  absl::Duration NextDeadline() const {
    if (held_ && tell_kept_) return -absl::InfiniteDuration();
    return pending_ ? pending_->due : absl::InfiniteDuration();
  }

  bool operator==(const Membership&) const = default;

 private:
  struct PendingShare {
    BucketSet wanted;
    absl::Duration due;
    bool operator==(const PendingShare&) const = default;
  };

  void TellKept(const MembershipContext& context);
  void MaybeJoin(const MembershipContext& context);
  void HoldWanted(const MembershipContext& context);
  /// Returns the buckets of which the caches get the objects next, on the way to all that are
  /// wanted. `from` is empty if these objects have to be listed.
  GainStep NextStep(const BucketSet& wanted, const MembershipContext& context) const;
  bool IsStable(const BucketSet& wanted, const MembershipContext& context);
  void OnAcquired(const Acquired& acquired, const MembershipContext& context);

  std::optional<BucketSet> held_;
  bool tell_kept_ = false;
  bool joining_ = false;                 // able to work, and does not take part yet
  std::optional<PendingShare> pending_;  // wanted since a short time
  bool stopping_ = false;
  bool drained_ = false;
};

}  // namespace xebec::watcher
