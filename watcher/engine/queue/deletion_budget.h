// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "watcher/engine/limit_share.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// Limits the deletions of one controller within an interval. A parent's own deletions never count
/// against it: its deletions are deferred only if *other* parents have used up the budget. So a
/// scale-down or a rename of one parent, however large, is carried out at once, and a defect that
/// deletes objects of many parents is stopped. The limit is that of the installation, of which this
/// watcher has a share. Times are monotonic. A value.
class DeletionBudget {
 public:
  DeletionBudget(uint32_t limit, absl::Duration interval, LimitShare share = {})
      : limit_(limit), interval_(interval), share_(std::move(share)) {}

  /// From now on this is the watcher's share.
  void SetShare(const LimitShare& share) { share_ = share; }

  /// Returns true if `key` may delete now.
  bool Allows(KeyId key, absl::Duration now) const;
  /// Counts the deletions of a plan of `key` that is sent.
  void Charge(KeyId key, uint64_t deletions, absl::Duration now);
  /// Subtracts deletions that the last charge of `key` counted and that were not carried out.
  void Refund(KeyId key, uint64_t deletions);
  /// Returns when `key` may delete if no further deletions are charged and the share stays as it
  /// is.
  absl::Duration AllowedAt(KeyId key, absl::Duration now) const;
  /// Reserves the next deletion that no other key has charged or reserved, and returns its time
  /// (monotonic). At that time a key with deferred deletions is planned again. Keys that are
  /// deferred together thus become due one after the other, as the budget allows.
  absl::Duration Reserve(absl::Duration now);
  /// Returns the message of the condition. It does not depend on the parent, and on the time only
  /// while the share changes.
  std::string Message(const std::string& controller, absl::Duration now) const;

  bool operator==(const DeletionBudget&) const = default;

 private:
  struct Charged {
    absl::Duration at;
    KeyId key;
    uint64_t deletions;
    bool operator==(const Charged&) const = default;
  };

  uint64_t OthersSince(KeyId key, absl::Duration since) const;
  uint64_t TakenSince(absl::Duration since) const;
  uint32_t LimitAt(absl::Duration at) const { return share_.Of(limit_, at); }

  uint32_t limit_;
  absl::Duration interval_;
  LimitShare share_;
  std::deque<Charged> charged_;  // oldest first
  struct Reserved {
    absl::Duration at;
    uint64_t count;
    bool operator==(const Reserved&) const = default;
  };
  std::deque<Reserved> reserved_;  // for keys with deferred deletions, oldest first
};

}  // namespace xebec::watcher
