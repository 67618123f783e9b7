// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/tls/certificate_watch.h"

#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/base/thread.h"
#include "common/telemetry/log.h"

namespace xebec::rpc {
namespace {

using telemetry::Family;

constexpr absl::Duration kLookEvery = absl::Seconds(1);

Family Counter(const std::string& name, const std::string& help, uint64_t value) {
  return {Family::Type::kCounter, name, help, {{{}, static_cast<double>(value)}}, {}};
}

}  // namespace

CertificateWatch::CertificateWatch(const tls::Files& files, telemetry::Registry* registry) {
  if (!files.Any()) return;
  {
    MutexLock lock(&mu_);
    files_ = std::make_unique<tls::VettedFiles>(files);
    paths_ = files_->paths();
    Reload();
  }
  registry->AddSource([this] { return Figures(); });
  thread_ = std::thread([this] {
    NameThisThread("certificates");
    Run();
  });
}

CertificateWatch::~CertificateWatch() {
  {
    MutexLock lock(&mu_);
    ended_ = true;
  }
  ending_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void CertificateWatch::Run() {
  MutexLock lock(&mu_);
  while (!ended_) {
    if (ending_.WaitFor(&mu_, kLookEvery)) Reload();
  }
}

std::string CertificateWatch::Problem() const {
  MutexLock lock(&mu_);
  return files_ == nullptr || been_good_ ? "" : std::string(ToStd(told_.message()));
}

void CertificateWatch::Reload() {
  const absl::StatusOr<tls::Certificate> certificate = files_->Reload(ReadClock().wall);
  ++reads_;
  if (certificate.ok()) {
    been_good_ = true;
  } else {
    ++errors_;
  }
  LogChange(certificate.status());
}

void CertificateWatch::LogChange(const absl::Status& status) {
  if (status == told_) return;
  told_ = status;
  if (status.ok()) return telemetry::Log(telemetry::Level::kInfo, "tls", "Certificate is valid");
  telemetry::Log(telemetry::Level::kError, "tls", "Certificate is invalid",
                 {{"detail", std::string(ToStd(status.message()))}});
}

std::vector<Family> CertificateWatch::Figures() const {
  MutexLock lock(&mu_);
  std::vector<Family> families = {
      Counter("certwatcher_read_certificate_total", "How often the certificate files were read.",
              reads_),
      Counter("certwatcher_read_certificate_errors_total",
              "How often the certificate files were invalid.", errors_)};
  const auto add_expiry = [&families](const std::string& name, const std::string& help,
                                      const std::optional<absl::Time>& time) {
    if (!time) return;
    const auto seconds = static_cast<double>(absl::ToUnixSeconds(*time));
    families.push_back({Family::Type::kGauge, name, help, {{{}, seconds}}, {}});
  };
  add_expiry("certificate_expiration_timestamp_seconds",
             "When the service's own certificate expires, in seconds since the epoch.",
             files_->not_after());
  add_expiry(
      "xebec_ca_expiration_timestamp_seconds",
      "When the CA that signed the service's certificate expires, in seconds since the epoch.",
      files_->ca_not_after());
  return families;
}

}  // namespace xebec::rpc
