// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// The namespace and the names of the Leases: one for each bucket, "<prefix><bucket>".
struct LeaseLocation {
  std::string ns = "xebec-system";
  std::string prefix = "xebec-watcher-";
};

/// Runs a task on the engine's thread after a delay.
using DelayedPost = std::function<void(absl::Duration delay, Task task)>;

/// Reports the state of one bucket's Lease to the engine (list, then watch, repeatedly) and writes
/// the Lease. Everything except the HTTP callbacks runs on the engine's thread.
class LeaseGateway : public std::enable_shared_from_this<LeaseGateway> {
 public:
  /// `client` and `queue` must outlive the gateway. `request_timeout` must be short enough for more
  /// than one attempt before a holder that cannot renew must stop.
  LeaseGateway(uint32_t bucket, LeaseLocation location, absl::Duration request_timeout,
               http::ApiClient* client, MessageQueue* queue, DelayedPost later);

  /// Starts to watch the Lease. The first LeaseSeen follows.
  void Start();
  /// Carries out a WriteLease of this bucket.
  void Do(const WriteLease& write);
  /// Ends the watch.
  void Stop();

 private:
  using Answered = void (LeaseGateway::*)(const kube::ApiResponse&);
  void Get(Answered then);
  void List();
  void OnList(const kube::ApiResponse& response);
  void OnWritten(const kube::ApiResponse& response);
  void OnReread(const kube::ApiResponse& response);
  absl::StatusOr<std::string> PostLease(const kube::ApiResponse& response);
  void Watch(const std::string& resource_version);
  void OnWatchEnd(const kube::ApiResponse& response);
  void Again();

  const uint32_t bucket_;
  const LeaseLocation location_;
  const ObjectRef ref_;
  const absl::Duration request_timeout_;
  http::ApiClient* const client_;
  MessageQueue* const queue_;
  const DelayedPost later_;
  std::unique_ptr<http::Stream> watch_;
  absl::Duration watch_began_;  // monotonic
  std::string acquire_time_;    // of this process's acquisition; renewals keep it
  bool stopped_ = false;
};

}  // namespace xebec::watcher
