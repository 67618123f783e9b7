// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace xebec::gateway {

/// The limits of the gateway's engine.
struct Limits {
  uint32_t concurrency = 64;                        ///< Calls of one hook in flight.
  uint32_t waiting = 1024;                          ///< Calls that wait for one hook.
  size_t waiting_bytes = 64 << 20;                  ///< Their requests.
  size_t cache_bytes = 64 << 20;                    ///< Answers of all hooks.
  size_t max_answer_bytes = 8 << 20;                ///< One answer; for messages only.
  size_t hooks = 1024;                              ///< Hooks at a time.
  absl::Duration longest_call = absl::Minutes(5);   ///< Timeouts of calls are cut to this.
  absl::Duration longest_poll = absl::Minutes(10);  ///< Timeouts of Describe calls are cut to this.
  absl::Duration backoff_min = absl::Milliseconds(500);
  absl::Duration backoff_max = absl::Seconds(10);
  /// A hook over HTTP, to which no connection is kept, is described again after this time.
  absl::Duration describe_interval = absl::Seconds(15);
  /// A hook is described again after this many calls in a row without answer.
  int suspicious_timeouts = 3;
  /// A new connection is not replaced before this time, unless it fails.
  absl::Duration reopen_interval = absl::Seconds(1);
  absl::Duration unused = absl::Minutes(10);  ///< Hooks without calls are closed after this time.
};

}  // namespace xebec::gateway
