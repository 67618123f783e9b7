// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec::telemetry {

/// Says when a process has become idle after it has worked: it has read lists, or handled a burst
/// of changes, or has started. A value.
class IdleAfterWork {
 public:
  /// How often OnPeriod is called.
  static constexpr absl::Duration kPeriod = absl::Seconds(5);

  /// `cpu` is the CPU time that the process has used since its start. Returns true if the process
  /// was idle during the last period, and has worked before since the last true.
  bool OnPeriod(absl::Duration cpu);

 private:
  // An idle watcher renews its Lease and answers probes: about 10 ms in a period.
  static constexpr absl::Duration kIdle = absl::Milliseconds(25);

  absl::Duration cpu_;  // at the end of the last period
  bool worked_ = true;  // since the last true; its start is work, too
};

}  // namespace xebec::telemetry
