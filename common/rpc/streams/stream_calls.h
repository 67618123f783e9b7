// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/rpc/streams/stream_action.h"
#include "common/rpc/streams/stream_loop.h"
#include "common/rpc/streams/stream_options.h"
#include "common/rpc/streams/stream_protocol.h"

namespace xebec::rpc {

/// The channel and the calls of one connection of a stream. Must outlive its operations. Not
/// thread-safe, except that Write may run at the same time as the other methods.
class StreamCalls {
 public:
  enum class Operation { kHandshake, kStart, kRead, kWrite, kFinish };
  class Owner {
   public:
    /// Runs on the loop's thread.
    virtual void Completed(StreamCalls* calls, Operation operation, bool ok) = 0;

   protected:
    ~Owner() = default;
  };

  /// The arguments must outlive the calls.
  StreamCalls(Owner* owner, const Connect& connect, const StreamOptions& options,
              const StreamProtocol& protocol, StreamLoop* loop);

  StreamId id() const { return id_; }

  /// Starts the handshake. Returns false if the protocol has none.
  bool StartHandshake();
  absl::StatusOr<std::string> HandshakeResult();
  void Open();
  void Read() { stream_->Read(&read_); }
  Answer Take() { return stream_->Take(); }
  void Finish() { stream_->Finish(&finish_); }
  /// Returns the reason of the end, once kFinish has completed.
  absl::Status Status() { return Explain(stream_->Status()); }
  void Cancel();

  /// The start of a write.
  struct Begun {
    std::optional<bool> result;  ///< Set if the write has completed already.
    std::string too_large;       ///< If not empty, nothing was written.
  };
  Begun Write(const StartWrite& write);
  Begun EndWrites();

 private:
  struct Tag final : Completion {
    Tag(StreamCalls* of, Operation what) : calls(of), operation(what) {}
    void Done(bool ok) override { calls->owner_->Completed(calls, operation, ok); }
    StreamCalls* const calls;
    const Operation operation;
  };

  absl::Status Explain(const absl::Status& status) const;

  Owner* const owner_;
  const StreamId id_;
  const Address address_;
  StreamLoop* const loop_;
  const StreamProtocol& protocol_;
  const CallObserver& observer_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<grpc::ClientContext> handshake_context_;
  const std::unique_ptr<grpc::ClientContext> stream_context_;
  std::unique_ptr<HandshakeCall> handshake_;
  std::unique_ptr<MessageStream> stream_;
  Tag shake_{this, Operation::kHandshake};
  Tag start_{this, Operation::kStart};
  Tag read_{this, Operation::kRead};
  Tag write_{this, Operation::kWrite};
  Tag finish_{this, Operation::kFinish};
};

}  // namespace xebec::rpc
