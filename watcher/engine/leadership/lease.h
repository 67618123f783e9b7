// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Times of the election; client-go's defaults.
struct LeasePolicy {
  absl::Duration duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);

  bool operator==(const LeasePolicy&) const = default;
};

/// Leader election for one bucket by client-go's rules, and its epoch (the Lease's transitions).
/// Only the own monotonic clock counts: a foreign Lease is free once it has not been seen to change
/// for its duration. A holder that could not renew for renew_deadline, counted from the sending of
/// its last successful write, leads no more, before anyone else can. Every acquisition raises the
/// epoch above every epoch ever seen or told, one's own old Lease included. A Lease whose holder is
/// an earlier process of the same instance is free at once: that process has ended. A value.
class LeaseElector {
 public:
  /// `identity` is fresh for every process. `instance` is Options::instance.
  LeaseElector(LeasePolicy policy, std::string identity, std::string instance, uint32_t bucket);

  void OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  /// Tells why the Lease cannot be read; what is being written goes on.
  void OnReadFailed(const ApiFailure& failure, Outputs* out);
  void OnWriteFailed(const ApiFailure& failure, absl::Duration now, Outputs* out);
  void OnTick(absl::Duration now, Outputs* out);
  /// An applier knows `epoch`: a Lease that we hold is lifted above it.
  void OnHigherEpoch(uint64_t epoch, absl::Duration now, Outputs* out);
  /// Gives the Lease up: at once and cleanly when `clean` (nothing is in flight), else by letting
  /// it expire within a second, so that the next one knows that it must be careful. It is not taken
  /// again.
  void Release(bool clean, absl::Duration now, Outputs* out);

  /// True while plans may be sent: held, not past the deadline, not about to be lifted.
  bool Leads(absl::Duration now) const;
  /// Held, whatever its epoch.
  bool Holds() const { return holds_.has_value(); }
  /// True once Release has come to its end.
  bool Released() const { return ended_ && !pending_ && !release_wanted_ && !holds_; }
  uint64_t epoch() const { return holds_ ? holds_->epoch : 0; }
  /// Counts acquisitions.
  uint64_t acquisitions() const { return acquisitions_; }
  /// When the Lease was acquired; meaningful while it is held.
  absl::Duration acquired_at() const { return holds_ ? holds_->acquired_at : absl::Duration(); }
  /// The predecessor gave the Lease up by itself: none of its plans is under way.
  bool clean_handover() const { return holds_ && holds_->clean; }
  /// Caches whose list began at this time or later hold all that predecessors wrote.
  absl::Duration fresh_since() const {
    return holds_ ? holds_->fresh_since : absl::InfiniteDuration();
  }
  absl::Duration NextDeadline() const;
  /// For people.
  std::string Explain(absl::Duration now) const;

  bool operator==(const LeaseElector&) const;

 private:
  enum class Kind { kAcquire, kRenew, kRelease };
  struct Pending {
    Kind kind;
    absl::Duration sent;
    uint64_t transitions;
    bool clean;                  // kAcquire: the Lease had been released
    std::string version;         // of the Lease that it was to change
    absl::Duration fresh_since;  // kAcquire: predecessors write no more since
    bool operator==(const Pending&) const = default;
  };
  struct Held {
    uint64_t epoch;
    absl::Duration renewed_at;  // when the write was sent
    absl::Duration next_renew;
    absl::Duration acquired_at;
    absl::Duration fresh_since;
    bool clean;
    bool operator==(const Held&) const = default;
  };

  void ReleaseFailed(const ApiFailure& failure, const std::string& version);
  void Consider(absl::Duration now, Outputs* out);
  void ConsiderHeld(absl::Duration now, Outputs* out);
  void ConsiderRelease(absl::Duration now, Outputs* out);
  void Write(Kind kind, uint64_t transitions, absl::Duration now, Outputs* out);
  void Acquired(absl::Duration now, Outputs* out);
  void Lose(const std::string& why, Outputs* out);
  /// True when no other living process can hold the Lease, whatever the time.
  bool Unheld() const;
  bool Free(absl::Duration now) const;
  absl::Duration ExpiresAt() const;
  bool NeedsLift() const { return holds_ && known_epoch_ > holds_->epoch; }
  static void Tell(Note::Level level, std::string what, std::string detail, Outputs* out);

  LeasePolicy policy_;
  std::string identity_;
  std::string instance_;
  uint32_t bucket_ = 0;
  std::optional<LeaseSeen> seen_;
  absl::Duration changed_at_;  // when seen_ last changed, by our clock
  std::optional<absl::Duration>
      released_at_;  // since when the Lease has been seen released by its holder
  uint64_t known_epoch_ = 0;
  std::optional<Pending> pending_;
  std::optional<Held> holds_;
  absl::Duration next_try_ = -absl::InfiniteDuration();
  uint64_t acquisitions_ = 0;
  bool ended_ = false;
  bool release_wanted_ = false;
  bool clean_release_ = false;
  bool release_tried_ = false;
  std::optional<std::string> outdated_release_;  // of this version; once another is seen, again
  std::string read_trouble_;                     // told; empty once the Lease was seen
};

}  // namespace xebec::watcher
