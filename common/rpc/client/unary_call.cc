// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/client/unary_call.h"

#include <vector>

#include "common/rpc/client/context.h"
#include "common/rpc/status_map.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"

namespace xebec::rpc {
namespace {

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  buffer.Dump(&slices);
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> CallUnary(const std::shared_ptr<grpc::Channel>& channel,
                                      const std::string& method, const std::string& request,
                                      absl::Duration timeout) {
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(channel);
  const auto context = MakeCallContext(timeout);
  grpc::CompletionQueue queue;
  const grpc::Slice slice(request);
  const grpc::ByteBuffer sent(&slice, 1);
  grpc::ByteBuffer received;
  grpc::Status status;
  auto call = stub.PrepareUnaryCall(context.get(), method, sent, &queue);
  call->StartCall();
  call->Finish(&received, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return FromGrpc(status);
  return Bytes(received);
}

}  // namespace xebec::rpc
