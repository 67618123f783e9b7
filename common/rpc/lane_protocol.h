// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/rpc/address.h"
#include "common/rpc/parcel.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

namespace xebec::rpc {

enum class WriteResult { kWritten, kTooLarge, kBroken };

/// One open bidirectional stream in the lanes' words. One thread reads, one thread writes.
class LaneStream {
 public:
  virtual ~LaneStream() = default;
  /// Encodes and writes. kTooLarge: nothing was written, `why` says by how much.
  virtual WriteResult Write(const Parcel& parcel, std::string* why) = 0;
  virtual bool WriteHeartbeat() = 0;
  virtual void WritesDone() = 0;
  /// Blocks. nullopt when the stream is over.
  virtual std::optional<Answer> Read() = 0;
  /// After Read has returned nullopt and the writer has ended: why it is over.
  virtual absl::Status Finish() = 0;
};

/// What a pool of lanes does not know: the service it calls and who hears the answers.
class LaneProtocol {
 public:
  virtual ~LaneProtocol() = default;
  /// First call on a new connection. Returns the peer's revision ("" where it has none).
  virtual absl::StatusOr<std::string> Greet(const std::shared_ptr<grpc::Channel>& channel,
                                            grpc::ClientContext* context,
                                            const Address& address) = 0;
  virtual std::unique_ptr<LaneStream> Open(const std::shared_ptr<grpc::Channel>& channel,
                                           grpc::ClientContext* context) = 0;

  /// The peer's answer to a parcel that is still wanted (content is never monostate).
  virtual void OnAnswer(Answer answer) = 0;
  /// The parcel was certainly not written to any stream.
  virtual void OnUnsent(Parcel parcel, const std::string& why) = 0;
  /// The parcel was written and its answer will not come.
  virtual void OnLost(uint64_t sequence, const std::string& why) = 0;
  virtual void OnCapacity(uint32_t slots) = 0;
};

}  // namespace xebec::rpc
