// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"

/// Conversion between messages and the bytes of a ServerStream.
namespace xebec::rpc {

/// Returns INVALID_ARGUMENT with the reason if `bytes` are not a message of this type. Uses up
/// `bytes`.
grpc::Status DecodeMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message);

grpc::ByteBuffer EncodeMessage(const google::protobuf::MessageLite& message);

}  // namespace xebec::rpc
