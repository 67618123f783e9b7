// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/health.h"

#include <string>
#include <vector>

#include "common/rpc/context.h"
#include "common/rpc/status_map.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"

namespace xebec::rpc {
namespace {

constexpr char kMethod[] = "/grpc.health.v1.Health/Check";
/// HealthCheckResponse{status: SERVING} on the wire; Debian's gRPC has no generated code for it.
constexpr char kServing[] = "\x08\x01";

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  buffer.Dump(&slices);
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

}  // namespace

absl::Status CheckHealth(const std::shared_ptr<grpc::Channel>& channel, absl::Duration timeout) {
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(channel);
  const auto context = MakeCallContext(timeout, "check");
  grpc::CompletionQueue queue;
  const grpc::Slice nothing(std::string{});
  const grpc::ByteBuffer request(&nothing, 1);  // for the server as a whole
  grpc::ByteBuffer response;
  grpc::Status status;
  auto call = stub.PrepareUnaryCall(context.get(), kMethod, request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return FromGrpc(status);
  return Bytes(response) == kServing ? absl::OkStatus()
                                     : absl::UnavailableError("says that it does not serve");
}

}  // namespace xebec::rpc
