// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "common/model/hook.h"

namespace xebec::watcher {

/// How many calls of one hook may be under way, and a circuit breaker. The limit grows with every
/// success and halves with every failure to answer in time. After several of those in a row the
/// breaker opens: no call for a while that grows, then one call as a probe. Any answer closes it. A
/// value.
class HookPace {
 public:
  /// Returns true if one more call may begin while `calls` are under way.
  bool Allows(uint64_t calls, absl::Duration now) const;
  /// When Allows may become true although no call ends; InfiniteDuration if it does not depend on
  /// the time.
  absl::Duration NextChange(absl::Duration now) const;

  void OnSuccess();
  /// A failure of any code, of a call that began at `begun`. One that the hook's program returned
  /// on purpose is no failure to answer. A call that began before the breaker opened does not open
  /// it once more.
  void OnFailure(const HookFailure& failure, absl::Duration begun, absl::Duration now);
  /// The gateway has connected to the hook again: ends a pause after failures, so that a probe may
  /// begin now. A pause that the hook asked for remains.
  void OnAvailable(absl::Duration now);

  /// The breaker has opened, and no call has succeeded since.
  bool failing() const { return openings_ > 0; }
  bool open(absl::Duration now) const { return now < OpenUntil(); }
  uint32_t limit() const { return limit_; }

  bool operator==(const HookPace&) const = default;

 private:
  absl::Duration OpenUntil() const { return std::max(open_until_, asked_until_); }

  uint32_t limit_ = 8;
  uint32_t failures_ = 0;                                   // in a row
  uint32_t openings_ = 0;                                   // in a row
  absl::Duration opened_at_ = -absl::InfiniteDuration();    // the last time
  absl::Duration open_until_ = -absl::InfiniteDuration();   // after failures
  absl::Duration asked_until_ = -absl::InfiniteDuration();  // as the hook asked for
};

}  // namespace xebec::watcher
