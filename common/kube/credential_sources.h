// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/kube/cluster_config.h"
#include "common/kube/kubeconfig.h"

namespace xebec::kube::internal {

using Clock = std::function<Instant()>;

/// Provides the certificates, tokens and passwords that a kubeconfig contains or names as files.
/// Reads the files again after 60 s and after Invalidate. If a file cannot be read, that Get
/// returns an error and the next one tries again.
class FileCredentialSource : public CredentialSource {
 public:
  /// `origin` is the prefix of error messages. Uses all fields of `user` except exec.
  FileCredentialSource(UserEntry user, std::string origin, Clock clock)
      : user_(std::move(user)), origin_(std::move(origin)), clock_(std::move(clock)) {}

  absl::StatusOr<Credentials> Get() override;
  void Invalidate() override;

 private:
  absl::StatusOr<Credentials> Read(absl::Time now) const;
  absl::Status ReadCertificate(absl::Time now, Credentials* out) const;
  absl::Status ReadToken(Credentials* out) const;

  const UserEntry user_;
  const std::string origin_;
  const Clock clock_;
  Mutex mu_;
  std::optional<Credentials> cached_ ABSL_GUARDED_BY(mu_);
  absl::Duration read_at_ ABSL_GUARDED_BY(mu_);
};

/// Returns the token without trailing white space. INVALID_ARGUMENT if it is empty or contains
/// control characters.
absl::StatusOr<std::string> CleanToken(const std::string& token);

/// Returns the decoded data, or the contents of the file. `what` is the prefix of error messages.
absl::StatusOr<std::string> Load(const std::string& what, const DataOrFile& source);

}  // namespace xebec::kube::internal
