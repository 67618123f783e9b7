// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/health.h"

#include <string>

#include "absl/status/statusor.h"
#include "common/rpc/client/unary_call.h"

namespace xebec::rpc {
namespace {

constexpr char kMethod[] = "/grpc.health.v1.Health/Check";
/// A serialized HealthCheckRequest{}, which means the whole server, and a serialized
/// HealthCheckResponse{status: SERVING}. Debian's gRPC has no generated code for them.
constexpr char kWholeServer[] = "";
constexpr char kServing[] = "\x08\x01";

}  // namespace

absl::Status CheckHealth(const std::shared_ptr<grpc::Channel>& channel, absl::Duration timeout) {
  const absl::StatusOr<std::string> answer = CallUnary(channel, kMethod, kWholeServer, timeout);
  if (!answer.ok()) return answer.status();
  return *answer == kServing ? absl::OkStatus() : absl::UnavailableError("is not serving");
}

}  // namespace xebec::rpc
