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

/// Certificates, tokens and passwords that stand in the kubeconfig or in files. Files are read
/// again after 60 s and after Invalidate; a file that cannot be read is an error of that Get alone.
class FileCredentialSource : public CredentialSource {
 public:
  /// `origin` begins error texts. Uses all of `user` but exec.
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

/// A token as it may stand in a header, trailing white space removed. INVALID_ARGUMENT for control
/// characters and nothing.
absl::StatusOr<std::string> CleanToken(const std::string& token);

/// The contents, decoded or read. Errors begin with `what`.
absl::StatusOr<std::string> Load(const std::string& what, const DataOrFile& source);

}  // namespace xebec::kube::internal
