// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/rpc/streams/stream_loop.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "hooks/engine/failures.h"
#include "hooks/service/operations.h"

namespace xebec::gateway {

/// Conversion between the bytes of messages and gRPC's buffers.
std::string BytesOf(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer BufferOf(const std::string& bytes);

/// Returns the end of a call that failed, with the delay that the hook requests: RetryInfo in the
/// details, or the trailing metadata grpc-retry-pushback-ms.
GrpcEnd EndOf(const grpc::Status& status, const grpc::ClientContext& context);

/// One unary call of raw bytes on a loop. It keeps itself alive until it ends.
class UnaryCall final : public rpc::Completion {
 public:
  struct Request {
    std::shared_ptr<grpc::Channel> channel;
    const char* method;
    std::string bytes;
    absl::Duration timeout;
  };
  /// The bytes of the response, or why the call failed.
  using OnEnd = std::function<void(std::string response, const GrpcEnd* failure)>;

  /// `on_end` runs once, on the thread of the loop.
  static std::shared_ptr<UnaryCall> Start(rpc::StreamLoop* loop, Operations* operations,
                                          const Request& request, OnEnd on_end);

  /// Thread-safe. `on_end` still runs.
  void Cancel() { context_->TryCancel(); }

  void Done(bool ok) override;

 private:
  UnaryCall(const Request& request, Operations* operations, OnEnd on_end);

  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_;
  const std::unique_ptr<grpc::ClientContext> context_;
  Operations* const operations_;
  OnEnd on_end_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> call_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  std::shared_ptr<UnaryCall> self_;
};

}  // namespace xebec::gateway
