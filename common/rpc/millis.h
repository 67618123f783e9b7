// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec::rpc {

/// A duration as gRPC's channel arguments want it.
inline int Millis(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(duration));
}

}  // namespace xebec::rpc
