// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/time/time.h"

namespace xebec::applier {

/// Counts the deletions of one process within a sliding interval and limits them, so that a wrong
/// plan cannot delete everything at once. A value; `now` is monotonic.
class DeletionWindow {
 public:
  /// Identifies one reservation. Not 0.
  using Reservation = uint64_t;

  DeletionWindow(size_t limit, absl::Duration interval) : limit_(limit), interval_(interval) {}

  /// Reserves `count` deletions, all or none. Returns nullopt if the interval has no room for them.
  std::optional<Reservation> Reserve(size_t count, absl::Duration now);
  /// Gives back `count` deletions of a reservation that certainly deleted nothing. A deletion whose
  /// result is unknown stays reserved. Does nothing if the reservation has left the interval.
  void Return(Reservation reservation, size_t count);
  /// Returns the number of deletions reserved within the interval.
  size_t used(absl::Duration now);

 private:
  struct Entry {
    Reservation reservation;
    absl::Duration at;
    size_t count;
  };
  void Expire(absl::Duration now);

  size_t limit_;
  absl::Duration interval_;
  size_t used_ = 0;
  Reservation last_ = 0;
  std::deque<Entry> entries_;  // oldest first
};

}  // namespace xebec::applier
