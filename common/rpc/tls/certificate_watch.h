// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/mutex.h"
#include "common/telemetry/metrics.h"
#include "common/tls/vetted_files.h"

namespace xebec::rpc {

/// Looks at a service's certificate files every second and passes them on to gRPC when they are
/// good; logs what changes. Thread-safe.
class CertificateWatch {
 public:
  /// Looks at once. Adds certificate_expiration_timestamp_seconds and
  /// certwatcher_read_certificate_{total,errors_total}, as controller-runtime names them, to
  /// `registry`, which is not scraped any more when this goes. Without TLS it does nothing.
  CertificateWatch(const tls::Files& files, telemetry::Registry* registry);
  ~CertificateWatch();

  /// For readiness: "" without TLS and once the files have been good (what was good goes on being
  /// used), before that what is wrong with them.
  std::string Problem() const ABSL_LOCKS_EXCLUDED(mu_);

  /// What credentials are to be made of: none without TLS, else files that can be read once the
  /// originals have been good.
  const tls::Files& vetted() const { return paths_; }

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mu_);
  void Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Tell(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::vector<telemetry::Family> Figures() const ABSL_LOCKS_EXCLUDED(mu_);

  tls::Files paths_;
  mutable Mutex mu_;
  CondVar ending_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::unique_ptr<tls::VettedFiles> files_ ABSL_GUARDED_BY(mu_);  // null without TLS
  bool been_good_ ABSL_GUARDED_BY(mu_) = false;
  uint64_t reads_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t errors_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Status told_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace xebec::rpc
