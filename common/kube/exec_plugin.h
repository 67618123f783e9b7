// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/kube/credential_sources.h"

namespace xebec::kube::internal {

/// Runs a client-go credential plugin (client.authentication.k8s.io v1 or v1beta1). Keeps the
/// plugin's credentials until their expirationTimestamp or Invalidate. Error messages never contain
/// the plugin's standard output, and only redacted lines of its standard error.
class ExecCredentialSource : public CredentialSource {
 public:
  /// Passes `cluster` to the plugin if `exec` requires it. `origin` is the prefix of error
  /// messages.
  ExecCredentialSource(ExecEntry exec, const ClusterConfig& cluster,
                       const std::string& exec_config_json, std::string origin, Clock clock);
  ~ExecCredentialSource() override;

  absl::StatusOr<Credentials> Get() override;
  void Invalidate() override;
  void Interrupt() override;

  /// The longest time that a plugin may run.
  static constexpr absl::Duration kTimeout = absl::Seconds(60);

 private:
  struct Answer {
    Credentials credentials;
    absl::Time expires = absl::InfiniteFuture();
  };

  absl::StatusOr<Answer> Run(absl::Time now) const;
  absl::StatusOr<Answer> Read(const std::string& output, absl::Time now) const;
  static absl::StatusOr<Answer> Checked(Answer answer, absl::Time now);
  absl::Status Explain(const absl::Status& status) const;

  const ExecEntry exec_;
  const std::string exec_info_;  // KUBERNETES_EXEC_INFO
  const std::string origin_;
  const Clock clock_;
  const int interrupt_fd_;
  Mutex mu_;  // held while the plugin runs
  std::optional<Answer> cached_ ABSL_GUARDED_BY(mu_);
};

/// Returns `text` as one line of at most 300 bytes. Replaces words that may be secrets: 20 or more
/// base64 characters.
std::string RedactedLine(const std::string& text);

/// Returns OK if this program supports the plugin's settings.
absl::Status CheckExecEntry(const ExecEntry& exec);

}  // namespace xebec::kube::internal
