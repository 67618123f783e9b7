// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/hook.h"

/// The inputs and outputs of the gateway's engine.
namespace xebec::gateway {

/// A call of a watcher: the stream and its sequence there.
struct Ticket {
  uint64_t stream = 0;
  uint64_t sequence = 0;
  auto operator<=>(const Ticket&) const = default;
};

/// The answer of a hook to DescribeRequest.
struct HookDescription {
  std::string revision;
  std::string library;
  bool sync_stream = false;
  bool operator==(const HookDescription&) const = default;
};
using OpenResult = std::variant<HookDescription, HookFailure>;

/// The answer of a hook to a SyncRequest.
struct Answer {
  std::string response;  ///< xebec.hooks.v1.SyncResponse, encoded.
  bool error = false;    ///< The field `error` is set.
  bool operator==(const Answer&) const = default;
};
using CallResult = std::variant<Answer, HookFailure>;

/// Connects to a hook and calls Describe. HookOpened with the same numbers follows. The new
/// connection replaces the previous one for later calls; calls on the previous one go on.
struct Open {
  uint64_t hook = 0;
  uint64_t connection = 0;
  std::string operator_name;
  HookEndpoint endpoint;
  bool operator==(const Open&) const = default;
};
/// Sends a request on the hook's connection. Gateway::Answered with the same numbers follows,
/// unless CancelSend comes before.
struct Send {
  uint64_t hook = 0;
  uint64_t call = 0;
  std::string request;
  absl::Duration timeout;
  bool operator==(const Send&) const = default;
};
struct CancelSend {
  uint64_t hook = 0;
  uint64_t call = 0;
  bool operator==(const CancelSend&) const = default;
};
/// Closes the connections of a hook. It has no call.
struct Close {
  uint64_t hook = 0;
  std::string operator_name;
  bool operator==(const Close&) const = default;
};
/// Answers a call of a watcher.
struct SendReply {
  Ticket ticket;
  HookReply reply;
  std::string operator_name;
  absl::Duration took;  ///< Since the call arrived.
  bool error = false;   ///< Answer::error.
  bool operator==(const SendReply&) const = default;
};

using Output = std::variant<Open, Send, CancelSend, Close, SendReply>;
using Outputs = std::vector<Output>;

}  // namespace xebec::gateway
