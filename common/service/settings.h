// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/rpc/tls/tls_settings.h"
#include "common/telemetry/log.h"

namespace xebec::service {

/// The settings that every service has. Each service sets its own addresses.
struct ServiceSettings {
  std::string metrics_listen;  ///< /metrics, /livez, /readyz.
  rpc::TlsSettings tls;
  bool reflection = false;
  std::string log_level = "info";
  std::string log_format = "json";
};

/// The settings of a service whose clients are other services.
struct ServerSettings : ServiceSettings {
  std::vector<std::string> listen;
  absl::Duration max_connection_age = absl::Minutes(30);
  absl::Duration drain_timeout;
};

/// Binds all settings but `listen` and `drain_timeout`, whose help differs between the services.
void BindService(ServiceSettings& settings, config::Binder& binder);
void BindServer(ServerSettings& settings, config::Binder& binder);

/// Returns the options of the log of the service, "planner".
telemetry::LogOptions LogOptionsOf(const ServiceSettings& settings, std::string component);

}  // namespace xebec::service
