// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/certificate_watch.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "common/telemetry/log.h"

namespace xebec::rpc {
namespace {

using telemetry::Family;

/// What successive checks of the files found. Thread-safe.
class CertificateWatch {
 public:
  explicit CertificateWatch(tls::Files files) : files_(std::move(files)) {}

  std::string Problem() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    if (!been_good_) Look();
    return been_good_ ? "" : std::string(ToStd(told_.message()));
  }

  std::vector<Family> Figures() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    Look();
    return {{Family::Type::kGauge,
             "certificate_expiration_timestamp_seconds",
             "When the service's own certificate expires.",
             {{{}, not_after_}},
             {}},
            {Family::Type::kCounter,
             "certwatcher_read_certificate_total",
             "How often the certificate files were looked at.",
             {{{}, reads_}},
             {}},
            {Family::Type::kCounter,
             "certwatcher_read_certificate_errors_total",
             "How often they were not good.",
             {{{}, errors_}},
             {}}};
  }

 private:
  void Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const absl::StatusOr<tls::Certificate> certificate = tls::Check(files_, ReadClock().wall);
    ++reads_;
    if (certificate.ok()) {
      been_good_ = true;
      not_after_ = static_cast<double>(absl::ToUnixSeconds(certificate->not_after));
    } else {
      ++errors_;
    }
    Tell(certificate.status());
  }

  void Tell(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (status == told_) return;
    told_ = status;
    if (status.ok()) return telemetry::Log(telemetry::Level::kInfo, "tls", "Certificate is good");
    telemetry::Log(telemetry::Level::kError, "tls", "Certificate is not good",
                   {{"detail", std::string(ToStd(status.message()))}});
  }

  const tls::Files files_;
  Mutex mu_;
  bool been_good_ ABSL_GUARDED_BY(mu_) = false;
  double not_after_ ABSL_GUARDED_BY(mu_) = 0;
  double reads_ ABSL_GUARDED_BY(mu_) = 0;
  double errors_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Status told_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::function<std::string()> WatchCertificate(const tls::Files& files,
                                              telemetry::Registry* registry) {
  if (!files.Any()) return [] { return std::string(); };
  const auto watch = std::make_shared<CertificateWatch>(files);
  watch->Problem();
  registry->AddSource([watch] { return watch->Figures(); });
  return [watch] { return watch->Problem(); };
}

}  // namespace xebec::rpc
