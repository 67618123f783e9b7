// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "grpc/support/time.h"

namespace xebec::rpc {

/// Returns a duration for the deadlines of a completion queue, which count it from now.
/// InfiniteDuration is no deadline.
inline gpr_timespec Timespan(absl::Duration duration) {
  return gpr_time_from_nanos(absl::ToInt64Nanoseconds(duration), GPR_TIMESPAN);
}

}  // namespace xebec::rpc
