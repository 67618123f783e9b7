// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/streams/request.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"

namespace xebec::rpc {

/// The state of the peer according to an answer. kFailed means that the peer cannot carry out any
/// request because of a fault of its own. kNone means that the answer does not show the state.
enum class PeerVerdict { kNone, kWorks, kFailed };

/// The context of a call. All of it must outlive the call.
struct CallSite {
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext* context;
  grpc::CompletionQueue* queue;
  const CallObserver* observer;
};

/// The first call on a new connection.
class HandshakeCall {
 public:
  virtual ~HandshakeCall() = default;
  /// Starts the call. The completion queue returns `tag` when it has ended.
  virtual void Start(void* tag) = 0;
  /// Returns the peer's revision, or why the handshake failed. Called once, after the end.
  virtual absl::StatusOr<std::string> Result() = 0;
};

/// One bidirectional stream on a completion queue. Every operation with a tag is asynchronous: the
/// queue returns the tag, with `ok` false if the call is broken. At most one read and one write are
/// under way; reads and writes may start on different threads.
class MessageStream {
 public:
  virtual ~MessageStream() = default;
  virtual void Start(void* tag) = 0;
  virtual void Read(void* tag) = 0;
  /// Returns the message of the last successful Read.
  virtual Answer Take() = 0;
  /// Encodes and writes a request. With `more`, gRPC may hold it back until the next write. Returns
  /// "", or why the request is too large; then nothing is written and no tag returns.
  virtual std::string Write(const Request& request, bool more, void* tag) = 0;
  virtual void WriteHeartbeat(void* tag) = 0;
  virtual void WritesDone(void* tag) = 0;
  /// Asks for the status. Called once, after a Start or Read has failed and the last write has
  /// completed.
  virtual void Finish(void* tag) = 0;
  /// Returns the reason of the end, once Finish has completed.
  virtual absl::Status Status() = 0;
};

/// The part of a pool of streams that depends on the service: its calls, and the callbacks for its
/// answers.
class StreamProtocol {
 public:
  virtual ~StreamProtocol() = default;
  /// Returns the handshake with the peer at `address`, or null if there is none.
  virtual std::unique_ptr<HandshakeCall> Handshake(const CallSite&, const Address&) const {
    return nullptr;
  }
  virtual std::unique_ptr<MessageStream> Open(const CallSite& site) const = 0;

  /// Judges the peer by its answer.
  virtual PeerVerdict Judge(const Answer&) const { return PeerVerdict::kNone; }
  /// Returns why Judge returned kFailed, for the log.
  virtual std::string WhyFailed(const Answer&) const { return ""; }
  /// Delivers the answer to a request that has not expired. The content is never monostate.
  virtual void OnAnswer(Answer answer) = 0;
  /// Reports that the request was certainly not written to a stream.
  virtual void OnUnsent(Request request, const std::string& why) = 0;
  /// Reports that the request was written and that its answer will not arrive.
  virtual void OnLost(uint64_t sequence, const std::string& why) = 0;
  virtual void OnCredits(uint32_t credits) = 0;
};

}  // namespace xebec::rpc
