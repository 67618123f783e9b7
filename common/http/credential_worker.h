// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

/// Asks a CredentialSource, which may block, on a thread of its own.
class CredentialWorker {
 public:
  using Arrived = std::function<void(absl::StatusOr<kube::Credentials>, bool anew)>;

  /// Starts the thread. `arrived` is called there with every answer. `source` is not null.
  CredentialWorker(std::shared_ptr<kube::CredentialSource> source, Arrived arrived);
  /// Interrupts a running Get and joins.
  ~CredentialWorker();
  CredentialWorker(const CredentialWorker&) = delete;
  CredentialWorker& operator=(const CredentialWorker&) = delete;

  /// Asks once; with `anew` after Invalidate. Calls that come while one is waiting are one with it.
  /// Thread-safe.
  void Ask(bool anew);

 private:
  enum class Job { kNone, kGet, kGetAnew, kStop };

  void Run();
  Job NextJob();

  const std::shared_ptr<kube::CredentialSource> source_;
  const Arrived arrived_;
  Mutex mu_;
  CondVar changed_;
  Job job_ ABSL_GUARDED_BY(mu_) = Job::kNone;
  std::thread thread_;
};

}  // namespace xebec::http::internal
