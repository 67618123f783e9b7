// SPDX-License-Identifier: Apache-2.0
#include "planner/service/settings.h"

namespace xebec::planner {

void Bind(Settings& settings, config::Binder& binder) {
  binder.Add("listen", &settings.listen,
             "addresses of the PlannerService: host:port, unix:/path; without TLS loopback and "
             "unix alone");
  binder.Add("plaintextListen", &settings.plaintext_listen,
             "further addresses, without TLS whatever tls says; loopback and unix alone");
  binder.Add("metricsListen", &settings.metrics_listen, "address of /metrics, /livez and /readyz");
  rpc::BindTls(settings.tls, binder);
  binder.Add("reflection", &settings.reflection, "answer gRPC reflection (grpcurl list, describe)");
  binder.AddChoice("log.level", &settings.log_level, {"debug", "info", "warning", "error"},
                   "least level written");
  binder.AddChoice("log.format", &settings.log_format, {"json", "text"}, "form of the log lines");
  binder.Add("workers", &settings.workers, "threads that plan; 0: one per core", 0, 256);
  binder.Add("queue", &settings.queue, "observations that may wait for a worker", 1, 1 << 16);
  binder.Add("maxConnectionAge", &settings.max_connection_age,
             "older connections are asked to close", absl::Seconds(1));
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest wait for plans in progress when asked to stop");
}

absl::Status Validate(const Settings& settings) {
  if (!settings.listen.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "listen is empty: nobody could reach the planner; give an address such as 127.0.0.1:7443");
}

}  // namespace xebec::planner
