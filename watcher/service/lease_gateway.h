// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// The namespace and the names of the Leases: "<prefix><number>" of the members, and
/// "<prefix>assignment".
struct LeaseLocation {
  std::string ns = "xebec-system";
  std::string prefix = "xebec-watcher-";
};
/// The name of a Lease.
std::string LeaseName(const LeaseLocation& location, LeaseNumber lease);
/// The Lease of that name; nullopt if it is none of this installation.
std::optional<LeaseNumber> LeaseOfName(const LeaseLocation& location, std::string_view name);

/// Runs a task in a turn of the engine after a delay.
using DelayedPost = std::function<void(absl::Duration delay, Task task)>;

/// Reports the states of all Leases to the engine (list, then watch, repeatedly) and writes them.
/// Everything except the HTTP callbacks runs in turns of the engine.
class LeaseGateway : public std::enable_shared_from_this<LeaseGateway> {
 public:
  /// `client` and `queue` must outlive the gateway. `request_timeout` must be short enough for more
  /// than one attempt before a holder that cannot renew must stop.
  LeaseGateway(LeaseLocation location, absl::Duration request_timeout, http::ApiClient* client,
               MessageQueue* queue, DelayedPost later);

  /// Starts to watch the Leases. The first LeasesSeen follows.
  void Start();
  /// Carries out a WriteLease.
  void Do(const WriteLease& write);
  /// Ends the watch.
  void Stop();

 private:
  using Read = void (LeaseGateway::*)();
  using Answered = void (LeaseGateway::*)(const kube::ApiResponse&);
  void List();
  void OnList(const kube::ApiResponse& response);
  void OnWritten(LeaseNumber lease, const kube::ApiResponse& response);
  void Reread();
  void OnReread(const kube::ApiResponse& response);
  /// Sends the request that is due, if none is in flight.
  void Next();
  void Get(Answered then);
  /// Reads again after a pause, and meanwhile nothing.
  void Again(Read read);
  absl::StatusOr<std::string> PostLeases(const kube::ApiResponse& response);
  /// Tells the engine that an answer cannot be used. Returns `why`.
  absl::Status Unreadable(const std::string& what, const absl::Status& why);
  void Watch(const std::string& resource_version);
  void OnWatchEnd(const kube::ApiResponse& response);

  const LeaseLocation location_;
  const absl::Duration request_timeout_;
  http::ApiClient* const client_;
  MessageQueue* const queue_;
  const DelayedPost later_;
  std::unique_ptr<http::Stream> watch_;
  absl::Duration watch_began_;                        // monotonic
  std::map<LeaseNumber, std::string> acquire_times_;  // of this process; renewals keep them
  // One list at a time, so that none is older than the one before it.
  bool reading_ = false;     // a list is in flight, or is repeated soon
  bool list_due_ = false;    // for a new watch
  bool reread_due_ = false;  // there was a conflict
  bool stopped_ = false;
};

}  // namespace xebec::watcher
