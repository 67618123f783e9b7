// SPDX-License-Identifier: Apache-2.0
#include "common/kube/pem.h"

#include "absl/strings/str_cat.h"
#include "common/tls/certificate.h"

namespace xebec::kube::internal {
namespace {

absl::Status About(absl::string_view what, const absl::Status& status, absl::string_view advice) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(what, " ", status.message(), advice)};
}

}  // namespace

absl::Status CheckCaPem(const std::string& pem) {
  if (tls::ReadCertificate(pem).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError("contains no PEM certificate");
}

absl::Status CheckClientCertificate(const std::string& cert_pem, const std::string& key_pem,
                                    absl::Time now) {
  const absl::StatusOr<tls::Certificate> certificate = tls::ReadCertificate(cert_pem);
  if (!certificate.ok()) {
    return absl::InvalidArgumentError("the client certificate is not a PEM certificate");
  }
  const absl::Status key = tls::CheckKey(cert_pem, key_pem);
  if (!key.ok()) return About("the client key", key, "");
  return About("the client certificate", tls::CheckValidity(*certificate, now),
               ": get a new kubeconfig");
}

}  // namespace xebec::kube::internal
