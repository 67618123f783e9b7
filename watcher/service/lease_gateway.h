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

/// Where the Leases live: one for each bucket, named "<prefix><bucket>".
struct LeaseLocation {
  std::string ns = "xebec-system";
  std::string prefix = "xebec-watcher-";
};

/// Runs a task on the engine's thread after a delay.
using DelayedPost = std::function<void(absl::Duration delay, Task task)>;

/// Keeps the engine informed of one bucket's Lease (list, then watch, for ever) and writes it.
/// Everything but the HTTP callbacks runs on the engine's thread.
class LeaseGateway : public std::enable_shared_from_this<LeaseGateway> {
 public:
  /// `client` and `queue` outlive the gateway. `request_timeout` has to leave time for more than
  /// one try before a holder that cannot renew must stop.
  LeaseGateway(uint32_t bucket, LeaseLocation location, absl::Duration request_timeout,
               http::ApiClient* client, MessageQueue* queue, DelayedPost later);

  /// Starts looking at the Lease; the first LeaseSeen follows.
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
  void OnLook(const kube::ApiResponse& response);
  absl::StatusOr<std::string> Tell(const kube::ApiResponse& response);
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
  std::string acquire_time_;    // of our own acquisition, kept by renewals
  bool stopped_ = false;
};

}  // namespace xebec::watcher
