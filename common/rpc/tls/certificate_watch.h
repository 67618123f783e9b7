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

/// Checks a service's certificate files every second, passes valid files on to gRPC, and logs
/// changes. Thread-safe.
class CertificateWatch {
 public:
  /// Performs the first check. Adds the metrics certificate_expiration_timestamp_seconds and
  /// certwatcher_read_certificate_{total,errors_total}, whose names are those of
  /// controller-runtime, to `registry`. `registry` must not be scraped after the destructor. Does
  /// nothing without TLS.
  CertificateWatch(const tls::Files& files, telemetry::Registry* registry);
  ~CertificateWatch();

  /// For readiness: returns "" without TLS and once the files have been valid, because the last
  /// valid files stay in use. Returns the error before that.
  std::string Problem() const ABSL_LOCKS_EXCLUDED(mu_);

  /// The files to create credentials from: copies of the last valid files. No file names without
  /// TLS.
  const tls::Files& vetted() const { return paths_; }

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mu_);
  void Reload() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void LogChange(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
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
