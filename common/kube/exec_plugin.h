// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/kube/credential_sources.h"

namespace xebec::kube::internal {

/// Runs a client-go credential plugin (client.authentication.k8s.io v1 or v1beta1). Its answer is
/// kept until its expirationTimestamp or Invalidate. Nothing of what the plugin prints on standard
/// output is ever in an error text; of standard error only what looks harmless.
class ExecCredentialSource : public CredentialSource {
 public:
  /// `cluster` is handed to the plugin when it asks for it. `origin` begins error texts.
  ExecCredentialSource(ExecEntry exec, const ClusterConfig& cluster,
                       const std::string& exec_config_json, std::string origin, Clock clock);
  ~ExecCredentialSource() override;

  absl::StatusOr<Credentials> Get() override;
  void Invalidate() override;
  void Interrupt() override;

  /// How long a plugin may run.
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

/// `text` as one line without words that may be secrets (20 and more characters of base64), at most
/// 300 bytes.
std::string RedactedLine(const std::string& text);

/// OK when this program can run the plugin at all.
absl::Status CheckExecEntry(const ExecEntry& exec);

}  // namespace xebec::kube::internal
