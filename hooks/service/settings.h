// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/service/settings.h"
#include "hooks/engine/endpoint_policy.h"
#include "hooks/service/gateway_loop.h"

namespace xebec::gateway {

/// The settings of a gateway process. The defaults are those of the product.
struct Settings : service::ServerSettings {
  Settings() {
    listen = {"127.0.0.1:7446"};  // HookGatewayService
    metrics_listen = "127.0.0.1:8083";
    drain_timeout = absl::Seconds(15);
  }

  PolicyOptions policy;
  std::vector<std::string> credentials;
  Limits limits;
  uint64_t max_answer_bytes = 8 << 20;
  uint64_t cache_bytes = 64 << 20;
  absl::Duration connect_timeout = absl::Seconds(10);
  uint32_t credits_per_stream = 256;
};

/// Registers the key, flag and environment variable of each setting.
void Bind(Settings& settings, config::Binder& binder);

/// Returns the options of the loop. `api_server` is the address of the API server in a cluster, or
/// "". Returns INVALID_ARGUMENT with the name of the setting if a setting is invalid.
absl::StatusOr<LoopOptions> Resolve(const Settings& settings, const std::string& api_server);

}  // namespace xebec::gateway
