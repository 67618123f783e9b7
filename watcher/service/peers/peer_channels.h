// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/tls/files.h"
#include "grpcpp/channel.h"
#include "grpcpp/security/credentials.h"

namespace xebec::watcher {

/// The connections to other watchers. All watchers have certificates for the same name, so another
/// watcher must prove the first DNS name of this watcher's own certificate, whatever its address
/// is. Thread-safe.
class PeerChannels {
 public:
  /// `files` are those of CertificateWatch::vetted; none means plaintext.
  explicit PeerChannels(tls::Files files) : files_(std::move(files)) {}

  /// Returns the channel to an IP address with a port, "10.0.0.3:7442". Does not connect. The error
  /// says what is wrong with the address or with this watcher's certificate.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> To(const std::string& address)
      ABSL_LOCKS_EXCLUDED(mu_);
  /// Forgets the channel to an address that did not answer: the next call connects at once.
  void Drop(const std::string& address) ABSL_LOCKS_EXCLUDED(mu_);
  /// Forgets all channels. They close when their calls have ended.
  void Clear() ABSL_LOCKS_EXCLUDED(mu_);
  /// The status with advice if TLS rejected the other watcher's certificate.
  absl::Status Explain(const absl::Status& status) const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  absl::Status ReadOwnName() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const tls::Files files_;
  mutable Mutex mu_;
  std::string name_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<grpc::ChannelCredentials> credentials_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
