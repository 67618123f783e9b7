// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"
#include "hooks/service/call_stream.h"
#include "hooks/service/gateway_loop.h"

namespace xebec::gateway {

/// Serves HookGatewayService. Never blocks a thread of the server. Thread-safe.
class GatewayService final : public rpc::Service {
 public:
  /// `loop` outlives this. `credits` is for each stream.
  GatewayService(GatewayLoop* loop, uint32_t credits) : loop_(loop), credits_(credits) {}

  std::vector<rpc::Method> methods() override;

  /// Refuses new streams, and ends each stream after its Sync calls are answered. Waits at most
  /// `timeout`.
  void Drain(absl::Duration timeout);

 private:
  GatewayLoop* const loop_;
  const uint32_t credits_;
  rpc::OpenStreams<CallStream> streams_;
};

}  // namespace xebec::gateway
