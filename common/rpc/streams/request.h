// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::rpc {

/// A message to a peer.
struct Request {
  uint64_t sequence = 0;
  std::variant<Observation, std::shared_ptr<const Plan>, HookCall> content;
  std::string revision;  ///< The required revision of the peer; empty for any.
  absl::Duration deadline = absl::InfiniteDuration();  ///< Monotonic.
};

/// The peer, or the sender's size limit, rejected the request. Nothing was executed.
struct Refusal {
  std::string message;
};

/// The peer's answer cannot be decoded.
struct Malformed {
  std::string message;
};

/// A message from a peer.
struct Answer {
  uint64_t sequence = 0;  ///< 0 for a heartbeat or a message that only grants credits.
  uint32_t credits = 0;   ///< Additional requests that may be sent.
  std::variant<std::monostate, Plan, Report, HookReply, Refusal, Malformed> content;
};

}  // namespace xebec::rpc
