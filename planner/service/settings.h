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

/// All settings of a planner process. The defaults are those of the product.
struct Settings {
  std::vector<std::string> listen = {"127.0.0.1:7443"};  ///< PlannerService.
  std::string metrics_listen = "127.0.0.1:8080";         ///< /metrics, /livez, /readyz.
  /// Plaintext, on loopback addresses and unix sockets only.
  std::vector<std::string> plaintext_listen;
  rpc::TlsSettings tls;
  bool reflection = true;
  std::string log_level = "info";
  std::string log_format = "json";
  uint32_t workers = 0;  ///< 0 means one for each core.
  absl::Duration max_connection_age = absl::Minutes(30);
  absl::Duration drain_timeout = absl::Seconds(8);
};

/// Binds all settings.
void Bind(Settings& settings, config::Binder& binder);

/// Returns INVALID_ARGUMENT with the reason if a setting is invalid.
absl::Status Validate(const Settings& settings);

}  // namespace xebec::planner
