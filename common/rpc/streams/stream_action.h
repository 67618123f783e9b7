// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/rpc/discovery/address.h"
#include "common/rpc/streams/request.h"
#include "common/rpc/streams/stream_options.h"
#include "common/rpc/streams/stream_scheduler.h"

/// The actions that a StreamMachine requests. Its host carries them out in their order.
namespace xebec::rpc {

/// Make a channel to the address and start the handshake. The input HandshakeDone or Finished
/// follows.
struct Connect {
  StreamId stream;
  Address address;
};
/// Start the stream's call. The input Started follows.
struct OpenCall {
  StreamId stream;
};
/// Start to read a message. The input Heard or ReadEnded follows.
struct StartRead {
  StreamId stream;
};
/// Start to write a message. The input Written or TooLarge follows.
struct StartWrite {
  StreamId stream;
  std::optional<Request> request;  ///< Nullopt for a heartbeat.
  bool more = false;               ///< Another write follows, so gRPC need not send this one yet.
};
/// Close the writing side. The input Written follows.
struct EndWrites {
  StreamId stream;
};
/// Cancel all calls of the connection. No input follows; its calls end by themselves.
struct CancelCalls {
  StreamId stream;
};
/// Ask for the status of the call, which has ended. The input Finished follows.
struct FinishCall {
  StreamId stream;
};
/// Destroy the connection. It has no operation under way.
struct Forget {
  StreamId stream;
};

// The actions below run callbacks. Only inputs of the loop's thread return them.

/// Deliver the answer to a request that has not expired. The content is never monostate.
struct DeliverAnswer {
  Answer answer;
};
struct DeliverLosses {
  Losses losses;
  std::string why;
};
struct DeliverCredits {
  uint32_t credits;
};

using Action =
    std::variant<Connect, OpenCall, StartRead, StartWrite, EndWrites, CancelCalls, FinishCall,
                 Forget, DeliverAnswer, DeliverLosses, DeliverCredits, StreamNote>;
using Actions = std::vector<Action>;

}  // namespace xebec::rpc
