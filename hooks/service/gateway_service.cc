// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/gateway_service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/clock.h"

namespace xebec::gateway {
namespace {

constexpr absl::Duration kStreamPollInterval = absl::Milliseconds(10);  // that are to end

}  // namespace

std::vector<rpc::Method> GatewayService::methods() {
  auto open = [this](std::shared_ptr<rpc::ServerStream> stream) {
    return std::make_shared<CallStream>(loop_, &streams_, credits_, std::move(stream));
  };
  return {{"/xebec.v1.HookGatewayService/CallStream", "bidi_stream", open}};
}

void GatewayService::Drain(absl::Duration timeout) {
  const absl::Duration until = ReadClock().monotonic + timeout;
  streams_.Close();
  streams_.ForEach([](CallStream& stream) { stream.BeginDrain(); });
  absl::Duration left = timeout;
  do {
    streams_.ForEach([](CallStream& stream) { stream.EndIfQuiet(); });
    left = until - ReadClock().monotonic;
  } while (!streams_.AwaitNone(std::min(left, kStreamPollInterval)) && left > absl::ZeroDuration());
}

}  // namespace xebec::gateway
