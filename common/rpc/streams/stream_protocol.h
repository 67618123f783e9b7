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

/// What an answer reveals about its peer. kFailed means that the peer cannot carry out any request
/// because of a fault of its own. kNone means that the answer reveals nothing.
enum class PeerVerdict { kNone, kWorks, kFailed };

/// One open bidirectional stream. One thread reads and one thread writes.
class MessageStream {
 public:
  virtual ~MessageStream() = default;
  /// Encodes and writes a request. kTooLarge means that nothing was written; `why` then contains
  /// the size.
  virtual WriteResult Write(const Request& request, std::string* why) = 0;
  virtual bool WriteHeartbeat() = 0;
  virtual void WritesDone() = 0;
  /// Waits for an answer. Returns nullopt when the stream has ended.
  virtual std::optional<Answer> Read() = 0;
  /// Returns the reason of the end. Called after Read has returned nullopt and the writer has
  /// ended.
  virtual absl::Status Finish() = 0;
};

/// The part of a pool of streams that depends on the service: its calls, and the callbacks for its
/// answers.
class StreamProtocol {
 public:
  virtual ~StreamProtocol() = default;
  /// Makes the first call on a new connection. Returns the peer's revision, or "" if it has none.
  virtual absl::StatusOr<std::string> Handshake(const std::shared_ptr<grpc::Channel>& channel,
                                                grpc::ClientContext* context,
                                                const Address& address) = 0;
  virtual std::unique_ptr<MessageStream> Open(const std::shared_ptr<grpc::Channel>& channel,
                                              grpc::ClientContext* context) = 0;

  /// Judges the peer by its answer. Called for every answer, on any thread of the pool.
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
