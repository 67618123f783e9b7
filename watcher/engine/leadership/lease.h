// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// The times of leader election. The defaults are those of client-go.
struct LeasePolicy {
  absl::Duration duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);

  bool operator==(const LeasePolicy&) const = default;
};

/// Leader election for one bucket with client-go's rules, and its epoch (the Lease's
/// leaseTransitions). Uses only its own monotonic clock: another holder's Lease is free once it has
/// not changed for its duration. A holder that could not renew for renew_deadline, counted from the
/// sending of its last successful write, stops leading before another process can start. Every
/// acquisition raises the epoch above every epoch ever seen or reported, including that of its own
/// old Lease. A Lease whose holder is an earlier process of the same instance is free at once,
/// because that process has ended. A value.
class LeaseElector {
 public:
  /// `identity` is unique for every process. `instance` is Options::instance.
  LeaseElector(LeasePolicy policy, std::string identity, std::string instance, uint32_t bucket);

  void OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  /// Adds a note why the Lease cannot be read. A write in progress continues.
  void OnReadFailed(const ApiFailure& failure, Outputs* out);
  void OnWriteFailed(const ApiFailure& failure, absl::Duration now, Outputs* out);
  void OnTick(absl::Duration now, Outputs* out);
  /// An applier reported `epoch`. If the Lease is held with a lower epoch, its epoch is raised
  /// above it.
  void OnHigherEpoch(uint64_t epoch, absl::Duration now, Outputs* out);
  /// Releases the Lease and does not acquire it again. If `clean` is true (no plan is running),
  /// releases it at once. Otherwise lets it expire within a second, so that the next holder starts
  /// with a quarantine.
  void Release(bool clean, absl::Duration now, Outputs* out);

  /// Returns true while plans may be sent: the Lease is held, the renew deadline has not passed,
  /// and its epoch is not being raised.
  bool Leads(absl::Duration now) const;
  /// Returns true while the Lease is held with any epoch.
  bool Holds() const { return holds_.has_value(); }
  /// Returns true once Release is complete.
  bool Released() const { return ended_ && !pending_ && !release_wanted_ && !holds_; }
  uint64_t epoch() const { return holds_ ? holds_->epoch : 0; }
  /// The number of acquisitions.
  uint64_t acquisitions() const { return acquisitions_; }
  /// The time of the acquisition; valid only while the Lease is held.
  absl::Duration acquired_at() const { return holds_ ? holds_->acquired_at : absl::Duration(); }
  /// True if the predecessor released the Lease itself, so that none of its plans is running.
  bool clean_handover() const { return holds_ && holds_->clean; }
  /// A list that began at this time or later contains everything that predecessors wrote.
  absl::Duration fresh_since() const {
    return holds_ ? holds_->fresh_since : absl::InfiniteDuration();
  }
  absl::Duration NextDeadline() const;
  /// Returns the state of the Lease for users.
  std::string Explain(absl::Duration now) const;

  bool operator==(const LeaseElector&) const;

 private:
  enum class Kind { kAcquire, kRenew, kRelease };
  struct Pending {
    Kind kind;
    absl::Duration sent;
    uint64_t transitions;
    bool clean;                  // kAcquire: the predecessor had released the Lease
    std::string version;         // the version of the Lease that the write replaces
    absl::Duration fresh_since;  // kAcquire: predecessors wrote nothing after this time
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
  /// Returns true if no other running process can hold the Lease.
  bool Unheld() const;
  bool Free(absl::Duration now) const;
  absl::Duration ExpiresAt() const;
  bool NeedsLift() const { return holds_ && known_epoch_ > holds_->epoch; }
  static void AddNote(Note::Level level, std::string what, std::string detail, Outputs* out);

  LeasePolicy policy_;
  std::string identity_;
  std::string instance_;
  uint32_t bucket_ = 0;
  std::optional<LeaseSeen> seen_;
  absl::Duration changed_at_;  // when seen_ last changed (our clock)
  // when the holder was first seen to have released the Lease
  std::optional<absl::Duration> released_at_;
  uint64_t known_epoch_ = 0;
  std::optional<Pending> pending_;
  std::optional<Held> holds_;
  absl::Duration next_try_ = -absl::InfiniteDuration();
  uint64_t acquisitions_ = 0;
  bool ended_ = false;
  bool release_wanted_ = false;
  bool clean_release_ = false;
  bool release_tried_ = false;
  // the version of the failed release; retried when another version is seen
  std::optional<std::string> outdated_release_;
  std::string read_failure_;  // already noted; empty once the Lease was read
};

}  // namespace xebec::watcher
