// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "applier/engine/dispatcher.h"
#include "common/config/config.h"
#include "common/service/settings.h"

namespace xebec::applier {

/// The settings of an applier process. The defaults are those of the product.
struct Settings : service::ServerSettings {
  Settings() {
    listen = {"127.0.0.1:7444"};  // ApplierService
    metrics_listen = "127.0.0.1:8082";
    drain_timeout = absl::Seconds(9);
  }

  std::string kubeconfig;  ///< Empty: $KUBECONFIG, the service account, ~/.kube/config.
  std::string context;     ///< Empty means the current context of the kubeconfig.
  absl::Duration request_timeout = absl::Seconds(10);  ///< One API request.
  std::vector<std::string> allow;  ///< "deployments.apps", "pods@team-a", "*"; empty means all.
  uint32_t writes_min = 8;         ///< The limit on requests in flight never falls below this.
  uint32_t writes_start = 32;      ///< The limit on requests in flight at the beginning.
  uint32_t writes_max = 256;       ///< The limit on requests in flight never rises above this.
  DispatcherOptions dispatcher;
};

/// Registers the key, flag and environment variable of each setting.
void Bind(Settings& settings, config::Binder& binder);

/// Returns the options of the dispatcher, including the allow-list. Returns INVALID_ARGUMENT with
/// the name of the setting if a setting is invalid.
absl::StatusOr<DispatcherOptions> Resolve(const Settings& settings);

/// Parses entries of the form "resource" and "resource@namespace". Joins the entries of a resource.
absl::StatusOr<std::vector<AllowRule>> ParseAllowList(const std::vector<std::string>& entries);

}  // namespace xebec::applier
