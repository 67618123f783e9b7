// SPDX-License-Identifier: Apache-2.0
#include "planner/service/settings.h"

namespace xebec::planner {

void Bind(Settings& settings, config::Binder& binder) {
  binder.Add("listen", &settings.listen,
             "addresses of the PlannerService: host:port or unix:/path; without TLS, "
             "only loopback and unix sockets");
  binder.Add("plaintextListen", &settings.plaintext_listen,
             "additional addresses without TLS; only loopback and unix sockets");
  service::BindServer(settings, binder);
  binder.Add("workers", &settings.workers,
             "number of threads that compute plans; 0: one per CPU core", 0, 256);
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest time to complete plans in progress when the planner stops");
}

absl::Status Validate(const Settings& settings) {
  if (!settings.listen.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "listen is empty: nobody could reach the planner; give an address such as 127.0.0.1:7443");
}

}  // namespace xebec::planner
