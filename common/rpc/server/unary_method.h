// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/rpc/server/message_bytes.h"
#include "common/rpc/server/service.h"

namespace xebec::rpc {

/// Reads the request of a unary call. Subclasses answer it, then or later, with Respond.
class UnaryHandler : public StreamHandler {
 public:
  explicit UnaryHandler(std::shared_ptr<ServerStream> stream) : stream_(std::move(stream)) {}

  void OnOpen() final { stream_->Read(); }
  void OnRead(grpc::ByteBuffer* message) final;

 protected:
  /// The request has arrived. Called at most once.
  virtual void Answer(grpc::ByteBuffer* request) = 0;

  /// Ends the call; the message counts only if `status` is OK. Returns RESOURCE_EXHAUSTED to the
  /// caller if the message is too large. Thread-safe.
  void Respond(const grpc::Status& status, const google::protobuf::MessageLite& response);

  const ServerStream& stream() const { return *stream_; }

 private:
  const std::shared_ptr<ServerStream> stream_;
};

/// Returns a method that `answer` answers on the thread of the server that reads the request.
template <typename Request, typename Response>
Method UnaryMethod(std::string path,
                   std::function<grpc::Status(const Request&, Response*)> answer) {
  class Handler final : public UnaryHandler {
   public:
    using Function = std::function<grpc::Status(const Request&, Response*)>;
    Handler(std::shared_ptr<ServerStream> stream, std::shared_ptr<const Function> function)
        : UnaryHandler(std::move(stream)), function_(std::move(function)) {}

   private:
    void Answer(grpc::ByteBuffer* bytes) override {
      Request request;
      Response response;
      grpc::Status status = DecodeMessage(bytes, &request);
      if (status.ok()) status = (*function_)(request, &response);
      Respond(status, response);
    }
    const std::shared_ptr<const Function> function_;
  };
  auto shared = std::make_shared<const typename Handler::Function>(std::move(answer));
  return {std::move(path), "unary", [shared](std::shared_ptr<ServerStream> stream) {
            return std::make_shared<Handler>(std::move(stream), shared);
          }};
}

}  // namespace xebec::rpc
