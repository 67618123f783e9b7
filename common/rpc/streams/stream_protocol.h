// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/streams/request.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

namespace xebec::rpc {

enum class WriteResult { kWritten, kTooLarge, kBroken };

/// What an answer says about its peer: kFailed when the peer cannot carry out any request, by its
/// own fault; kNone when the answer says nothing about that.
enum class PeerVerdict { kNone, kWorks, kFailed };

/// One open bidirectional stream in the streams' words. One thread reads, one thread writes.
class MessageStream {
 public:
  virtual ~MessageStream() = default;
  /// Encodes and writes. kTooLarge: nothing was written, `why` says by how much.
  virtual WriteResult Write(const Request& request, std::string* why) = 0;
  virtual bool WriteHeartbeat() = 0;
  virtual void WritesDone() = 0;
  /// Blocks. nullopt when the stream is over.
  virtual std::optional<Answer> Read() = 0;
  /// After Read has returned nullopt and the writer has ended: why it is over.
  virtual absl::Status Finish() = 0;
};

/// The part of a pool of streams that depends on the service: its calls, and the callbacks for its
/// answers.
class StreamProtocol {
 public:
  virtual ~StreamProtocol() = default;
  /// First call on a new connection. Returns the peer's revision ("" where it has none).
  virtual absl::StatusOr<std::string> Handshake(const std::shared_ptr<grpc::Channel>& channel,
                                                grpc::ClientContext* context,
                                                const Address& address) = 0;
  virtual std::unique_ptr<MessageStream> Open(const std::shared_ptr<grpc::Channel>& channel,
                                              grpc::ClientContext* context) = 0;

  /// Called for every answer, from any thread of the pool.
  virtual PeerVerdict Judge(const Answer&) const { return PeerVerdict::kNone; }
  /// Why the answer is kFailed, for the log.
  virtual std::string WhyFailed(const Answer&) const { return ""; }
  /// The peer's answer to a request that is still wanted (content is never monostate).
  virtual void OnAnswer(Answer answer) = 0;
  /// The request was certainly not written to any stream.
  virtual void OnUnsent(Request request, const std::string& why) = 0;
  /// The request was written and its answer will not come.
  virtual void OnLost(uint64_t sequence, const std::string& why) = 0;
  virtual void OnCredits(uint32_t credits) = 0;
};

}  // namespace xebec::rpc
