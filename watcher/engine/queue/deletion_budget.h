// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "absl/time/time.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// How many objects one controller may delete within an interval. A parent's own
/// deletions are never deferred because of themselves: only when *other* parents have used the
/// budget up, so that a scale-down or a rename of one parent, however large, goes through at once,
/// while a defect that deletes for many parents is stopped. Times are monotonic. A value.
class DeletionBudget {
 public:
  DeletionBudget(uint32_t limit, absl::Duration interval) : limit_(limit), interval_(interval) {}

  /// True when `key` may delete now.
  bool Allows(KeyId key, absl::Duration now) const;
  /// A plan of `key` with so many deletions is sent.
  void Charge(KeyId key, uint64_t deletions, absl::Duration now);
  /// So many of those that were charged last for `key` were not carried out.
  void Refund(KeyId key, uint64_t deletions);
  /// When `key` may delete at the latest if nobody deletes any more.
  absl::Duration AllowedAt(KeyId key, absl::Duration now) const;
  /// Reserves the first deletion that no other key has charged or reserved, and returns its time
  /// (monotonic): when a key whose deletions are deferred must be planned again. Keys that are
  /// deferred together are so planned again as the budget allows, not all at once.
  absl::Duration Reserve(absl::Duration now);
  /// For the condition; the same text for every parent and moment.
  std::string Message(const std::string& controller) const;

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

  uint32_t limit_;
  absl::Duration interval_;
  std::deque<Charged> charged_;  // oldest first
  struct Reserved {
    absl::Duration at;
    uint64_t count;
    bool operator==(const Reserved&) const = default;
  };
  std::deque<Reserved> reserved_;  // for deferred keys, oldest first
};

}  // namespace xebec::watcher
