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
  explicit UnaryHandler(std::shared_ptr<ServerStream> stream)
      : stream_(std::move(stream)), max_message_bytes_(stream_->max_message_bytes()) {}

  void OnOpen() final { stream_->Read(); }
  void OnRead(grpc::ByteBuffer* message) final;

 protected:
  /// The request has arrived. Called at most once.
  virtual void Answer(grpc::ByteBuffer* request) = 0;

  /// Ends the call; the message counts only if `status` is OK. Returns RESOURCE_EXHAUSTED to the
  /// caller if the message is too large. Has no effect once the server has stopped. Thread-safe.
  void Respond(const grpc::Status& status, const google::protobuf::MessageLite& response);

  const ServerStream& stream() const { return *stream_; }

 private:
  const std::shared_ptr<ServerStream> stream_;
  const size_t max_message_bytes_;
};

/// Ends a unary call; the message counts only if the status is OK. Called once, on any thread. Has
/// no effect once the server has stopped.
template <typename Response>
using Reply = std::function<void(const grpc::Status&, const Response&)>;

/// Returns a method that `answer` answers then or later, on any thread. `answer` is called on the
/// thread of the server that reads the request.
template <typename Request, typename Response>
Method LateUnaryMethod(std::string path,
                       std::function<void(const Request&, Reply<Response>)> answer) {
  using Function = std::function<void(const Request&, Reply<Response>)>;
  class Handler final : public UnaryHandler, public std::enable_shared_from_this<Handler> {
   public:
    Handler(std::shared_ptr<ServerStream> stream, std::shared_ptr<const Function> function)
        : UnaryHandler(std::move(stream)), function_(std::move(function)) {}

   private:
    void Answer(grpc::ByteBuffer* bytes) override {
      Request request;
      const grpc::Status decoded = DecodeMessage(bytes, &request);
      if (!decoded.ok()) return this->Respond(decoded, Response());
      (*function_)(request, [self = this->shared_from_this()](const grpc::Status& status,
                                                              const Response& response) {
        self->Respond(status, response);
      });
    }
    const std::shared_ptr<const Function> function_;
  };
  auto shared = std::make_shared<const Function>(std::move(answer));
  return {std::move(path), "unary", [shared](std::shared_ptr<ServerStream> stream) {
            return std::make_shared<Handler>(std::move(stream), shared);
          }};
}

/// Returns a method that `answer` answers on the thread of the server that reads the request.
template <typename Request, typename Response>
Method UnaryMethod(std::string path,
                   std::function<grpc::Status(const Request&, Response*)> answer) {
  return LateUnaryMethod<Request, Response>(
      std::move(path),
      [answer = std::move(answer)](const Request& request, const Reply<Response>& reply) {
        Response response;
        const grpc::Status status = answer(request, &response);
        reply(status, response);
      });
}

}  // namespace xebec::rpc
