// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/unary_method.h"

#include "common/rpc/message_size.h"

namespace xebec::rpc {

void UnaryHandler::OnRead(grpc::ByteBuffer* message) {
  if (message != nullptr) return Answer(message);
  stream_->Finish({grpc::StatusCode::INVALID_ARGUMENT, "the call has no request"});
}

void UnaryHandler::Respond(const grpc::Status& status,
                           const google::protobuf::MessageLite& response) {
  if (!status.ok()) return stream_->Finish(status);
  const std::string too_large = TooLarge("the response", response, max_message_bytes_);
  if (!too_large.empty()) {
    return stream_->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, too_large});
  }
  stream_->WriteAndFinish(EncodeMessage(response), grpc::Status::OK);
}

}  // namespace xebec::rpc
