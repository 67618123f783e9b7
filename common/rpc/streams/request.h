// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::rpc {

/// What is sent to a peer.
struct Request {
  uint64_t sequence = 0;
  std::variant<Observation, Plan> content;
  std::string revision;                                ///< Wanted of the peer; empty: any.
  absl::Duration deadline = absl::InfiniteDuration();  ///< Monotonic.
};

/// The peer (or the size limit on our side) could not take the request; nothing was done with it.
struct Refusal {
  std::string message;
};

/// The peer answered with something that cannot be read.
struct Malformed {
  std::string message;
};

/// What comes from a peer.
struct Answer {
  uint64_t sequence = 0;  ///< 0: a heartbeat, or credits alone.
  uint32_t credits = 0;   ///< Requests that may be sent beyond those that may be sent already.
  std::variant<std::monostate, Plan, Report, Refusal, Malformed> content;
};

}  // namespace xebec::rpc
