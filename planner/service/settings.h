// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/rpc/tls/tls_settings.h"

namespace xebec::planner {

/// Everything that can be set about a planner process; defaults are what the product ships.
struct Settings {
  std::vector<std::string> listen = {"127.0.0.1:7443"};  ///< PlannerService.
  std::string metrics_listen = "127.0.0.1:8080";         ///< /metrics, /livez, /readyz.
  std::vector<std::string> plaintext_listen;  ///< Without TLS, loopback and unix sockets.
  rpc::TlsSettings tls;
  bool reflection = true;
  std::string log_level = "info";
  std::string log_format = "json";
  uint32_t workers = 0;  ///< 0: as many as the machine has cores.
  uint32_t queue = 256;  ///< Observations that may wait for a worker.
  absl::Duration max_connection_age = absl::Minutes(30);
  absl::Duration drain_timeout = absl::Seconds(8);
};

/// Gives every setting its key, flag and variable.
void Bind(Settings& settings, config::Binder& binder);

/// INVALID_ARGUMENT when a setting makes no sense; says which and why.
absl::Status Validate(const Settings& settings);

}  // namespace xebec::planner
