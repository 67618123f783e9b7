// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/bounded_queue.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

/// Asks a CredentialSource, which may block, on its own thread.
class CredentialWorker {
 public:
  using Arrived = std::function<void(absl::StatusOr<kube::Credentials>, bool anew)>;

  /// Starts the thread. `arrived` is called there with every answer. `source` is not null.
  CredentialWorker(std::shared_ptr<kube::CredentialSource> source, Arrived arrived);
  /// Interrupts a running Get and joins.
  ~CredentialWorker();
  CredentialWorker(const CredentialWorker&) = delete;
  CredentialWorker& operator=(const CredentialWorker&) = delete;

  /// Asks the source once; with `anew` after Invalidate. Never waits. CredentialCache has at most
  /// two questions open, which bounds the queue. Thread-safe.
  void Ask(bool anew) { questions_.PushNow(std::move(anew)); }

 private:
  void Run();

  const std::shared_ptr<kube::CredentialSource> source_;
  const Arrived arrived_;
  BoundedQueue<bool> questions_;  ///< Each says whether the credentials are to be fetched anew.
  std::thread thread_;
};

}  // namespace xebec::http::internal
