// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/service/settings.h"

namespace xebec::planner {

/// All settings of a planner process. The defaults are those of the product.
struct Settings : service::ServerSettings {
  Settings() {
    listen = {"127.0.0.1:7443"};  // PlannerService
    metrics_listen = "127.0.0.1:8080";
    reflection = true;
    drain_timeout = absl::Seconds(8);
  }

  /// Plaintext, on loopback addresses and unix sockets only.
  std::vector<std::string> plaintext_listen;
  uint32_t workers = 0;  ///< 0 means one for each core.
};

/// Binds all settings.
void Bind(Settings& settings, config::Binder& binder);

/// Returns INVALID_ARGUMENT with the reason if a setting is invalid.
absl::Status Validate(const Settings& settings);

}  // namespace xebec::planner
