// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "common/base/mutex.h"
#include "common/kube/cluster_config.h"

namespace xebec::kube::internal {

/// Adds the CA of the API server to the credentials of another source. It reads the CA file at
/// every Get, so that the process keeps working after a CA rotation. Thread-safe.
class CaFileSource : public CredentialSource {
 public:
  /// `inner` may be null, which means no credentials. `ca_pem` is the current content of the file
  /// at `path`; it stays in use while the file cannot be read or contains no certificate.
  CaFileSource(std::shared_ptr<CredentialSource> inner, std::string path, std::string ca_pem)
      : inner_(std::move(inner)), path_(std::move(path)), ca_pem_(std::move(ca_pem)) {}

  absl::StatusOr<Credentials> Get() override;
  void Invalidate() override;
  void Interrupt() override;

 private:
  std::string ReadCa() ABSL_LOCKS_EXCLUDED(mu_);

  const std::shared_ptr<CredentialSource> inner_;
  const std::string path_;
  Mutex mu_;
  std::string ca_pem_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::kube::internal
