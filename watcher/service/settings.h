// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/service/settings.h"
#include "watcher/engine/options.h"
#include "watcher/service/lease_gateway.h"

namespace xebec::watcher {

/// All settings of a watcher process. The defaults are those of the product.
struct Settings : service::ServiceSettings {
  Settings() { metrics_listen = "127.0.0.1:8081"; }

  std::string kubeconfig;  ///< Empty means $KUBECONFIG, the service account, or ~/.kube/config.
  std::string context;     ///< Empty means the current context of the kubeconfig.
  std::string planner = "127.0.0.1:7443";
  std::string applier = "127.0.0.1:7444";
  std::string hook_gateway;  ///< Address of the gateways of hooks; empty: no declared controllers.
  std::string listen = "127.0.0.1:7442";  ///< WatcherService.
  /// The IP address at which other watchers reach `listen`; empty if they cannot.
  std::string advertise;
  uint32_t streams_per_address = 2;
  absl::Duration stream_max_age = absl::Minutes(10);
  uint64_t queue = 4096;  ///< Limit of messages that wait for the engine.
  /// Limit of their total size in bytes, including the JSON of objects.
  uint64_t queue_bytes = 32 << 20;
  absl::Duration drain_timeout = absl::Seconds(9);
  LeaseLocation lease;
  /// Names a place where at most one watcher process runs at any time, for example the UID of a
  /// Pod. Empty means unknown.
  std::string lease_instance;
  Options engine;
};

/// Binds all settings.
void Bind(Settings& settings, config::Binder& binder);

/// Returns the address at which other watchers reach this one, host:port; empty if they cannot. The
/// settings are valid.
std::string AdvertisedAddress(const Settings& settings);

/// Returns INVALID_ARGUMENT with the reason if settings contradict each other.
absl::Status Validate(const Settings& settings);

}  // namespace xebec::watcher
