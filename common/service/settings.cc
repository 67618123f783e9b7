// SPDX-License-Identifier: Apache-2.0
#include "common/service/settings.h"

#include <utility>

namespace xebec::service {

void BindService(ServiceSettings& settings, config::Binder& binder) {
  binder.Add("metricsListen", &settings.metrics_listen,
             "address that serves /metrics, /livez and /readyz over plain HTTP");
  rpc::BindTls(settings.tls, binder);
  binder.Add("reflection", &settings.reflection,
             "serve gRPC reflection, for grpcurl list and describe");
  binder.AddChoice("log.level", &settings.log_level, {"debug", "info", "warning", "error"},
                   "least severe level that is logged");
  binder.AddChoice("log.format", &settings.log_format, {"json", "text"}, "format of log lines");
}

void BindServer(ServerSettings& settings, config::Binder& binder) {
  BindService(settings, binder);
  binder.Add("maxConnectionAge", &settings.max_connection_age,
             "age at which the server closes a gRPC connection gracefully", absl::Seconds(1));
}

telemetry::LogOptions LogOptionsOf(const ServiceSettings& settings, std::string component) {
  return {std::move(component), settings.log_level, settings.log_format};
}

}  // namespace xebec::service
