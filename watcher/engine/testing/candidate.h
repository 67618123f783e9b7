// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "watcher/engine/leadership/lease.h"

namespace xebec::watcher::testing {

inline constexpr absl::Duration kStart = absl::Seconds(100);
inline const ApiFailure kConflict = {409, "Conflict", "", std::nullopt};

/// A Lease object as an API server keeps it.
struct FakeLease {
  LeaseSeen now;
  int64_t version = 1;
  int renewals = 0;

  bool Write(const WriteLease& write) {
    if (write.create ? now.exists : write.resource_version != now.resource_version) return false;
    now = {0,
           true,
           write.holder,
           write.transitions,
           write.duration,
           std::to_string(++renewals),
           std::to_string(++version)};
    return true;
  }
  /// The same, changed by somebody who does not hold it, or by a write whose answer was lost.
  LeaseSeen NextVersion() const {
    LeaseSeen next = now;
    next.resource_version = std::to_string(version + 1);
    return next;
  }
  LeaseSeen Renewed() const {
    LeaseSeen next = NextVersion();
    next.renew_time = "later";
    return next;
  }
  void Become(const LeaseSeen& seen) {
    now = seen;
    ++version;
  }
  LeaseSeen Delete() {
    now = LeaseSeen{};
    return now;
  }
};

/// An elector that talks to a FakeLease at once.
struct Candidate {
  Candidate(FakeLease* shared, const std::string& identity, const std::string& instance = "")
      : lease(shared), elector({}, identity, instance, 0) {}

  void See(absl::Duration at) {
    Outputs out;
    elector.OnSeen(lease->now, at, &out);
    Carry(out, at);
  }
  void Tick(absl::Duration at) {
    Outputs out;
    elector.OnTick(at, &out);
    Carry(out, at);
  }
  void Carry(Outputs out, absl::Duration at) {
    for (const Output& output : out) {
      const auto* write = std::get_if<WriteLease>(&output);
      if (write == nullptr) continue;
      ++writes;
      if (cut_off) continue;
      Outputs next;
      if (lease->Write(*write)) {
        elector.OnSeen(lease->now, at, &next);
      } else {
        elector.OnWriteFailed(kConflict, at, &next);
      }
      Carry(std::move(next), at);
    }
  }
  /// Ticks when due, for so long.
  absl::Duration Run(absl::Duration from, absl::Duration time) {
    for (absl::Duration at = from; at <= from + time; at += absl::Milliseconds(100)) {
      if (elector.NextDeadline() <= at) Tick(at);
    }
    return from + time;
  }

  FakeLease* lease;
  LeaseElector elector;
  int writes = 0;
  bool cut_off = false;  // writes get no answer
};

}  // namespace xebec::watcher::testing
