// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/leadership/assignment_lease.h"
#include "watcher/engine/leadership/assignment_writer.h"
#include "watcher/engine/leadership/bucket_moves.h"
#include "watcher/engine/leadership/dead_members.h"
#include "watcher/engine/leadership/member_lease.h"
#include "watcher/engine/leadership/members.h"
#include "watcher/engine/leadership/members_view.h"
#include "watcher/engine/leadership/term.h"
#include "watcher/engine/leadership/terms.h"
#include "watcher/engine/leadership/work_comparison.h"
#include "watcher/engine/limit_share.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// Which buckets this watcher leads, and since when. It holds a member Lease, and the assignment
/// names it as the holder of its buckets. Members share the buckets equally: a holder hands over
/// what exceeds its share once the next holders keep the objects, and any member gives away the
/// buckets of dead ones. Without leader election, this watcher leads the only bucket. A value;
/// times are monotonic.
class Leadership {
 public:
  /// `identity` is unique for every process.
  Leadership(const Options& options, const std::string& identity);

  /// The number of buckets that this watcher is configured with; 1 without leader election.
  uint32_t buckets() const { return buckets_; }
  /// Returns true while plans of the bucket may be sent.
  bool Leads(uint32_t bucket, absl::Duration now) const;
  /// Returns true while reconciles of the bucket may begin: it is led, and not to be handed over.
  bool MayStart(uint32_t bucket, absl::Duration now) const;
  bool LeadsAny(absl::Duration now) const;
  /// The state of the bucket's leadership.
  const Term& term(uint32_t bucket) const { return terms_.at(bucket); }
  /// Returns the epoch for plans of the bucket; 0 while it is not led.
  uint64_t Epoch(uint32_t bucket) const;
  /// The buckets whose objects the caches should hold: those that this watcher leads, and those
  /// that it will get. Null until that is known.
  const BucketSet* wanted() const { return wanted_ ? &*wanted_ : nullptr; }
  /// Why the Leases could not be read, for users; empty if the last attempt succeeded.
  const std::string& read_failure() const { return read_failure_; }
  /// Returns true if the Leases have been read and no other living member takes buckets.
  bool Alone() const { return writer_.alone(); }
  /// The buckets that are led and have to be handed over.
  const BucketSet& yielding() const { return terms_.yielding(); }
  absl::Duration NextDeadline() const;
  /// Returns why this watcher does not lead the bucket, for users; empty if it leads.
  std::string Hindrance(uint32_t bucket, absl::Duration now) const;
  /// The share of this watcher in limits per Options::deletion_interval.
  LimitShare Share() const { return terms_.Share(); }
  LeadershipFigures Figures(absl::Duration now) const;
  /// Tells other watchers that the caches of this one hold the objects of these buckets: at once if
  /// one of them may wait for that, else with the next renewal.
  void Keep(BucketSet kept, absl::Duration now, Outputs* out);
  /// Tells other watchers the shares of this one in declared controllers, with the next renewal.
  void Tell(DeclaredShares shares) { member_.Tell(std::move(shares)); }
  /// Returns what another live watcher has told last; nullopt for one that runs none. Ordered by
  /// identity.
  std::vector<std::optional<DeclaredShares>> OtherShares(absl::Duration now) const;
  /// Returns true if every bucket is assigned to this watcher or to another live one; false while
  /// the Leases cannot be read.
  bool AllAssigned(absl::Duration now) const;
  /// The buckets that are assigned to this watcher.
  BucketSet Assigned() const;
  /// All watchers, as far as the Leases show them. Without the address of this watcher.
  MembersView View(const Instant& now) const;

  /// The watcher is able to work. From now on it takes part.
  void Join(absl::Duration now, Outputs* out);
  void OnSeen(const LeasesSeen& seen, absl::Duration now, Outputs* out);
  void OnReadFailed(const LeasesReadFailed& failed, Outputs* out);
  void OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out);
  /// Acts on what is known. Costs nothing while nothing has changed and nothing is due.
  void OnTick(absl::Duration now, Outputs* out);
  /// An applier reported `epoch` for the bucket.
  void OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out);
  /// `idle`: the buckets of yielding() without a reconcile. `in_doubt`: of those, buckets of which
  /// plans may still be running. `see` is called if they have changed; see Terms::SetIdle.
  void Yield(const BucketSet& idle, const BucketSet& in_doubt, Terms::See see, absl::Duration now,
             Outputs* out);
  /// Returns what was acquired since the last call; nullopt for nothing.
  std::optional<Acquired> TakeAcquired() { return terms_.TakeAcquired(); }
  using Turn = TermChanges;
  /// Returns whether buckets were lost or won since the last call.
  Turn TakeTurn(absl::Duration now);
  /// The watcher is to stop: all its buckets have to be handed over. It plans them until MayStop.
  void Leave(absl::Duration now, Outputs* out);
  bool leaving() const { return member_.leaving(); }
  /// Returns true once the watcher leaves and need not plan any more: the next holders of its
  /// buckets keep the objects, or there are none, or they take too long.
  bool MayStop() const { return member_.leaving() && (!elects_ || !held_ || moves_.ended()); }
  /// Nothing runs any more. Releases the member Lease once no bucket is left. Returns true when it
  /// is released.
  bool Release(absl::Duration now, Outputs* out);

  bool operator==(const Leadership&) const = default;

 private:
  MemberView SelfView(uint32_t count, absl::Duration now) const;
  AssignmentWriter::Situation Situation() const {
    return {members_, assignment_, terms_, member_.leaving(), member_.ended()};
  }
  void Review(absl::Duration now);
  void ReviewTargets(absl::Duration now);
  bool AssignedAsMember() const;
  void TakeLease(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  void WriteLeases(absl::Duration now, Outputs* out);

  bool elects_;
  uint32_t buckets_ = 1;
  std::string identity_;
  LeasePolicy policy_;
  MemberLease member_;
  Members members_;
  DeadMembers dead_;
  AssignmentLease assignment_;
  AssignmentWriter writer_;
  WorkComparison work_;
  Terms terms_;
  BucketMoves moves_;
  std::optional<BucketSet> wanted_;
  bool held_ = false;  // the member Lease, when last reviewed
  bool led_ = false;   // anything, at the last call of TakeTurn
  bool releasing_ = false;
  absl::Duration considered_at_ = absl::InfiniteDuration();
  std::string read_failure_;  // already noted; empty once the Leases were read
};

}  // namespace xebec::watcher
