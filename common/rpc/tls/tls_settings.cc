// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/tls/tls_settings.h"

#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "common/rpc/tls/tls_credentials.h"
#include "common/telemetry/log.h"

namespace xebec::rpc {

void BindTls(TlsSettings& settings, config::Binder& binder) {
  binder.Add("tls.certificate", &settings.files.certificate,
             "PEM file with the service's certificate; if empty: plaintext on loopback "
             "and unix sockets only");
  binder.Add("tls.key", &settings.files.key, "PEM file with the private key of that certificate");
  binder.Add("tls.ca", &settings.files.ca,
             "PEM file with the CA certificates that sign the certificates of peers");
  binder.Add("tls.watchers", &settings.callers.watchers,
             "URIs of client certificates that may call the methods for watchers");
  binder.Add("tls.clients", &settings.callers.clients,
             "URIs of client certificates that may call the methods for clients (users)");
}

absl::Status ValidateTls(const TlsSettings& settings) {
  return settings.files.Any() ? tls::Named(settings.files) : absl::OkStatus();
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(const tls::Files& vetted,
                                                             AccessTable access,
                                                             telemetry::Registry* registry) {
  if (!vetted.Any()) return nullptr;
  telemetry::Counter refused = registry->AddCounter(
      "xebec_rpc_refused_total", "Calls that the caller's identity may not make.");
  return TlsServerCredentials(
      vetted, std::move(access),
      [refused](const std::string& method, const std::vector<std::string>& identities) mutable {
        refused.Add();
        telemetry::Log(telemetry::Level::kWarning, "tls", "Call refused",
                       {{"method", method}, {"identity", absl::StrJoin(identities, ",")}});
      });
}

}  // namespace xebec::rpc
