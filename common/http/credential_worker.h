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

/// Calls a CredentialSource, which may block, on a thread of its own.
class CredentialWorker {
 public:
  using Arrived = std::function<void(absl::StatusOr<kube::Credentials>, bool invalidated)>;

  /// Starts the thread, which passes every answer to `arrived`. `source` is not null.
  CredentialWorker(std::shared_ptr<kube::CredentialSource> source, Arrived arrived);
  /// Interrupts a running Get and joins the thread.
  ~CredentialWorker();
  CredentialWorker(const CredentialWorker&) = delete;
  CredentialWorker& operator=(const CredentialWorker&) = delete;

  /// Calls the source once; calls Invalidate before if `invalidate` is true. Never waits.
  /// CredentialCache has at most two calls outstanding, which bounds the queue. Thread-safe.
  void Ask(bool invalidate) { questions_.PushNow(std::move(invalidate)); }

 private:
  void Run();

  const std::shared_ptr<kube::CredentialSource> source_;
  const Arrived arrived_;
  /// One element for each call; true means that Invalidate comes before Get.
  BoundedQueue<bool> questions_;
  std::thread thread_;
};

}  // namespace xebec::http::internal
