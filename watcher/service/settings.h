// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/rpc/tls/tls_settings.h"
#include "watcher/engine/options.h"
#include "watcher/service/lease_gateway.h"

namespace xebec::watcher {

/// Everything that can be set about a watcher process; defaults are what the product ships.
struct Settings {
  std::string kubeconfig;  ///< Empty: $KUBECONFIG, the service account, ~/.kube/config.
  std::string context;     ///< Empty: the kubeconfig's current context.
  std::string planner = "127.0.0.1:7443";
  std::string applier = "127.0.0.1:7444";
  std::string listen = "127.0.0.1:7442";          ///< WatcherService.
  std::string metrics_listen = "127.0.0.1:8081";  ///< /metrics, /livez, /readyz.
  rpc::TlsSettings tls;
  bool reflection = false;
  std::string log_level = "info";
  std::string log_format = "json";
  uint32_t streams_per_address = 2;
  absl::Duration stream_max_age = absl::Minutes(10);
  uint64_t queue = 4096;            ///< Messages that may wait for the engine.
  uint64_t queue_bytes = 32 << 20;  ///< Their size; objects count with their JSON.
  absl::Duration drain_timeout = absl::Seconds(9);
  LeaseLocation lease;
  /// Names a place where at most one watcher process runs at any time, for example a Pod's UID.
  /// Empty: unknown.
  std::string lease_instance;
  Options engine;
};

/// Gives every setting its key, flag and variable.
void Bind(Settings& settings, config::Binder& binder);

/// INVALID_ARGUMENT when settings contradict each other; says which and why.
absl::Status Validate(const Settings& settings);

}  // namespace xebec::watcher
