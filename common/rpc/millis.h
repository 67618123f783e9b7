// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec::rpc {

/// Returns a duration in milliseconds, for gRPC's channel arguments.
inline int Millis(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(duration));
}

}  // namespace xebec::rpc
