// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/tls_settings.h"

#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/rpc/tls_credentials.h"
#include "common/telemetry/log.h"

namespace xebec::rpc {
namespace {

/// What successive checks of the files found; logs what changes. Thread-safe.
class CertificateWatch {
 public:
  explicit CertificateWatch(tls::Files files) : files_(std::move(files)) {}

  std::vector<telemetry::Family> Look() {
    const absl::StatusOr<tls::Certificate> certificate = tls::Check(files_, ReadClock().wall);
    MutexLock lock(&mu_);
    ++reads_;
    if (certificate.ok()) {
      not_after_ = static_cast<double>(absl::ToUnixSeconds(certificate->not_after));
    } else {
      ++errors_;
    }
    Tell(certificate.status());
    return {{telemetry::Family::Type::kGauge,
             "certificate_expiration_timestamp_seconds",
             "When the service's own certificate expires.",
             {{{}, not_after_}},
             {}},
            {telemetry::Family::Type::kCounter,
             "certwatcher_read_certificate_total",
             "How often the certificate files were looked at.",
             {{{}, reads_}},
             {}},
            {telemetry::Family::Type::kCounter,
             "certwatcher_read_certificate_errors_total",
             "How often they were not good.",
             {{{}, errors_}},
             {}}};
  }

 private:
  void Tell(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (status == told_) return;
    told_ = status;
    if (status.ok()) return telemetry::Log(telemetry::Level::kInfo, "tls", "Certificate is good");
    telemetry::Log(telemetry::Level::kError, "tls", "Certificate is not good",
                   {{"detail", std::string(status.message())}});
  }

  const tls::Files files_;
  Mutex mu_;
  double not_after_ ABSL_GUARDED_BY(mu_) = 0;
  double reads_ ABSL_GUARDED_BY(mu_) = 0;
  double errors_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Status told_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

void BindTls(TlsSettings& settings, config::Binder& binder) {
  binder.Add(
      "tls.certificate", &settings.files.certificate,
      "PEM file with the own certificate; empty: plaintext, loopback and unix sockets alone");
  binder.Add("tls.key", &settings.files.key, "PEM file with its private key");
  binder.Add("tls.authority", &settings.files.authority,
             "PEM file with the certificates that vouch for the other side");
  binder.Add("tls.watchers", &settings.callers.watchers,
             "URIs in certificates that may call what is for watchers");
  binder.Add("tls.people", &settings.callers.people,
             "URIs in certificates that may call what is for people");
}

absl::Status CheckTls(const TlsSettings& settings, absl::Time now) {
  if (!settings.files.Any()) return absl::OkStatus();
  return tls::Check(settings.files, now).status();
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(const TlsSettings& settings,
                                                             AccessTable access,
                                                             telemetry::Registry* registry) {
  if (!settings.files.Any()) return nullptr;
  telemetry::Counter refused = registry->AddCounter(
      "xebec_rpc_refused_total", "Calls by somebody whose identity may not make them.");
  return TlsServerCredentials(
      settings.files, std::move(access),
      [refused](const std::string& method, const std::vector<std::string>& identities) mutable {
        refused.Add();
        telemetry::Log(telemetry::Level::kWarning, "tls", "Call refused",
                       {{"method", method}, {"identity", absl::StrJoin(identities, ",")}});
      });
}

void AddCertificateMetrics(const TlsSettings& settings, telemetry::Registry* registry) {
  if (!settings.files.Any()) return;
  const auto watch = std::make_shared<CertificateWatch>(settings.files);
  registry->AddSource([watch] { return watch->Look(); });
}

}  // namespace xebec::rpc
