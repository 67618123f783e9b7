// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/message_bytes.h"

#include "grpcpp/impl/codegen/proto_utils.h"

namespace xebec::rpc {
namespace {

using google::protobuf::MessageLite;

constexpr char kWhy[] =
    "the request cannot be decoded: it is not a message of this method, is nested more than 100 "
    "levels deep, or contains text that is not UTF-8";

}  // namespace

grpc::Status DecodeMessage(grpc::ByteBuffer* bytes, MessageLite* message) {
  if (grpc::GenericDeserialize<grpc::ProtoBufferReader, MessageLite>(bytes, message).ok()) {
    return grpc::Status::OK;
  }
  return {grpc::StatusCode::INVALID_ARGUMENT, kWhy};
}

grpc::ByteBuffer EncodeMessage(const MessageLite& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  // Fails only for messages of 2 GiB, which no limit allows.
  (void)grpc::GenericSerialize<grpc::ProtoBufferWriter, MessageLite>(message, &bytes, &own);
  return bytes;
}

}  // namespace xebec::rpc
