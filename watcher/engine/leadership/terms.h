// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "common/model/assignment.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/leadership/term.h"
#include "watcher/engine/limit_share.h"

namespace xebec::watcher {

/// Whether buckets were lost or won.
struct TermChanges {
  bool lost = false;
  bool won = false;

  bool operator==(const TermChanges&) const = default;
};

/// Buckets that were acquired, and what the caches must contain for them.
struct Acquired {
  BucketSet buckets;
  absl::Duration fresh_since = -absl::InfiniteDuration();   ///< For those without a statement.
  absl::Duration stated_since = -absl::InfiniteDuration();  ///< For the others.
  BucketSet stated = BucketSet(buckets.count());            ///< The others.
  std::optional<SeenVersions> seen;                         ///< Their statement.

  bool operator==(const Acquired&) const = default;
};

/// The terms of this watcher in all buckets: how they begin and end, which buckets have to be
/// handed over, and which epochs are known. A value; times are monotonic.
class Terms {
 public:
  using See = absl::FunctionRef<SeenVersions()>;
  struct Times {
    absl::Duration quarantine;      ///< How long the last plans of a predecessor can run.
    absl::Duration limit_interval;  ///< Options::deletion_interval.

    bool operator==(const Times&) const = default;
  };
  Terms(uint32_t buckets, std::string identity, const Times& times);

  uint32_t buckets() const { return static_cast<uint32_t>(terms_.size()); }
  const Term& at(uint32_t bucket) const { return terms_[bucket]; }
  /// The number of buckets that are held.
  uint32_t held() const { return held_; }
  BucketSet Unheld() const;
  /// Returns true if the bucket is held with the highest epoch that is known.
  bool InForce(uint32_t bucket) const;
  /// By bucket: the highest epoch that was seen or reported.
  const std::vector<uint64_t>& known_epochs() const { return known_epochs_; }
  /// Returns the share of this watcher in limits, by the buckets that it holds.
  LimitShare Share() const;

  /// This watcher holds all buckets forever, because it is the only one.
  void HoldAll();
  /// If another client gave a bucket to another watcher in the same epoch, a higher epoch counts as
  /// known. `assignment` is in force; this watcher uses none of its buckets unless it is `member`.
  /// `alone` tells whether no other living member takes buckets.
  void Review(const Assignment& assignment, bool member, bool alone, absl::Duration now);
  /// The member Lease was lost. Later terms need higher epochs.
  void EndMembership();
  /// The assignment `next` is written. It ends the terms of buckets that it gives to others, even
  /// if the answer is lost.
  void OnAssign(const Assignment& next);
  /// An applier reported a higher epoch. Returns true if it ends a term.
  bool OnHigherEpoch(uint32_t bucket, uint64_t epoch);
  /// This watcher, which holds all buckets forever, uses this epoch for the bucket.
  void RaiseEpoch(uint32_t bucket, uint64_t epoch);

  /// `targets` names the watcher that should hold each bucket. Others' held buckets yield, except
  /// those in `waiting`.
  void SetTargets(const std::vector<std::string>& targets, const BucketSet& waiting);
  /// The buckets that are held and have to be handed over.
  const BucketSet& yielding() const { return yielding_; }
  /// `idle`: the yielding buckets without a reconcile. `in_doubt`: of those, buckets of which plans
  /// may still be running. Returns false if nothing has changed. Otherwise, `see` returns what this
  /// watcher has seen and written in the idle buckets.
  bool SetIdle(const BucketSet& idle, const BucketSet& in_doubt, See see);
  const BucketSet& idle() const { return idle_; }
  const SeenVersions& seen() const { return seen_; }
  /// The idle and the free buckets of which plans may still be running: those of this watcher,
  /// those of a predecessor, for which the next holder waits as long as this one would have waited,
  /// or those of a watcher that another client has taken the bucket from.
  BucketSet InDoubt(absl::Duration now) const;

  /// Returns what was acquired since the last call; nullopt for nothing.
  std::optional<Acquired> TakeAcquired();
  /// What has changed since the last call.
  TermChanges TakeChanges();
  /// Counter: the buckets that this watcher "gained", "yielded" to another one, or "lost".
  const Counts& moves() const { return moves_; }

  bool operator==(const Terms&) const = default;

 private:
  /// Returns true if a term begins whose last holder has stated what it had seen.
  bool ReviewTerm(uint32_t bucket, const BucketHolder& holder, bool member, bool alone,
                  absl::Duration now);
  /// `repeated`: the statement is the same as before.
  BucketHolder Accept(uint32_t bucket, BucketHolder holder, bool repeated);
  void Begin(uint32_t bucket, const BucketHolder& holder, bool alone, absl::Duration now);
  void Acquire(uint32_t bucket);
  void TakeStatement(const SeenVersions& seen);
  void SetYielding(uint32_t bucket, bool yields);

  std::string identity_;
  Times times_;
  std::vector<Term> terms_;             // by bucket
  std::vector<uint64_t> known_epochs_;  // by bucket
  uint32_t held_ = 0;
  bool held_any_ = false;  // a bucket, ever
  Acquired acquired_;
  BucketSet yielding_, idle_, in_doubt_;
  SeenVersions seen_;            // of the idle buckets
  SeenVersions last_statement_;  // in the assignment
  TermChanges changes_;
  Counts moves_ = LeadershipFigures().moves;
};

}  // namespace xebec::watcher
