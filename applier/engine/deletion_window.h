// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>

#include "absl/time/time.h"

namespace xebec::applier {

/// Counts the deletions of one process within a sliding interval (design §3.8). A value.
class DeletionWindow {
 public:
  DeletionWindow(size_t limit, absl::Duration interval) : limit_(limit), interval_(interval) {}

  /// Reserves `count` deletions, all or none; false when the interval has no room for them. `now`
  /// is monotonic.
  bool Reserve(size_t count, absl::Duration now);
  /// Gives back reservations that were not used.
  void Return(size_t count);
  /// Deletions reserved within the interval.
  size_t used(absl::Duration now);

 private:
  struct Entry {
    absl::Duration at;
    size_t count;
  };
  void Expire(absl::Duration now);

  size_t limit_;
  absl::Duration interval_;
  size_t used_ = 0;
  std::deque<Entry> entries_;  // oldest first
};

}  // namespace xebec::applier
