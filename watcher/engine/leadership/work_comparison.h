// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/members.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// Returns a digest of what a watcher with these options plans: its kinds, namespaces and hooks.
std::string WorkOf(const Options& options);

/// Notices that another watcher uses the same Leases but plans other kinds or namespaces: parents
/// in its buckets that only this watcher would plan stay unplanned. During an upgrade that changes
/// these settings, watchers differ for some time. A value; times are monotonic.
class WorkComparison {
 public:
  /// `work` is that of this watcher, from WorkOf; `identity` is its own.
  WorkComparison(std::string work, std::string identity)
      : work_(std::move(work)), identity_(std::move(identity)) {}

  /// The member Leases may have changed. Notes a difference once, after a minute.
  void Review(const Members& members, absl::Duration now, Outputs* out);

  /// The number of living members that differed at the last Review.
  uint32_t differing() const { return differing_; }

  /// True if a member with these facts takes part and differs from this watcher.
  bool Differs(const MemberFacts& facts) const;

  bool operator==(const WorkComparison&) const = default;

 private:
  std::string work_, identity_;
  std::optional<absl::Duration> since_;  // when a difference was first seen
  bool noted_ = false;
  uint32_t differing_ = 0;
};

}  // namespace xebec::watcher
